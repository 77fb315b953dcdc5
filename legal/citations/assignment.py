"""Tell of which law the provisions are that a text lists, from the words around them and from one another."""

import re
from dataclasses import replace
from typing import NamedTuple

from legal.citations.anaphora import Antecedents
from legal.citations.items import ProvisionList
from legal.citations.owners import A_LAW, CitationContext, Owner, owner_after, owner_of_mention
from legal.laws.mentions import LawMention

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
