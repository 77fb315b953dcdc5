"""Reader of PDF: numbered pages, rebuilt paragraphs, tables, form fields, and warnings of unread content."""

import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.added_text import RECOGNISED, lacking
from articulado.ingestion.files.formats.lines import (
    clean,
    compounds,
    goes_on,
    joined,
    rebuilt_paragraphs,
    spanish_part,
    width_of,
)
from articulado.ingestion.files.formats.printed_page import Line, PageContent, PrintedLine, page_contents
from articulado.ingestion.files.formats.source import PDF, Table, other_format
from articulado.ingestion.model import FileText, Page
from articulado.language.formats import gaps_in
from articulado.language.translation import translate
from articulado.legal.labels import split_heading
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from pypdf import PdfReader

_NUMBER = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_PAGE_OF = re.compile(r"(?:página|pág\.?)\s*\d{1,5}(?:\s*(?:de|/)\s*\d{1,5})?", re.IGNORECASE)
_COUNT = re.compile(
    r"(?:^|[\s|·,;–—-])(?:(?:página|pág\.?|pag\.?|hoja|folio|page)\s*(?P<named>\d{1,5})(?:\s*(?:de|of|/)\s*(?P<all>\d{1,5}))?"
    r"|(?P<bare>\d{1,5})\s*(?:de|/)\s*(?P<total>\d{1,5}))[\s.|–—-]*$",
    re.IGNORECASE,
)
"""Page count at the end of a line in the margin."""

_EDGE = 6  # lines at the head and foot of a page that may be running heads
_MIN_PAGES = 3  # minimum pages with a running head
_MIN_SHARE = 0.4  # minimum share of pages: one printed only on even or odd pages is on less than half
_LONGEST = 80  # characters of oblique text quoted in a warning
_MAX_UNREADABLE = 0.1  # share of meaningless characters above which a text layer is useless


def read(path: Path) -> FileText:
    """Return the visible text of the pages, numbered from 1, without running heads and feet, as paragraphs.

    A table is one paragraph with one row per line; its head is repeated on the next page. Of a bilingual text only the
    Spanish one is read. Warnings name the pages with content left out, not read, or recognised on an image.
    Raises ``InvalidInput`` if the file cannot be read, is damaged, locked by a password, or has no readable text.
    """
    data = read_bytes(path)
    if PDF not in data[:1024]:
        raise other_format(path, data)
    reader, title = _opened(path, data)
    try:
        contents = list(page_contents(data, reader))
    except Exception as error:  # a damaged file may fail anywhere
        raise InvalidInput(translate("file.pdf_damaged", path=path)) from error
    pages = _with_heads(without_running_heads([content.lines for content in contents]))
    _check_text(path, pages)
    lines = [line.text for page in pages for line in page if isinstance(line, PrintedLine)]
    width, hyphenated = width_of(lines), compounds(lines)
    # Rests of lines with hidden words are no paragraphs.
    rebuilt = [
        [paragraph for paragraph in _paragraphs(page, width, hyphenated) if _says_something(paragraph)]
        for page in pages
    ]
    kept, languages = spanish_part(rebuilt)
    foreign = [content.languages | languages.get(number, set()) for number, content in enumerate(contents)]
    marked = [
        list(_with_marks(paragraphs)) if content.recognised == "now" else paragraphs
        for paragraphs, content in zip(kept, contents, strict=True)
    ]
    return FileText(
        tuple(Page(number, tuple(paragraphs)) for number, paragraphs in enumerate(marked, 1)),
        title,
        tuple(_warnings(contents, foreign)),
    )


def _says_something(paragraph: str) -> bool:
    """Tell if a paragraph has a letter or a digit, or is a rule of a header block ("---")."""
    return any(map(str.isalnum, paragraph)) or not paragraph.strip("- ")


def _opened(path: Path, data: bytes) -> tuple["PdfReader", str]:
    with importing("documents"):
        from pypdf import PdfReader

    # pypdf logs every small defect of a readable file.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        # Many official files are encrypted only against changes: the empty password opens them.
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
        title = "" if locked or reader.metadata is None else clean(str(reader.metadata.title or ""))
    except Exception as error:  # a damaged file may fail anywhere
        if b"/Encrypt" in data:
            raise _locked(path) from error
        raise InvalidInput(translate("file.pdf_damaged", path=path)) from error
    if locked:
        raise _locked(path)
    if not count:
        raise InvalidInput(translate("file.pdf_empty", path=path))
    return reader, title


_TOLD: Sequence[tuple[str, Callable[[PageContent], bool]]] = (
    ("file.pdf_images", lambda content: content.is_picture),
    ("file.pdf_pictures", lambda content: content.lost_picture),
    ("file.pdf_formulas", lambda content: content.lost_formula),
    ("file.pdf_recognised", lambda content: content.recognised == "now" or content.recognised_pictures),
    ("file.pdf_layer", lambda content: content.recognised == "before"),
    ("file.pdf_tables", lambda content: not content.tables_read),
    ("file.pdf_sideways", lambda content: content.lost_table),
    ("file.pdf_hidden_notes", lambda content: content.hidden_notes > 0),
)
"""Messages about pages, each with the test for the pages it names."""

_RECOGNISABLE = ("file.pdf_images", "file.pdf_pictures")
"""Messages about images, which are read if recognition is installed."""


def _warnings(contents: Sequence[PageContent], foreign: Sequence[set[str]]) -> Iterator[str]:
    for key, is_told in _TOLD:
        if numbers := [number for number, content in enumerate(contents, 1) if is_told(content)]:
            message = translate(key, pages=_numbers(numbers))
            yield f"{message} {lacking()}".strip() if key in _RECOGNISABLE else message
    if hidden := [(number, content.hidden) for number, content in enumerate(contents, 1) if content.hidden]:
        counts = "; ".join(translate("file.pdf_hidden_page", page=number, count=count) for number, count in hidden)
        yield translate("file.pdf_hidden", counts=counts)
    across: dict[str, list[int]] = {}
    for number, content in enumerate(contents, 1):
        if content.across:
            across.setdefault(content.across, []).append(number)
    for text, numbers in across.items():
        yield translate("file.pdf_across", text=text[:_LONGEST], pages=_numbers(numbers))
    if numbers := [number for number, languages in enumerate(foreign, 1) if languages]:
        yield translate("file.pdf_languages", pages=_numbers(numbers))


def _with_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    filled = [[line for line in page if isinstance(line, Table) or line.text] for page in pages]
    for before, page in pairwise(filled):
        last, first = before[-1:], page[:1]
        if last and first and isinstance(last[0], Table) and isinstance(first[0], Table):
            page[0] = first[0].below(last[0])
    return filled


def _paragraphs(page: Sequence[Line], width: int, hyphenated: frozenset[str]) -> list[str]:
    paragraphs: list[str] = []
    for column, group in groupby(page, key=lambda line: -1 if isinstance(line, Table) else line.column):
        lines = list(group)
        if column < 0:
            paragraphs += (line.text() for line in lines if isinstance(line, Table))
            continue
        printed = list(_spaced([line for line in lines if isinstance(line, PrintedLine)]))
        own_width = width_of(printed, 0) if column else width
        for index, paragraph in enumerate(rebuilt_paragraphs(printed, own_width, hyphenated)):
            if (
                not index
                and column
                and paragraphs
                and "\n" not in paragraphs[-1]
                and goes_on(paragraphs[-1], paragraph)
            ):
                paragraphs[-1] = joined(paragraphs[-1], paragraph, hyphenated)
            else:
                paragraphs.append(paragraph)
    return paragraphs


def _with_marks(paragraphs: Sequence[str]) -> Iterator[str]:
    """Append to each paragraph of a recognised page its mark: paragraphs are cited one by one.

    A heading has no mark if the text below has one; the mark of a table is below it.
    """
    for paragraph, below in pairwise((*paragraphs, "")):
        is_heading = split_heading(paragraph) is not None or paragraph[-1] not in ".:;"
        has_text_below = below != "" and split_heading(below) is None
        if paragraph == RECOGNISED or (len(paragraph) <= _LONGEST and is_heading and has_text_below):
            yield paragraph
        elif "\n" in paragraph:
            yield from (paragraph, RECOGNISED)
        else:
            yield f"{paragraph} {RECOGNISED}"


def _spaced(lines: Sequence[PrintedLine]) -> Iterator[str]:
    for number, line in enumerate(lines):
        before = lines[number - 1].text if number else ""
        goes_on_below = not (number and lines[number - 1].in_margin) and (
            line.text[:1].islower() or before.endswith("-")
        )
        if line.alone or (number and lines[number - 1].alone) or (line.parted and not goes_on_below):
            yield ""
        yield line.text


def _numbers(pages: Sequence[int]) -> str:
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
    texts = [line.text if isinstance(line, PrintedLine) else line.text() for page in pages for line in page]
    text = "".join(texts)
    if all(gaps_in(line) == [line] for line in texts):
        count = translate("file.page" if len(pages) == 1 else "file.pages", number=len(pages))
        raise InvalidInput(" ".join(filter(None, (translate("file.pdf_scanned", path=path, pages=count), lacking()))))
    strange = sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" for character in text)
    if strange > _MAX_UNREADABLE * len(text):
        raise InvalidInput(translate("file.pdf_fonts", path=path))


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Remove running heads and feet: edge lines that many pages share, except for a page number."""
    counted: Counter[str] = Counter()
    apart: Counter[str] = Counter()
    for number, lines in enumerate(pages):
        edges = [line for line in (*lines[:_EDGE], *lines[-_EDGE:]) if isinstance(line, PrintedLine) and line.text]
        counted.update({key for line in edges for key in _keys(line.text, number)})
        apart.update({key for line in edges if line.in_margin for key in _keys(line.text, number)})
    minimum = max(_MIN_PAGES, _MIN_SHARE * len(pages))
    printed = {key for key, count in counted.items() if count >= minimum}
    if len(pages) < _MIN_PAGES:
        printed |= {key for key, count in apart.items() if count > 1}
    return [_inner_lines(lines, number, printed, len(pages)) for number, lines in enumerate(pages)]


def _keys(line: str, page: int) -> Iterator[str]:
    """Yield the line, and for each number in it a key that is the same on every page if that counts the pages."""
    yield line
    for number in _NUMBER.finditer(line):
        yield f"{line[: number.start()]}\0{int(number[0]) - page}\0{line[number.end() :]}"


def _inner_lines(lines: Sequence[Line], page: int, printed: set[str], count: int) -> list[Line]:
    first, last = 0, len(lines)
    while first < min(last, _EDGE) and _is_running_head(lines[first], page, printed, count):
        first += 1
    while last > max(first, len(lines) - _EDGE) and _is_running_head(lines[last - 1], page, printed, count):
        last -= 1
    return list(lines[first:last])


def _is_running_head(line: Line, page: int, printed: set[str], count: int) -> bool:
    if isinstance(line, Table):
        return False
    is_number = line.in_margin and line.text.strip(" -–—") == str(page + 1)
    if (
        not line.text
        or is_number
        or _PAGE_OF.fullmatch(line.text)
        or (line.in_margin and _counts(line.text, page, count))
    ):
        return True
    return split_heading(line.text) is None and any(key in printed for key in _keys(line.text, page))


def _counts(line: str, page: int, count: int) -> bool:
    match = _COUNT.search(line)
    if match is None:
        return False
    if match["named"]:
        return int(match["named"]) == page + 1 and int(match["all"] or count) >= count
    return (int(match["bare"]), int(match["total"])) == (page + 1, count)
