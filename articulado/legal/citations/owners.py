"""Resolve the law of cited provisions from the words after them: "de esta ley", "del ET", "del mismo".

An anaphora such as "dicha Ley" or "del citado texto refundido" refers to the last law named before it that
fits the noun. ``CitationContext`` describes the text: a question, or the prose of a law.
"""

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from articulado.language.folding import fold
from articulado.legal.laws.mentions import LawMention
from articulado.legal.laws.registry import known_laws, laws_by_name, name_key

_NOUN = (
    r"(?:real(?:es)?\s+decretos?(?:[- ](?:ley|legislativo))?|decretos?(?:[- ](?:ley|legislativo))?|ley(?:\s+organica)?"
    r"|texto(?:\s+(?:refundido|legal|articulado))?|cuerpo\s+legal|norma(?:\s+legal)?|reglamento|estatuto|codigo|orden"
    r"|constitucion|directiva|convenio|acuerdo|tratado|convencion|protocolo)\b"
)
_THIS_LAW_PHRASE = re.compile(rf"(?:\best[ea]|\b(?:el|la|del)\s+presente)\s+{_NOUN}")
_CITED = r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid|mism|antecitad|antedich)[oa]"
_AGAIN = rf"(?:{_CITED}s?|dich[oa]s?|aquel(?:l[ao]s?)?|propi[oa])\s+"
_UNREGISTERED = re.compile(
    rf"(?<!\w)(?P<again>{_AGAIN}|(?:es[ea]|su|tal)\s+|ultim[oa]\s+)?{_NOUN}(?!\s+(?:antes\s+|ya\s+)?{_CITED}\b)"
)
_NAMED_AGAIN = re.compile(
    rf"(?P<of>del|de\s+la|de)\s+(?:(?:dich[oa]|aquell?a?|es[ea]|est[ea]\s+ultim[oa]|{_CITED})\s+)(?P<noun>{_NOUN})"
    # "De la citada Ley de Enjuiciamiento Civil" has a name of its own.
    r"(?P<name>\s+(?:del?|general|organic[oa]|reguladora|basic[oa]|[ivx]+)\b)?"
)
_CITED_AFTER = re.compile(rf"(?:del|de\s+la)\s+(?P<noun>{_NOUN})\s+(?:antes\s+|ya\s+)?{_CITED}\b")
_THE_SAME = re.compile(r"(?P<of>del|de\s+la)\s+mism[oa]\b(?!\s+\w*(?:articulo|disposicion|apartado))")
_FEMININE = re.compile(r"(?:ley|orden|constitucion|directiva|norma|convencion|l\.?o\.?|lgss|lisos)\b")
# What a noun may refer back to, sought in the words that named the law and in its title.
_FITS = {
    "ley": re.compile(r"\bley\b|^l\w*$"),
    "texto refundido": re.compile(r"texto refundido|legislativo"),
    "reglamento": re.compile(r"reglamento"),
    "estatuto": re.compile(r"estatuto"),
    "codigo": re.compile(r"codigo"),
    "constitucion": re.compile(r"constitucion"),
    "orden": re.compile(r"\borden\b"),
    "directiva": re.compile(r"directiva"),
    "convenio": re.compile(r"convenio"),
    "acuerdo": re.compile(r"acuerdo"),
    "tratado": re.compile(r"tratado"),
    "convencion": re.compile(r"convencion"),
    "protocolo": re.compile(r"protocolo"),
}
_THE_SAME_LAW = ("la misma", "el mismo")
_DECREE = re.compile(r"decreto|^rd")


@dataclass(frozen=True)
class Antecedent:
    """A law named before: where, its ids (see ``LawMention``), its words, and whether these were "this law"."""

    start: int
    law_id: str | None
    current_id: str | None
    words: str
    is_this_law: bool = False


class Antecedents:
    """The laws that a folded text names, to which its anaphoras refer."""

    def __init__(self, folded: str, mentions: list[LawMention], law_id: str | None):
        self._folded = folded
        self._mentions = mentions
        self._law_id = law_id

    @cached_property
    def _in_order(self) -> list[Antecedent]:
        antecedents, taken = [], set[int]()
        for mention in self._mentions:
            words = self._folded[mention.start : mention.end]
            antecedents.append(Antecedent(mention.start, mention.law_id, mention.current_id, words))
            taken.update(range(mention.start, mention.end))
        for this_law in _THIS_LAW_PHRASE.finditer(self._folded):
            antecedents.append(Antecedent(this_law.start(), self._law_id, self._law_id, this_law[0], is_this_law=True))
            taken.update(range(this_law.start(), this_law.end()))
        for unregistered in _UNREGISTERED.finditer(self._folded):
            if not unregistered["again"] and unregistered.start() not in taken:
                antecedents.append(Antecedent(unregistered.start(), None, None, unregistered[0]))
        return sorted(antecedents, key=lambda antecedent: antecedent.start)

    def resolve(self, position: int) -> tuple[Antecedent | None, int] | None:
        """Return the law that the anaphora at a position means and its end; ``None`` where there is no anaphora.

        The law is ``None`` where none of those named before fits.
        """
        if again := _NAMED_AGAIN.match(self._folded, position):
            return (None if again["name"] else self._last(position, again["noun"])), again.end("noun")
        if after := _CITED_AFTER.match(self._folded, position):
            return self._last(position, after["noun"]), after.end()
        if same := _THE_SAME.match(self._folded, position):
            return self._last(position, "la misma" if same["of"] != "del" else "el mismo"), same.end()
        return None

    def _last(self, position: int, noun: str) -> Antecedent | None:
        words = " ".join(noun.split())
        before = [law for law in reversed(self._in_order) if law.start < position and _fits(law, words)]
        # A law says "esta Ley" of itself, and "dicha Ley" of another one where there is one.
        others = [law for law in before if not law.is_this_law]
        return next(iter(before if noun in _THE_SAME_LAW else others or before), None)


def _fits(antecedent: Antecedent, noun: str) -> bool:
    law = known_laws().get(antecedent.law_id or "")
    if noun in _THE_SAME_LAW:
        return bool(_FEMININE.match(antecedent.words)) == (noun == "la misma")
    if "decreto" in noun:
        return _DECREE.search(antecedent.words) is not None and (
            "legislativo" not in noun or "legis" in antecedent.words
        )
    fits = _FITS.get(noun.removesuffix(" organica"))
    # "Texto legal", "norma" and the like mean any law.
    return fits is None or fits.search(antecedent.words) is not None or bool(law and fits.search(fold(law.title)))


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
