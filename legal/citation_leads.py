"""Find the laws that the articles of a list are of: "a) De la Ley 30/1984, …: 1. Los artículos 2 y 3"."""

import re
from typing import NamedTuple

from legal.laws import Mention

_MARK = r"(?P<mark>(?:\d{1,2}|[a-zñ]{1,2})(?:\.?[ªº]|\.-|[.)])\s+)?"
# Folded paragraphs are two blanks apart.
_LEAD = re.compile(rf"(?:^|  |:\s){_MARK}(?:de\s+la|del)\s+(?=\w)")
_PROVISIONS_OF = re.compile(r"(?:preceptos|articulos|disposiciones)\b[^.;:]{0,60}\s(?:de\s+la|del)\s+$")
_PARAGRAPH = re.compile(rf"  +{_MARK}")


class Lead(NamedTuple):
    """A law whose articles are listed in ``folded[start:end]``; ``mention`` is ``None`` for an unknown one."""

    start: int
    end: int
    mention: Mention | None


def leads(folded: str, mentions: list[Mention], unknown: re.Pattern[str]) -> list[Lead]:
    """Find the laws that begin an item ("De la Ley …, los artículos …") or a list ("… preceptos de la Ley …:").

    Of such a list only the articles that begin an item are of that law. ``unknown`` tells where the name of a law that
    is in no registry begins.
    """
    begins = {mention.start: mention for mention in mentions}
    found = []
    for lead in _LEAD.finditer(folded):
        mention = begins.get(lead.end())
        if mention or unknown.match(folded, lead.end()):
            found.append(Lead(lead.end(), _end(folded, lead.end(), lead["mark"]), mention))
    for mention in mentions:
        if folded.startswith(":  ", mention.end) and _PROVISIONS_OF.search(folded, 0, mention.start):
            items = _PARAGRAPH.finditer(folded, mention.end, _end(folded, mention.end, None))
            found += (Lead(item.end(), item.end() + len(" los artículos"), mention) for item in items)
    return found


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
