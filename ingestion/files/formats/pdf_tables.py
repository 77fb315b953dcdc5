"""Read a page of a PDF that has tables: its lines in the order of the file, and each table where it stands."""

import io
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from articulado.config.extras import importing
from ingestion.files.formats.aligned import Region, Word, aligned_tables
from ingestion.files.formats.lines import clean
from ingestion.files.formats.tables import Table, table_of

if TYPE_CHECKING:
    from pdfplumber.page import Page as PrintedPage

_MIN_FILLED = 0.4
"""Share of the cells between rules that have text: a frame around something else has less."""

_LINE = 0.5
"""Share of the height of a word by which the next one of a line may stand higher or lower."""

_SPACE = 0.15
"""Share of the height of a word that parts it from the next."""


Line = str | Table
"""A line of a page, or a table between its lines."""


class PageContent(NamedTuple):
    """The lines of a page, cleaned, whether there are images on it, and whether its tables could be looked for."""

    lines: Sequence[Line]
    has_images: bool = False
    tables_read: bool = True


class PrintedTable(NamedTuple):
    """A table and the part of the page that it covers, in points from above left."""

    table: Table
    region: Region


def page_contents(data: bytes, texts: Sequence[str]) -> list[PageContent]:
    """Return what is on each page; ``texts`` are the texts of the pages, which stand for those without a table."""
    with importing("documents"):
        import pdfplumber

    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
    contents = []
    with pdfplumber.open(io.BytesIO(data), password="") as document:
        for page, text in zip(document.pages, texts, strict=True):
            lines = [clean(line) for line in text.splitlines()]
            try:
                contents.append(PageContent(_with_tables(page, lines) or lines, bool(page.images)))
            except Exception:  # A defect of the file that the reader of its text overlooks.
                contents.append(PageContent(lines, tables_read=False))
            page.close()
    return contents


def _with_tables(page: "PrintedPage", lines: Sequence[str]) -> list[Line]:
    """Return the lines and the tables of a page in the order in which the file has them; nothing without a table.

    ``lines`` are those of the page as they are broken on the pages without tables.
    """
    words = _words(page)
    printed = list(_ruled(page, words))
    outside = [word for word in words if not any(table.region.holds(word) for table in printed)]
    printed += [PrintedTable(table_of(rows), region) for rows, region in aligned_tables(outside)]
    return [piece for line in _in_order(words, printed) for piece in _broken(line, frozenset(lines))] if printed else []


def _words(page: "PrintedPage") -> list[Word]:
    """Return the words in the order of the file; behind them those that are printed from below to above."""
    upright = page.filter(_is_upright).extract_words(use_text_flow=True, x_tolerance_ratio=_SPACE)
    # In the order of the file the library reads all letters as if they went from left to right.
    rotated = page.filter(lambda thing: not _is_upright(thing)).extract_words(
        char_dir_rotated="btt", line_dir_rotated="ltr"
    )
    return [
        Word(word["text"], word["x0"], word["top"], word["x1"], word["bottom"], word["upright"])
        for word in (*upright, *rotated)
    ]


def _is_upright(thing: dict[str, Any]) -> bool:
    return bool(thing.get("upright", True))


def _ruled(page: "PrintedPage", words: Sequence[Word]) -> Iterator[PrintedTable]:
    """Yield the tables whose cells stand between rules; the words of a cell go in the order of the file."""
    for found in page.find_tables():
        inside = [word for word in words if Region(*found.bbox).holds(word)]
        cells = [[_cell(box, inside) for box in row.cells] for row in found.rows]
        table = table_of(cells)
        filled = sum(cell != "" for row in cells for cell in row)
        if table.width > 1 and len(table.rows) + bool(table.head) > 1 and filled >= _MIN_FILLED * sum(map(len, cells)):
            yield PrintedTable(table, Region(*found.bbox))


def _cell(box: tuple[float, float, float, float] | None, words: Sequence[Word]) -> str:
    """Return the text between four rules; where a cell goes on over rules that are not there, it has no box."""
    return clean(" ".join(word.text for word in words if Region(*box).holds(word))) if box else ""


def _in_order(words: Sequence[Word], printed: Sequence[PrintedTable]) -> Iterator[Line]:
    """Yield the lines outside the tables, and each table where the file has its first word."""
    line: list[Word] = []
    begun: set[int] = set()
    for word in words:
        inside = next((index for index, table in enumerate(printed) if table.region.holds(word)), None)
        if inside is not None:
            if inside not in begun:
                yield from _closed(line)
                line = []
                begun.add(inside)
                yield printed[inside].table
            continue
        if line and not _same_line(line[-1], word):
            yield from _closed(line)
            line = []
        line.append(word)
    yield from _closed(line)


def _broken(line: Line, lines: frozenset[str]) -> Iterator[Line]:
    """Yield a line as the lines that it consists of: a name and the number of the page at the two ends of a head."""
    if isinstance(line, str):
        while line not in lines and (cut := _first_line(line, lines)):
            yield line[:cut]
            line = line[cut + 1 :]
    yield line


def _first_line(line: str, lines: frozenset[str]) -> int:
    return next((at for at, character in enumerate(line) if character == " " and line[:at] in lines), 0)


def _same_line(before: Word, word: Word) -> bool:
    if not (before.upright and word.upright):
        return before.upright == word.upright and abs(word.left - before.left) <= _LINE * (before.right - before.left)
    return abs(word.middle - before.middle) <= _LINE * before.height and word.left >= before.left


def _closed(line: Sequence[Word]) -> Iterator[str]:
    if text := clean(" ".join(word.text for word in line)):
        yield text
