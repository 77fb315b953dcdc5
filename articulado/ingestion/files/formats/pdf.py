"""Reader of the text layer of a PDF: numbered pages, rebuilt paragraphs, and tables.

``read`` removes running heads and feet, and joins lines to paragraphs. A table is one paragraph with one
row per line; its head is repeated on the next page. Image pages are named in a warning. ``read`` raises
``InvalidInput`` for a damaged or locked file and for a PDF without a readable text layer.
"""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.aligned import Region, Word, aligned_tables
from articulado.ingestion.files.formats.lines import clean, compounds, rebuilt_paragraphs, width_of
from articulado.ingestion.files.formats.source import PDF, Table, other_format, table_of
from articulado.ingestion.model import FileText, Page
from articulado.language.translation import translate
from articulado.legal.labels import split_heading
from articulado.values.errors import InvalidInput

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


_NUMBER = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_PAGE_OF = re.compile(r"(?:página|pág\.?)\s*\d{1,5}(?:\s*(?:de|/)\s*\d{1,5})?", re.IGNORECASE)
_EDGE = 6
"""Lines at the head of a page, and at its foot, that may be no text."""

_MIN_PAGES = 3
"""Pages on which a line must stand to be one that the document prints on its pages."""

_MIN_SHARE = 0.4
"""Share of the pages on which it must stand: what stands only on even or odd ones is on less than half."""

_MAX_UNREADABLE = 0.1
"""Share of characters without meaning above which a text layer is of no use."""


def read(path: Path) -> FileText:
    """Return the pages, numbered from 1; running heads and feet are left out, and paragraphs rebuilt from lines.

    A table is one paragraph with a row a line; where it goes on over the page, its head is repeated there. Pages that
    are images are named in a warning.

    Raises:
        InvalidInput: the file cannot be read, is damaged, locked by a password, or has no text layer that can be read.
    """
    data = read_bytes(path)
    if PDF not in data[:1024]:
        raise other_format(path, data)
    title, texts = _texts(path, data)
    contents = page_contents(data, texts)
    pages = _with_heads(without_running_heads([content.lines for content in contents]))
    _check_text(path, pages)
    lines = [line for page in pages for line in page if isinstance(line, str)]
    width, hyphenated = width_of(lines), compounds(lines)
    rebuilt = (tuple(_paragraphs(page, width, hyphenated)) for page in pages)
    scanned = [number for number, content in enumerate(contents, 1) if content.has_images and not pages[number - 1]]
    failed = [number for number, content in enumerate(contents, 1) if not content.tables_read]
    problems = (("file.pdf_images", scanned), ("file.pdf_tables", failed))
    warnings = [translate(key, pages=_numbers(numbers)) for key, numbers in problems if numbers]
    return FileText(
        tuple(Page(number, paragraphs) for number, paragraphs in enumerate(rebuilt, 1)), title, tuple(warnings)
    )


def _texts(path: Path, data: bytes) -> tuple[str, list[str]]:
    """Return the title in the properties of a file, and the text of each page.

    Raises:
        InvalidInput: the file is damaged, locked by a password, or has no page.
    """
    with importing("documents"):
        from pypdf import PdfReader

    # It logs every small defect of a file that it can read nonetheless.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        # Many official files are encrypted, against changes only: the empty password opens them.
        locked = reader.is_encrypted and not reader.decrypt("")
        texts = [] if locked else [page.extract_text() for page in reader.pages]
        title = "" if locked or reader.metadata is None else clean(str(reader.metadata.title or ""))
    except Exception as error:  # A damaged file fails in every way that there is.
        if b"/Encrypt" in data:
            raise _locked(path) from error
        raise InvalidInput(translate("file.pdf_damaged", path=path)) from error
    if locked:
        raise _locked(path)
    if not texts:
        raise InvalidInput(translate("file.pdf_empty", path=path))
    return title, texts


def _with_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages; a table without a head that goes on from the page before has the head of the one there."""
    filled = [[line for line in page if line] for page in pages]
    for before, page in pairwise(filled):
        last, first = before[-1:], page[:1]
        if last and first and isinstance(last[0], Table) and isinstance(first[0], Table):
            page[0] = first[0].below(last[0])
    return filled


def _paragraphs(page: Sequence[Line], width: int, hyphenated: frozenset[str]) -> Iterator[str]:
    for is_table, group in groupby(page, key=lambda line: isinstance(line, Table)):
        if is_table:
            yield from (line.text() for line in group if isinstance(line, Table))
        else:
            yield from rebuilt_paragraphs([line for line in group if isinstance(line, str)], width, hyphenated)


def _numbers(pages: Sequence[int]) -> str:
    """Write the numbers of pages, those that follow each other as one: "3, 7–9"."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _locked(path: Path) -> InvalidInput:
    return InvalidInput(translate("file.pdf_encrypted", path=path))


def _check_text(path: Path, pages: Sequence[Sequence[Line]]) -> None:
    """Refuse pages without text, and text that is none.

    Raises:
        InvalidInput: the document is an image, or its fonts do not say which characters they draw.
    """
    text = "".join(line if isinstance(line, str) else line.text() for page in pages for line in page)
    if not text:
        raise InvalidInput(
            translate(
                "file.pdf_scanned",
                path=path,
                pages=translate("file.page" if len(pages) == 1 else "file.pages", number=len(pages)),
            )
        )
    strange = sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" for character in text)
    if strange > _MAX_UNREADABLE * len(text):
        raise InvalidInput(translate("file.pdf_fonts", path=path))


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the lines of each page without its running head and foot.

    A line goes if it is at the edge of its page, stands the same at the edge of many others (but for a number that
    counts the pages), and is no heading of a provision.
    """
    counted: Counter[str] = Counter()
    for number, lines in enumerate(pages):
        edges = {line for line in (*lines[:_EDGE], *lines[-_EDGE:]) if line and isinstance(line, str)}
        counted.update({key for line in edges for key in _keys(line, number)})
    minimum = max(_MIN_PAGES, _MIN_SHARE * len(pages))
    printed = {key for key, count in counted.items() if count >= minimum}
    return [_inner_lines(lines, number, printed) for number, lines in enumerate(pages)]


def _keys(line: str, page: int) -> Iterator[str]:
    """Yield the line, and what it is on every page if one of its numbers counts the pages."""
    yield line
    for number in _NUMBER.finditer(line):
        yield f"{line[: number.start()]}\0{int(number[0]) - page}\0{line[number.end() :]}"


def _inner_lines(lines: Sequence[Line], page: int, printed: set[str]) -> list[Line]:
    first, last = 0, len(lines)
    while first < min(last, _EDGE) and _is_running_head(lines[first], page, printed):
        first += 1
    while last > max(first, len(lines) - _EDGE) and _is_running_head(lines[last - 1], page, printed):
        last -= 1
    return list(lines[first:last])


def _is_running_head(line: Line, page: int, printed: set[str]) -> bool:
    if isinstance(line, Table):
        return False
    if not line or _PAGE_OF.fullmatch(line):
        return True
    return split_heading(line) is None and any(key in printed for key in _keys(line, page))
