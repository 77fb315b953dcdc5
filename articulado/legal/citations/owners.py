"""Laws that own cited provisions, by the words around them: "de esta ley", "del ET", "dicha Ley"."""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.legal.citations.items import ProvisionList
from articulado.legal.laws.mentions import LawMention, name_of_law
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
    "orden": re.compile(r"\borden\b"),
} | {
    noun: re.compile(noun)
    for noun in ("reglamento", "estatuto", "codigo", "constitucion", "directiva", "convenio", "acuerdo", "tratado",
                 "convencion", "protocolo")
}  # fmt: skip
_THE_SAME_LAW = ("la misma", "el mismo")
_DECREE = re.compile(r"decreto|^rd")


@dataclass(frozen=True)
class CitationContext:
    """Origin of a text: a law, its neighbours and its day; without ``law_id`` and ``prose``, a question."""

    law_id: str | None = None  # law whose prose it is; ``None`` in a question
    previous: str | None = None  # key of the provision before, for "artículo anterior"
    following: str | None = None  # key of the provision after
    day: date | None = None  # day of writing; ``None``: today
    prose: bool = False  # prose of a law outside the registry
    several: bool = False  # an article need not belong to the only law named
    alone: bool = False  # a number as the whole text names an article

    @property
    def is_question(self) -> bool:
        return self.law_id is None and not self.prose


@dataclass(frozen=True)
class Antecedent:
    """Law to which a later anaphora may refer, named by ``words`` at ``start``; ``is_this_law``: by "esta ley"."""

    start: int
    law_id: str | None
    current_id: str | None
    words: str
    is_this_law: bool = False


class CitingText:
    """Text that cites provisions: folded, with the laws that it names, as antecedents of "dicha Ley" or "la misma"."""

    def __init__(self, text: str, folded: str, mentions: list[LawMention], context: CitationContext) -> None:
        self.text, self.folded, self.mentions, self.context = text, folded, mentions, context

    @cached_property
    def _in_order(self) -> list[Antecedent]:
        antecedents, taken = [], set[int]()
        for mention in self.mentions:
            words = self.folded[mention.start : mention.end]
            antecedents.append(Antecedent(mention.start, mention.law_id, mention.current_id, words))
            taken.update(range(mention.start, mention.end))
        for this_law in _THIS_LAW_PHRASE.finditer(self.folded):
            own = self.context.law_id
            antecedents.append(Antecedent(this_law.start(), own, own, this_law[0], is_this_law=True))
            taken.update(range(this_law.start(), this_law.end()))
        for unregistered in _UNREGISTERED.finditer(self.folded):
            if not unregistered["again"] and unregistered.start() not in taken:
                antecedents.append(Antecedent(unregistered.start(), None, None, unregistered[0]))
        return sorted(antecedents, key=lambda antecedent: antecedent.start)

    def resolve(self, position: int) -> tuple[Antecedent | None, int] | None:
        """Return the antecedent of the anaphora at a position, and the end of the anaphora.

        The antecedent is ``None`` if no named law fits; the result is ``None`` if there is no anaphora.
        """
        if again := _NAMED_AGAIN.match(self.folded, position):
            return (None if again["name"] else self._last(position, again["noun"])), again.end("noun")
        if after := _CITED_AFTER.match(self.folded, position):
            return self._last(position, after["noun"]), after.end()
        if same := _THE_SAME.match(self.folded, position):
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
_OF = re.compile(
    r"\s*,?\s*(?:\(\s*)?(?:del|de la|de los|de las|de el|de|of(?:\s+the)?)\s+(?:(?:actual|vigente|nuev[oa])\s+)?"
)
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
# "El Estatuto" of a person who asks.
_THE_STATUTE = re.compile(r"estatuto\b(?!\s+(?:del?\b|basico|organico|marco|general|propio))")
_BESIDE = re.compile(r"\s*[,(]?\s*")


@dataclass(frozen=True)
class Owner:
    """The law of a list of provisions; ``span`` is its name in the text, ``gap`` the unread words before it."""

    law_id: str | None
    named: bool
    end: int
    current_id: str | None = None
    span: tuple[int, int] = (0, 0)
    gap: tuple[int, int] = (0, 0)


def owner_of_mention(mention: LawMention) -> Owner:
    return Owner(mention.law_id, True, mention.end, mention.current_id, (mention.start, mention.end))


def owner_after(citing: CitingText, position: int, *, only_acronym_beside: bool = True) -> Owner | None:
    """Read the law behind provisions: "de esta ley", "del ET", "ET", "de la Ley 40/2007"."""
    folded, context = citing.folded, citing.context
    for skipped in (_ASIDE, _PART_OF, _ASIDE):
        if match := skipped.match(folded, position):
            position = match.end()
    if this_law := _THIS_LAW.match(folded, position) or _APPROVED_HERE.match(folded, position):
        return Owner(context.law_id, context.law_id is not None, this_law.end(), context.law_id)
    begins = {mention.start: mention for mention in citing.mentions}
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
    if resolved := citing.resolve(start):
        antecedent, end = resolved
        return Owner(antecedent.law_id, True, end, antecedent.current_id) if antecedent else Owner(None, True, end)
    if anaphora := _OF_ANAPHORA.match(folded, start):
        return Owner(None, True, anaphora.end())
    if of and context.is_question and (statute := _THE_STATUTE.match(folded, of.end())):
        law_id = laws_by_name()[name_key("Estatuto de los Trabajadores")].id
        return Owner(law_id, True, statute.end(), law_id)
    return _unknown_law(folded, of.end()) if of else None


_UNREAD = r"(?:[a-zñ]{1,6}\.|\d{1,3}[.ºª]*|[a-zñ]\)|[a-zñ]{1,4}(?=\s*\d))"
_UNREAD_GAP = re.compile(rf"[\s,]*(?P<words>{_UNREAD}(?:[\s,]*{_UNREAD}){{0,3}})[\s,]+(?:del|de\s+la|de\s+el)\s+")


_LAW_WITH_NAME = r"(?:ley|codigo|reglamento|directiva|convenio|convencion|tratado|(?:real )?decreto)\s+(?:\w|\([uc]e)"
_BESIDE_ITS_NAME = re.compile(rf"[\s,(]+(?={_LAW_WITH_NAME})")
_ITS_NAME = re.compile(rf"(?<!\w)(?={_LAW_WITH_NAME})")


def _unknown_law(folded: str, position: int) -> Owner | None:
    law = name_of_law(folded, position)
    return Owner(None, True, law.end("noun"), span=law.span()) if law else None


def _owner_beyond(folded: str, position: int, mentions: list[LawMention]) -> Owner | None:
    """Read the law behind unknown signs: "art. 7, xyz. 2, del Código Civil"."""
    if beside := _BESIDE_ITS_NAME.match(folded, position):
        return _unknown_law(folded, beside.end())
    gap = _UNREAD_GAP.match(folded, position)
    mention = next((mention for mention in mentions if gap and mention.start == gap.end()), None)
    owner = owner_of_mention(mention) if mention else _unknown_law(folded, gap.end()) if gap else None
    return replace(owner, gap=gap.span("words")) if owner and gap else None


_MARK = r"(?P<mark>(?:\d{1,2}|[a-zñ]{1,2})(?:\.?[ªº]|\.-|[.)])\s+)?"
# Folded paragraphs are two blanks apart.
_LEAD = re.compile(rf"(?:^|  |:\s){_MARK}(?:de\s+la|del)\s+(?=\w)")
_PROVISIONS_OF = re.compile(r"(?:preceptos|articulos|disposiciones)\b[^.;:]{0,60}\s(?:de\s+la|del)\s+$")
_PARAGRAPH = re.compile(rf"  +{_MARK}")
_MENTIONED = re.compile(r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid)[oa]s?\s+$")
# "El artículo 6 mencionado en el párrafo anterior", but not "el artículo 6, mencionado en el artículo 3".
_MENTIONED_AFTER = re.compile(
    r"\s+(?:(?:antes|ya|anteriormente)\s+)?(?:citad|mencionad|aludid)[oa]s?\b"
    r"(?!\s+(?:en|por)\s+(?:el|la|los|las)\s+(?:articulo|disposicion))"
)
_AFTER_LAW = re.compile(r"\s*[,:(;–-]?\s*(?:(?:en\s+)?(?:el|los|la|las|sus?)\s+)?")
_IN_ITS = re.compile(r"\bsus?\s+(?:propi[oa]s?\s+)?$")
_JOINED = re.compile(
    r"\s*,?\s*(?:(?:y|e|o|u|ni|asi como|y/o)\s+)?(?:tambien\s+)?(?:(?:en|de|a|con|por|segun)\s+)?"
    r"(?:(?:el|la|los|las|del|al)\s+)?"
)


def owners_of(citing: CitingText, lists: list[ProvisionList]) -> list[Owner]:
    """Return the law of each list of provisions.

    In order of precedence: the words after a list, those before it, the law of the next list after a conjunction ("el
    artículo 21 y el artículo 37 de la Constitución"), the law of the prose or the only law of a question.
    """
    folded, mentions, context = citing.folded, citing.mentions, citing.context
    after = [owner_after(citing, listed.end, only_acronym_beside=not context.is_question) for listed in lists]
    owners = [owner or _owner_before(citing, listed) for owner, listed in zip(after, lists, strict=True)]
    for index in range(len(lists) - 2, -1, -1):
        following = after[index + 1]
        joined = _JOINED.fullmatch(folded, lists[index].end, lists[index + 1].start)
        if owners[index] is None and following is not None and joined:
            owners[index] = after[index] = replace(following, end=lists[index].end)
    for index, listed in enumerate(lists):
        cited = _MENTIONED.search(folded, max(0, listed.start - 15), listed.start) or _MENTIONED_AFTER.match(
            folded, listed.end
        )
        if owners[index] is None and cited:
            owners[index] = _cited_before(lists, owners, index)
    leads = _leads(folded, mentions) if not context.is_question and None in owners else []
    for index, listed in enumerate(lists):
        lead = next((lead for lead in reversed(leads) if lead.start <= listed.start < lead.end), None)
        if owners[index] is None and lead:
            owner = owner_of_mention(lead.mention) if lead.mention else Owner(None, True, listed.end)
            owners[index] = replace(owner, end=listed.end)
    default = Owner(context.law_id, False, 0, context.law_id)
    strong = {mention.law_id: mention for mention in mentions if not mention.weak}
    if context.is_question and not context.several and len(strong) == 1:
        default = owner_of_mention(*strong.values())
    return [owner or replace(default, end=listed.end) for owner, listed in zip(owners, lists, strict=True)]


def _owner_before(citing: CitingText, listed: ProvisionList) -> Owner | None:
    """Read the law before provisions: "LGSS, art. 205", "la Constitución, en su artículo 28"."""
    folded, context = citing.folded, citing.context
    before = [mention for mention in citing.mentions if mention.end <= listed.start]
    if its := _IN_ITS.search(folded, max(0, listed.start - 20), listed.start):
        sentence = max(folded.rfind(". ", 0, its.start()), 0)
        inside = [mention for mention in before if mention.start >= sentence]
        return (
            replace(owner_of_mention(inside[0]), end=listed.end) if len(inside) == 1 else Owner(None, True, listed.end)
        )
    if before and context.is_question and _AFTER_LAW.fullmatch(folded, before[-1].end, listed.start):
        return replace(owner_of_mention(before[-1]), end=listed.end)
    if not context.is_question:
        return None
    for named in _ITS_NAME.finditer(folded, before[-1].end if before else 0, listed.start):
        law = name_of_law(folded[: listed.start], named.start())
        if law and _AFTER_LAW.fullmatch(folded, law.end(), listed.start):
            return Owner(None, True, listed.end, span=law.span())
    return _owner_beyond(folded, listed.end, citing.mentions)


def _cited_before(lists: list[ProvisionList], owners: list[Owner | None], index: int) -> Owner | None:
    """Return the law with which the same article was cited before: "el citado artículo 166"."""
    again = lists[index]
    for listed, owner in reversed(list(zip(lists[:index], owners[:index], strict=True))):
        if again.items[0].number in {item.number for item in listed.items} and again.kind == listed.kind:
            return replace(owner, end=again.end) if owner else None
    return Owner(None, True, again.end)


class _Lead(NamedTuple):
    """A law whose articles are listed in ``folded[start:end]``; ``mention`` is ``None`` for an unknown one."""

    start: int
    end: int
    mention: LawMention | None


def _leads(folded: str, mentions: list[LawMention]) -> list[_Lead]:
    """Find the laws that begin an item ("De la Ley …, los artículos …") or a list ("… preceptos de la Ley …:")."""
    begins = {mention.start: mention for mention in mentions}
    leads = []
    for match in _LEAD.finditer(folded):
        mention = begins.get(match.end())
        if mention or name_of_law(folded, match.end()):
            leads.append(_Lead(match.end(), _end(folded, match.end(), match["mark"]), mention))
    for mention in mentions:
        if folded.startswith(":  ", mention.end) and _PROVISIONS_OF.search(folded, 0, mention.start):
            items = _PARAGRAPH.finditer(folded, mention.end, _end(folded, mention.end, None))
            leads += (_Lead(item.end(), item.end() + len(" los artículos"), mention) for item in items)
    return leads


def _end(folded: str, start: int, mark: str | None) -> int:
    paragraph = _PARAGRAPH.search(folded, start)
    if paragraph is None or folded[paragraph.start() - 1] != ":":
        return paragraph.start() if paragraph else len(folded)
    while paragraph and paragraph["mark"] and _numeric(paragraph["mark"]) != (_numeric(mark) if mark else None):
        paragraph = _PARAGRAPH.search(folded, paragraph.end())
    return paragraph.start() if paragraph else len(folded)


def _numeric(mark: str) -> bool:
    return mark[0].isdigit()
