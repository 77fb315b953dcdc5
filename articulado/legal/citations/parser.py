"""Parse the provisions cited in questions ("art. 48 bis del ET", "LGSS 205") and in the prose of laws.

``parse_citations`` returns the citations in order of appearance. ``owners_of`` assigns a law to each list
of provisions, from the words around it and from the other lists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.legal.citations.items import (
    Item,
    ProvisionList,
    named_subdivision,
    read_items,
    read_provision_list,
    words_before,
)
from articulado.legal.citations.owners import A_LAW, Antecedents, CitationContext, Owner, owner_after, owner_of_mention
from articulado.legal.labels import ADJECTIVES, CUT_ADJECTIVES, INITIALS, disposition_kind, units_in
from articulado.legal.laws.mentions import LawMention, mentions_in

_MARK = r"(?P<mark>(?:\d{1,2}|[a-zñ]{1,2})(?:\.?[ªº]|\.-|[.)])\s+)?"
# Folded paragraphs are two blanks apart.
_LEAD = re.compile(rf"(?:^|  |:\s){_MARK}(?:de\s+la|del)\s+(?=\w)")
_PROVISIONS_OF = re.compile(r"(?:preceptos|articulos|disposiciones)\b[^.;:]{0,60}\s(?:de\s+la|del)\s+$")
_PARAGRAPH = re.compile(rf"  +{_MARK}")
_CITED = re.compile(r"(?:citad|mencionad|referid|indicad|aludid|expresad|repetid)[oa]s?\s+$")
# "El artículo 6 mencionado en el párrafo anterior", but not "el artículo 6, mencionado en el artículo 3".
_CITED_AFTER = re.compile(
    r"\s+(?:(?:antes|ya|anteriormente)\s+)?(?:citad|mencionad|aludid)[oa]s?\b"
    r"(?!\s+(?:en|por)\s+(?:el|la|los|las)\s+(?:articulo|disposicion))"
)
_AFTER_LAW = re.compile(r"\s*[,:(;–-]?\s*(?:(?:en\s+)?(?:el|los|la|las|sus?)\s+)?")
_IN_ITS = re.compile(r"\bsus?\s+(?:propi[oa]s?\s+)?$")
_JOINED = re.compile(
    r"\s*,?\s*(?:(?:y|e|o|u|ni|asi como|y/o)\s+)?(?:tambien\s+)?(?:(?:en|de|a|con|por|segun)\s+)?"
    r"(?:(?:el|la|los|las|del|al)\s+)?"
)


def owners_of(
    folded: str,
    lists: list[ProvisionList],
    mentions: list[LawMention],
    context: CitationContext,
    antecedents: Antecedents,
) -> list[Owner]:
    """Return the law of each list of provisions, in their order.

    What follows a list decides, then what precedes it, then the law of the next list if only a conjunction is between
    ("el artículo 21 y el artículo 37 de la Constitución"), then the law whose prose it is. A question that names one
    law only is about that law.
    """
    after = [
        owner_after(folded, listed.end, mentions, context, antecedents, only_acronym_beside=not context.is_question)
        for listed in lists
    ]
    owners = [
        owner or _owner_before(folded, listed, mentions, context) for owner, listed in zip(after, lists, strict=True)
    ]
    for index in range(len(lists) - 2, -1, -1):
        following = after[index + 1]
        joined = _JOINED.fullmatch(folded, lists[index].end, lists[index + 1].start)
        if owners[index] is None and following is not None and joined:
            owners[index] = after[index] = replace(following, end=lists[index].end)
    for index, listed in enumerate(lists):
        cited = _CITED.search(folded, max(0, listed.start - 15), listed.start) or _CITED_AFTER.match(folded, listed.end)
        if owners[index] is None and cited:
            owners[index] = _cited_before(lists, owners, index)
    leads = _leads(folded, mentions) if not context.is_question and None in owners else []
    for index, listed in enumerate(lists):
        lead = next((lead for lead in reversed(leads) if lead.start <= listed.start < lead.end), None)
        if owners[index] is None and lead:
            owner = owner_of_mention(lead.mention) if lead.mention else Owner(None, True, listed.end)
            owners[index] = replace(owner, end=listed.end)
    strong = {mention.law_id for mention in mentions if not mention.weak}
    alone = strong.pop() if context.is_question and not context.several and len(strong) == 1 else None
    default = Owner(context.law_id or alone, alone is not None, 0, context.law_id or alone)
    return [owner or replace(default, end=listed.end) for owner, listed in zip(owners, lists, strict=True)]


def _owner_before(
    folded: str, listed: ProvisionList, mentions: list[LawMention], context: CitationContext
) -> Owner | None:
    """Read whose provisions they are from what precedes: "LGSS, art. 205", "la Constitución, en su artículo 28"."""
    before = [mention for mention in mentions if mention.end <= listed.start]
    if its := _IN_ITS.search(folded, max(0, listed.start - 20), listed.start):
        sentence = max(folded.rfind(". ", 0, its.start()), 0)
        inside = [mention for mention in before if mention.start >= sentence]
        return (
            replace(owner_of_mention(inside[0]), end=listed.end) if len(inside) == 1 else Owner(None, True, listed.end)
        )
    if before and context.is_question and _AFTER_LAW.fullmatch(folded, before[-1].end, listed.start):
        return replace(owner_of_mention(before[-1]), end=listed.end)
    return None


def _cited_before(lists: list[ProvisionList], owners: list[Owner | None], index: int) -> Owner | None:
    """Return the law of "el citado artículo 166": the one that the same article was cited with before."""
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
    """Find the laws that begin an item ("De la Ley …, los artículos …") or a list ("… preceptos de la Ley …:").

    Of such a list only the articles that begin an item are of that law.
    """
    begins = {mention.start: mention for mention in mentions}
    leads = []
    for match in _LEAD.finditer(folded):
        mention = begins.get(match.end())
        if mention or A_LAW.match(folded, match.end()):
            leads.append(_Lead(match.end(), _end(folded, match.end(), match["mark"]), mention))
    for mention in mentions:
        if folded.startswith(":  ", mention.end) and _PROVISIONS_OF.search(folded, 0, mention.start):
            items = _PARAGRAPH.finditer(folded, mention.end, _end(folded, mention.end, None))
            leads += (_Lead(item.end(), item.end() + len(" los artículos"), mention) for item in items)
    return leads


def _end(folded: str, start: int, mark: str | None) -> int:
    """Return the end of the paragraph, or where it ends in a colon, of the list below it."""
    paragraph = _PARAGRAPH.search(folded, start)
    if paragraph is None or folded[paragraph.start() - 1] != ":":
        return paragraph.start() if paragraph else len(folded)
    while paragraph and paragraph["mark"] and _numeric(paragraph["mark"]) != (_numeric(mark) if mark else None):
        paragraph = _PARAGRAPH.search(folded, paragraph.end())
    return paragraph.start() if paragraph else len(folded)


def _numeric(mark: str) -> bool:
    return mark[0].isdigit()


_NUMERO = r"(?:\s*(?:numero|num\.?|n\.?\s?º)(?=\s*\d))?"


def _head_pattern(bare: str, annex: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:(?P<art>(?:articulos?(?=\s)|art\.?º\s?|arti?c?\.\s?|arts\.\s?|arts?\s|art(?=\d)){_NUMERO})"
        rf"|disposicion(?:es)?\s+(?P<disp>{ADJECTIVES})(?:e?s)?"
        rf"|disp(?:osic)?(?:\.\s?|\s)(?P<short>{CUT_ADJECTIVES})[a-z]*\.?"
        rf"|(?P<bare>{bare})|(?P<annex>{annex})"
        rf"|(?P<initials>d\.?\s?[{INITIALS}][.ªº]*)(?=\s?(?:\d{{1,2}}(?!\d)|[ivxl]+\b|[a-z]+a\b)))"
    )


_HEAD = _head_pattern("(?!)", "(?!)")
_QUESTION_HEAD = _head_pattern(rf"(?:(?<!\w )|(?<=\bla ))(?!final)(?:{ADJECTIVES})(?=\s)", r"anexos?\b")
"""People leave out the word "disposición" ("la adicional 23 del ET"), and ask for annexes, which laws do not cite; but
"final" alone says nothing."""

_CONTINUED = re.compile(r"\s*,?\s+(?:y|e|o|u)\s+(?:(?:en|de|a)\s+)?(?:(?:el|los|del|al)\s+)?(?=\d)")
# "… 9.2 de la Ley 42/1997, de 14 de noviembre, ordenadora de la Inspección de Trabajo, y 79 del texto refundido…"
_CONTINUED_AFTER_TITLE = re.compile(r",\s+[^.,;:()\d]{3,150},\s+(?:y|e)\s+(?=\d)")
_NEIGHBOUR = re.compile(
    rf"(?<![\w.])(?:articulo|disposicion (?:{ADJECTIVES}))\s+(?:inmediato\s+|inmediatamente\s+)?"
    r"(?:(?P<previous>anterior|precedente)|(?P<following>siguiente|posterior))\b"
)
# "En la disposición transitoria y …": there is only one.
_SOLE = re.compile(r"\s*[,;.)]|\s+[yo]\s|\s+(?:del|de\s+(?:la|esta|este))\s")
_BARE = re.compile(r"[\s,:-]*(?=\d)")
_THE_NUMBER = re.compile(r"(?:^|(?<!\w)(?:el|del|los|al|y|e|o)\s+|,\s+)(?=\d)")


@dataclass(frozen=True)
class Citation:
    """A provision cited in ``text[start:end]``; all provisions of a range "44 a 47" but the first share a span.

    ``law_id`` is ``None`` where the text names no law (in a question), and where it names one that the registry does
    not know; ``law_named`` tells the two apart. ``current_id`` is the law in which the same article is read today: the
    successor where the law that the text names was replaced by one that kept the numbers, else that law.
    """

    start: int
    end: int
    law_id: str | None
    provision_key: str
    apartado: str | None = None
    letter: str | None = None
    law_named: bool = False
    current_id: str | None = None


def parse_citations(text: str, context: CitationContext | None = None) -> list[Citation]:
    """Find all provisions that a text cites, in order of appearance.

    In prose of a law an article without a law is of that law; in a question it is of none. "Apartado anterior" and
    "párrafo anterior" are the same provision and no citation.

    >>> [(citation.law_id, citation.provision_key) for citation in parse_citations("arts. 38 y 48 bis del ET")]
    [('BOE-A-2015-11430', 'art:38'), ('BOE-A-2015-11430', 'art:48 bis')]
    """
    context = context or CitationContext()
    folded = fold(text)
    mentions = mentions_in(text, folded, context.day, literal=not context.is_question)
    antecedents = Antecedents(folded, mentions, context.law_id)
    heads = (_QUESTION_HEAD if context.is_question else _HEAD).finditer(folded)
    lists = [provisions for head in heads if (provisions := _provisions_after(text, folded, head, context))]
    owners = owners_of(folded, lists, mentions, context, antecedents)
    # An annex counts only where its law is named: "anexo I" alone may be that of a form.
    owned = [pair for pair in zip(lists, owners, strict=True) if pair[0].kind != "anexo" or pair[1].named]
    citations = [_citation(item, provisions.kind, owner) for provisions, owner in owned for item in provisions.items]
    citations += _continued(folded, owners, mentions, context, antecedents)
    if context.previous or context.following:
        citations += _neighbours(folded, context)
    if context.is_question:
        spans = [(provisions.start, provisions.end) for provisions in lists]
        spans += [(citation.start, citation.end) for citation in citations]
        citations += _bare(folded, mentions, spans, context, antecedents)
        citations += _units(folded, owners, mentions, context, antecedents)
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


def _kind_of(head: re.Match[str]) -> str:
    """Return the kind of what a head announces as provision keys write it, such as ``art`` or ``da``."""
    if head["art"]:
        return "art"
    if head["annex"]:
        return "anexo"
    adjective = head["disp"] or head["short"] or head["bare"]
    return disposition_kind(adjective or head["initials"].replace("d", "", 1).strip(". ªº") or "d")


def _provisions_after(text: str, folded: str, head: re.Match[str], context: CitationContext) -> ProvisionList | None:
    kind = _kind_of(head)
    provisions = read_provision_list(folded, head, kind)
    if provisions is None:
        return _sole(folded, head, kind, context)
    if not head["initials"]:
        return provisions
    # "da" is also a verb: small initials count only before a number written "7ª".
    ordinal = "ª" in folded[head.start() : provisions.end]
    return provisions if text[head.start() : head.end()].strip().isupper() or ordinal else None


def _sole(folded: str, head: re.Match[str], kind: str, context: CitationContext) -> ProvisionList | None:
    """Read "la disposición transitoria" of a law's prose, or "el anexo" of a question: there is only one."""
    if context.is_question:
        number, alone = "unico", head[0] == "anexo"
    else:
        number = "unica"
        alone = bool(head["disp"]) and head[0].endswith(head["disp"]) and folded.endswith("la ", 0, head.start())
    if not alone or not _SOLE.match(folded, head.end()):
        return None
    return ProvisionList(kind, head.start(), (Item(number, head.start(), head.end()),), head.end())


def _citation(item: Item, kind: str, owner: Owner) -> Citation:
    return Citation(
        item.start,
        item.end,
        owner.law_id,
        f"{kind}:{item.number}",
        item.apartado,
        item.letter,
        law_named=owner.named,
        current_id=owner.current_id,
    )


def _continued(
    folded: str, owners: list[Owner], mentions: list[LawMention], context: CitationContext, antecedents: Antecedents
) -> Iterator[Citation]:
    """Read "… 6 y 7 de esta ley y 75.7 del Estatuto": numbers after a law that have a law of their own."""
    for owner in owners:
        position = owner.end
        while (joined := _CONTINUED.match(folded, position) or _CONTINUED_AFTER_TITLE.match(folded, position)) and (
            listed := read_items(folded, joined.end(), "art", plural=True)
        ):
            items, end = listed
            following = owner_after(folded, end, mentions, context, antecedents, only_acronym_beside=True)
            if following is None:
                break
            yield from (_citation(item, "art", following) for item in items)
            position = following.end


def _neighbours(folded: str, context: CitationContext) -> Iterator[Citation]:
    for match in _NEIGHBOUR.finditer(folded):
        key = context.previous if match["previous"] else context.following
        if key and context.law_id:
            words = words_before(folded, match.start())
            apartado, letter = named_subdivision(words[0]) if words else (None, None)
            yield Citation(match.start(), match.end(), context.law_id, key, apartado, letter, current_id=context.law_id)


def _units(
    folded: str, owners: list[Owner], mentions: list[LawMention], context: CitationContext, antecedents: Antecedents
) -> Iterator[Citation]:
    """Read "el apartado segundo de la Resolución de…": the registry has no norms without articles.

    Where an article is of the same law ("artículo 5, apartado 2, de la Orden…"), the unit is a place in that.
    """
    ends = {owner.end for owner in owners if owner.named}
    for start, end, key in units_in(folded):
        owner = owner_after(folded, end, mentions, context, antecedents, only_acronym_beside=True)
        if owner and owner.named and owner.law_id is None and owner.end not in ends:
            yield Citation(start, end, None, key, law_named=True)


def _bare(
    folded: str,
    mentions: list[LawMention],
    spans: list[tuple[int, int]],
    context: CitationContext,
    antecedents: Antecedents,
) -> Iterator[Citation]:
    """Read "LGSS 205" and "el 38 del ET": a number beside the name of a law, outside of the spans already read."""
    taken = {position for start, end in spans for position in range(start, end)}
    for number in _THE_NUMBER.finditer(folded):
        listed = read_items(folded, number.end(), "art", plural=True) if number.end() not in taken else None
        owner = (
            owner_after(folded, listed[1], mentions, context, antecedents, only_acronym_beside=True) if listed else None
        )
        if listed and owner and owner.law_id:
            yield from (_citation(item, "art", owner) for item in listed[0])
            taken.update(range(number.end(), owner.end))
    for mention in mentions:
        beside = _BARE.match(folded, mention.end)
        if beside is None or beside.end() in taken or "/" in folded[mention.start : mention.end]:
            continue
        listed = read_items(folded, beside.end(), "art", plural=True)
        owner = owner_of_mention(mention)
        yield from (_citation(item, "art", owner) for item in (listed[0] if listed else []))
