"""Read the text layer of a PDF, page by page, and the tables in it."""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.language.translation import translate
from articulado.legal.labels import split_heading
from articulado.values.errors import InvalidInput
from ingestion.files.formats.lines import clean, compounds, rebuilt_paragraphs, width_of
from ingestion.files.formats.pdf_tables import Line, page_contents
from ingestion.files.formats.source import PDF, other_format
from ingestion.files.formats.tables import Table
from ingestion.model import FileText, Page

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
