"""Tell of which law the provisions are that a text lists, from the words around them."""

import re
from dataclasses import dataclass, replace
from datetime import date

from legal.citation_items import Listed
from legal.laws import Mention
from legal.registry import laws_by_name

_ASIDE = re.compile(
    r"(?:\s*,?\s*(?:y|e)\s+(?:concordantes|siguientes|ss\.?|sigs?\.?)(?:\s+y\s+concordantes)?"
    r"|\s*,?\s*(?:ambos|todos|ambas|todas)?\s*,?\s*inclusive|\s*,?\s*respectivamente|\s*,\s*en su caso,?"
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
_OURS = re.compile(rf"\s*,?\s*(?:de\s+est[aeo]s?|de\s+l[ao]s?\s+presentes?|del\s+presente)\s+(?!ultim){_NORM}")
_OF = re.compile(r"\s*,?\s*(?:\(\s*)?(?:del|de la|de los|de las|de el|de)\s+(?:(?:actual|vigente|nuev[oa])\s+)?")
# "…, en la que se añade un artículo 313 bis al texto refundido…", "artículo 308.1. del texto refundido…"
_TO_LAW = re.compile(r"(?:\s+(?:al|a la)|\.\s+(?:del|de la))\s+")
_COMMA = re.compile(r"\s*,?\s*")
_ANAPHORA = re.compile(
    r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid|propi|mism|antecitad|antedich)[oa]s?\s+"
)
_OF_ANAPHORA = re.compile(
    rf"(?:del|de la|de los|de las)\s+{_ANAPHORA.pattern}|(?:del|de la|de los|de las)\s+mism[oa]s?\b"
    r"|de\s+(?:dich[oa]s?|aquel(?:la|los|las)?|sus?|ell[oa]s?|est[aeo]s?\s+ultim[oa]s?)\b"
)
_CITED = re.compile(r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid)[oa]s?\s+$")
_A_LAW = re.compile(
    r"(?:[ivx]+\s+)?(?:ley(?:es)?|reglamentos?|real(?:es)?|decretos?|orden(?:es)?|directivas?|codigo|convenios?|convencion|tratado"
    r"|constitucion|estatutos?|texto|carta|acuerdos?|decision|resolucion|pacto|normas?|protocolo|instrumento|normativa"
    r"|instruccion|circular|declaracion|concordato|cc|lec|lopj|lgt|rd|lo|rdl|rdley|rdleg|lcsp|cp|lrjsp|tfue|tue)\b"
)
# "El Estatuto" of a person who asks.
_THE_STATUTE = re.compile(r"estatuto\b(?!\s+(?:del?\b|basico|organico|marco|general|propio))")
_BESIDE = re.compile(r"\s*[,(]?\s*")
_AFTER_LAW = re.compile(r"\s*[,:(;–-]?\s*(?:(?:en\s+)?(?:el|los|la|las|sus?)\s+)?")
_IN_ITS = re.compile(r"\b(?:en|por|de|a|segun)\s+sus?\s+(?:propi[oa]s?\s+)?$")
_JOINED = re.compile(
    r"\s*,?\s*(?:(?:y|e|o|u|ni|asi como|y/o)\s+)?(?:tambien\s+)?(?:(?:en|de|a|con|por|segun)\s+)?"
    r"(?:(?:el|la|los|las|del|al)\s+)?"
)


@dataclass(frozen=True)
class CitationContext:
    """Where a text stands.

    ``law_id``: the law whose prose it is; ``None`` in a question. ``prose``: prose of a law even without ``law_id``
    (the law is not in the registry). ``previous`` and ``following``: keys of the neighbouring provisions, for
    "artículo anterior". ``day``: when it was written (``None``: today).
    """

    law_id: str | None = None
    previous: str | None = None
    following: str | None = None
    day: date | None = None
    prose: bool = False

    @property
    def is_question(self) -> bool:
        """Tell whether an article without a law is of no known law."""
        return self.law_id is None and not self.prose


@dataclass(frozen=True)
class Owner:
    """The law that a list of provisions is of, and where the text that names it ends."""

    law_id: str | None
    named: bool
    end: int


def owner_after(
    folded: str, position: int, mentions: list[Mention], context: CitationContext, *, only_acronym_beside: bool
) -> Owner | None:
    """Read whose provisions they are from what follows: "de esta ley", "del ET", "ET", "de la Ley 40/2007"."""
    for skipped in (_ASIDE, _PART_OF, _ASIDE):
        if found := skipped.match(folded, position):
            position = found.end()
    if ours := _OURS.match(folded, position):
        return Owner(context.law_id, False, ours.end())
    begins = {mention.start: mention for mention in mentions}
    if of := _OF.match(folded, position):
        start = of.end()
        if cited := _ANAPHORA.match(folded, start):
            start = cited.end()
        if mention := begins.get(start):
            return Owner(mention.law_id, True, mention.end)
    if (to := _TO_LAW.match(folded, position)) and (mention := begins.get(to.end())):
        return Owner(mention.law_id, True, mention.end)
    beside = _BESIDE.match(folded, position)
    if beside and (mention := begins.get(beside.end())):
        acronym = mention.end - mention.start <= 10 and " " not in folded[mention.start : mention.end]
        if acronym or not only_acronym_beside or beside[0] == " ":
            return Owner(mention.law_id, True, mention.end)
    comma = _COMMA.match(folded, position)
    if anaphora := _OF_ANAPHORA.match(folded, comma.end() if comma else position):
        return Owner(None, True, anaphora.end())
    if of and context.is_question and (statute := _THE_STATUTE.match(folded, of.end())):
        return Owner(laws_by_name()["estatuto de los trabajadores"].id, True, statute.end())
    if of and (law := _A_LAW.match(folded, of.end())):
        return Owner(None, True, law.end())
    return None


def _owner_before(folded: str, listed: Listed, mentions: list[Mention], context: CitationContext) -> Owner | None:
    """Read whose provisions they are from what precedes: "LGSS, art. 205", "la Constitución, en su artículo 28"."""
    before = [mention for mention in mentions if mention.end <= listed.start]
    if its := _IN_ITS.search(folded, max(0, listed.start - 20), listed.start):
        sentence = max(folded.rfind(". ", 0, its.start()), 0)
        inside = [mention for mention in before if mention.start >= sentence]
        return Owner(inside[0].law_id if len(inside) == 1 else None, True, listed.end)
    if before and context.is_question and _AFTER_LAW.fullmatch(folded, before[-1].end, listed.start):
        return Owner(before[-1].law_id, True, listed.end)
    return None


def owners_of(folded: str, listed: list[Listed], mentions: list[Mention], context: CitationContext) -> list[Owner]:
    """Return the law of each list of provisions, in their order.

    What follows a list decides, then what precedes it, then the law of the next list if only a conjunction is between
    ("el artículo 21 y el artículo 37 de la Constitución"), then the law whose prose it is. A question that names one
    law only is about that law.
    """
    found = [
        owner_after(folded, one.end, mentions, context, only_acronym_beside=not context.is_question)
        or _owner_before(folded, one, mentions, context)
        for one in listed
    ]
    for index in range(len(listed) - 2, -1, -1):
        following = found[index + 1]
        if (
            found[index] is None
            and following is not None
            and following.end > listed[index + 1].end
            and _JOINED.fullmatch(folded, listed[index].end, listed[index + 1].start)
        ):
            found[index] = replace(following, end=listed[index].end)
    for index, one in enumerate(listed):
        if found[index] is None and _CITED.search(folded, max(0, one.start - 15), one.start):
            found[index] = _cited_before(listed, found, index)
    strong = {mention.law_id for mention in mentions if not mention.weak}
    alone = strong.pop() if context.is_question and len(strong) == 1 else None
    default = Owner(context.law_id or alone, alone is not None, 0)
    return [owner or replace(default, end=one.end) for owner, one in zip(found, listed, strict=True)]


def _cited_before(listed: list[Listed], found: list[Owner | None], index: int) -> Owner | None:
    """Return the law of "el citado artículo 166": the one that the same article was cited with before."""
    one = listed[index]
    for earlier in range(index - 1, -1, -1):
        if one.items[0].number in {item.number for item in listed[earlier].items} and one.kind == listed[earlier].kind:
            owner = found[earlier]
            return replace(owner, end=one.end) if owner else None
    return Owner(None, True, one.end)
