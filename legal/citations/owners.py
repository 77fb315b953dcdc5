"""Read of which law provisions are from the words after them: "de esta ley", "del ET", "del mismo"."""

import re
from dataclasses import dataclass
from datetime import date

from legal.citations.anaphora import Antecedents
from legal.laws.mentions import LawMention
from legal.laws.registry import laws_by_name, name_key

_ASIDE = re.compile(
    r"(?:\s*,?\s*(?:y|e)\s+(?:concordantes|siguientes|ss\.?|sigs?\.?)(?:\s+y\s+concordantes)?"
    r"|\s*,?\s*(?:ambos|todos|ambas|todas)?\s*,?\s*inclusive|\s*,?\s*respectivamente|\s*,\s*en su caso,?"
    r"|\s*,?\s*(?:y|e|asi\s+como)\s+(?:el|los|sus?)\s+anexos?(?:\s+[ivx\d]+)?(?=\s+del?\b)"
    r"|\s*,?\s*(?:ambos|todos|ambas|todas)(?=\s*,?\s+del?\b))*"
)
_PART_OF = re.compile(
    r"(?:\s*,?\s+(?:del?|de la|de los|de las)\s+(?:titulo|capitulo|seccion|subseccion|libro)s?\s+"
    r"(?:[\wºª.]+)(?:\s+(?:y|bis|ter)(?:\s+[\wºª.]+)?)?)+"
)
_NORM = (
    r"(?:real(?:es)?\s+decretos?(?:[- ](?:ley|legislativo))?|decreto(?:[- ](?:ley|legislativo))?|ley(?:\s+organica)?"
    r"|texto(?:\s+(?:refundido|legal|articulado))?|[a-z]+)\b"
)
_THIS_LAW = re.compile(rf"\s*,?\s*(?:de\s+est[aeo]s?|de\s+l[ao]s?\s+presentes?|del\s+presente)\s+(?!ultim){_NORM}")
# "… del Reglamento que se aprueba por este real decreto"
_APPROVED_HERE = re.compile(
    r"\s*,?\s*(?:del|de la)\s+(?:reglamento|texto\s+refundido|estatuto)\b[^.,;:()]{0,100}?\s+"
    r"(?:(?:que\s+(?:se\s+)?aprueba|aprobad[oa]|adjunto|anejo)(?:\s+(?:por|en|mediante|a))?"
    r"\s+(?:est[ea]|el\s+presente|la\s+presente)\b|que\s+se\s+aprueba\b(?!\s+(?:por|mediante)))"
)
_OF = re.compile(r"\s*,?\s*(?:\(\s*)?(?:del|de la|de los|de las|de el|de)\s+(?:(?:actual|vigente|nuev[oa])\s+)?")
# "…, en la que se añade un artículo 313 bis al texto refundido…", "artículo 308.1. del texto refundido…"
_TO_LAW = re.compile(r"(?:\s+(?:al|a la)|\. (?:del|de la))\s+")
_COMMA = re.compile(r"\s*,?\s*")
_ANAPHORA = re.compile(
    r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid|propi|mism|antecitad|antedich)[oa]s?\s+"
)
_OF_ANAPHORA = re.compile(
    rf"(?:del|de la|de los|de las)\s+{_ANAPHORA.pattern}|(?:del|de la|de los|de las)\s+mism[oa]s?\b"
    r"|de\s+(?:dich[oa]s?|aquel(?:la|los|las)?|sus?|ell[oa]s?|est[aeo]s?\s+ultim[oa]s?)\b"
)
A_LAW = re.compile(
    r"(?:[ivx]+\s+)?(?:ley(?:es)?|reglamentos?|real(?:es)?|decretos?|orden(?:es)?|directivas?|codigo|convenios?|convencion|tratado"
    r"|constitucion|estatutos?|texto|carta|acuerdos?|decision|resolucion|pacto|normas?|protocolo|instrumento|normativa"
    r"|instruccion|circular|declaracion|concordato|cc|lec|lopj|lgt|rd|lo|rdl|rdley|rdleg|lcsp|cp|lrjsp|tfue|tue)\b"
)
# "El Estatuto" of a person who asks.
_THE_STATUTE = re.compile(r"estatuto\b(?!\s+(?:del?\b|basico|organico|marco|general|propio))")
_BESIDE = re.compile(r"\s*[,(]?\s*")


@dataclass(frozen=True)
class CitationContext:
    """Where a text stands.

    ``law_id``: the law whose prose it is; ``None`` in a question. ``prose``: prose of a law even without ``law_id``
    (the law is not in the registry). ``several``: an article without a law need not be of the only law that is named.
    ``previous`` and ``following``: keys of the neighbouring provisions, for
    "artículo anterior". ``day``: when it was written (``None``: today).
    """

    law_id: str | None = None
    previous: str | None = None
    following: str | None = None
    day: date | None = None
    prose: bool = False
    several: bool = False

    @property
    def is_question(self) -> bool:
        """Tell whether an article without a law is of no known law."""
        return self.law_id is None and not self.prose


@dataclass(frozen=True)
class Owner:
    """The law that a list of provisions is of, where it is read today, and where the text that names it ends."""

    law_id: str | None
    named: bool
    end: int
    current_id: str | None = None


def owner_of_mention(mention: LawMention) -> Owner:
    """Return the law of a mention."""
    return Owner(mention.law_id, True, mention.end, mention.current_id)


def owner_after(
    folded: str,
    position: int,
    mentions: list[LawMention],
    context: CitationContext,
    antecedents: Antecedents,
    *,
    only_acronym_beside: bool,
) -> Owner | None:
    """Read whose provisions they are from what follows: "de esta ley", "del ET", "ET", "de la Ley 40/2007"."""
    for skipped in (_ASIDE, _PART_OF, _ASIDE):
        if match := skipped.match(folded, position):
            position = match.end()
    if this_law := _THIS_LAW.match(folded, position) or _APPROVED_HERE.match(folded, position):
        return Owner(context.law_id, context.law_id is not None, this_law.end(), context.law_id)
    begins = {mention.start: mention for mention in mentions}
    if of := _OF.match(folded, position):
        start = of.end()
        if cited := _ANAPHORA.match(folded, start):
            start = cited.end()
        if mention := begins.get(start):
            return owner_of_mention(mention)
    if (to := _TO_LAW.match(folded, position)) and (mention := begins.get(to.end())):
        return owner_of_mention(mention)
    beside = _BESIDE.match(folded, position)
    if beside and (mention := begins.get(beside.end())):
        acronym = mention.end - mention.start <= 10 and " " not in folded[mention.start : mention.end]
        if acronym or not only_acronym_beside or beside[0] == " ":
            return owner_of_mention(mention)
    comma = _COMMA.match(folded, position)
    start = comma.end() if comma else position
    if resolved := antecedents.resolve(start):
        antecedent, end = resolved
        return Owner(antecedent.law_id, True, end, antecedent.current_id) if antecedent else Owner(None, True, end)
    if anaphora := _OF_ANAPHORA.match(folded, start):
        return Owner(None, True, anaphora.end())
    if of and context.is_question and (statute := _THE_STATUTE.match(folded, of.end())):
        law_id = laws_by_name()[name_key("Estatuto de los Trabajadores")].id
        return Owner(law_id, True, statute.end(), law_id)
    if of and (law := A_LAW.match(folded, of.end())):
        return Owner(None, True, law.end())
    return None
