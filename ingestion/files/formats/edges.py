"""Find what a document prints at the head or the foot of its pages: running titles, page numbers, stamps."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from legal.labels import split_heading

_NUMBER = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_PAGE_OF = re.compile(r"(?:página|pág\.?)\s*\d{1,5}(?:\s*(?:de|/)\s*\d{1,5})?", re.IGNORECASE)
_EDGE = 6
"""Lines at the head of a page, and at its foot, that may be no text."""

_FEWEST_PAGES = 3
"""Pages on which a line must stand to be one that the document prints on its pages."""

_SHARE = 0.4
"""Share of the pages on which it must stand: what stands only on even or odd ones is on less than half."""


def without_edges(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the lines of each page without its running head and foot.

    A line goes if it is at the edge of its page, stands the same at the edge of many others (but for a number that
    counts the pages), and is no heading of a provision.
    """
    counted: Counter[str] = Counter()
    for number, lines in enumerate(pages):
        edges = {line for line in (*lines[:_EDGE], *lines[-_EDGE:]) if line}
        counted.update({key for line in edges for key in _keys(line, number)})
    fewest = max(_FEWEST_PAGES, _SHARE * len(pages))
    printed = {key for key, count in counted.items() if count >= fewest}
    return [_within(lines, number, printed) for number, lines in enumerate(pages)]


def _keys(line: str, page: int) -> Iterator[str]:
    """Yield the line, and what it is on every page if one of its numbers counts the pages."""
    yield line
    for number in _NUMBER.finditer(line):
        yield f"{line[: number.start()]}\0{int(number[0]) - page}\0{line[number.end() :]}"


def _within(lines: Sequence[str], page: int, printed: set[str]) -> list[str]:
    first, last = 0, len(lines)
    while first < min(last, _EDGE) and _goes(lines[first], page, printed):
        first += 1
    while last > max(first, len(lines) - _EDGE) and _goes(lines[last - 1], page, printed):
        last -= 1
    return list(lines[first:last])


def _goes(line: str, page: int, printed: set[str]) -> bool:
    if not line or _PAGE_OF.fullmatch(line):
        return True
    return split_heading(line) is None and any(key in printed for key in _keys(line, page))
