"""File format detection, errors for unusable files, and tables as text.

``known_format`` identifies a format by its first bytes. ``packed_text`` reads the text of a ZIP-based format,
``one_page`` makes a result of paragraphs, with its warnings. ``Table`` and ``table_of`` convert cells to one paragraph:
caption, head, and one row per line with cells separated by " | ".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from articulado.config.files import ZIP
from articulado.ingestion.files.formats.inline import LeftOut
from articulado.ingestion.model import FileText, Page
from articulado.language.formats import gaps_in
from articulado.language.table_text import CELLS, PATH, is_amount
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

PDF, OLD_OFFICE = b"%PDF-", b"\xd0\xcf\x11\xe0"
"""The first bytes of files; DOCX, ODT and XLSX are ZIP files."""

MOST_GAPS_NAMED = 5
"""Parts that could not be read which a warning names."""

_SIGNATURES = {PDF: "file.kind_pdf", ZIP: "file.kind_zip", OLD_OFFICE: "file.kind_old_office"}
"""The first bytes of formats that are no text, and the keys of what messages call these."""


def known_format(data: bytes) -> str:
    """Return the key of what a file is by its first bytes ("file.kind_pdf"); empty where they tell nothing."""
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), "")


def refuse_other_formats(path: Path, data: bytes) -> None:
    """Refuse bytes that are no text, for a file whose name says that it is one.

    Raises:
        InvalidInput: they are of a known other format.
    """
    if known_format(data):
        raise other_format(path, data)


def other_format(path: Path, data: bytes) -> InvalidInput:
    """Return the error for a file that is not what its extension says."""
    name = known_format(data)
    what = translate("file.is_kind", kind=translate(name)) if name else translate("file.is_not")
    return InvalidInput(translate("file.other_format", path=path, suffix=path.suffix, what=what))


def no_text(path: Path) -> InvalidInput:
    """Return the error for a file in which there is no text."""
    return InvalidInput(translate("file.no_text", path=path))


def packed_text(
    path: Path, data: bytes, content: Callable[[Path, bytes], tuple[str, tuple[str, ...], LeftOut]]
) -> FileText:
    """Return the text that ``content`` finds in a packed file.

    ``content`` returns the title, the paragraphs, and the count of the text that it leaves out.

    Raises:
        InvalidInput: the file is no ZIP, or has no text; and what ``content`` raises.
    """
    if not data.startswith((ZIP, OLD_OFFICE) if path.suffix.lower() == ".docx" else ZIP):
        raise other_format(path, data)
    title, paragraphs, left_out = content(path, data)
    return one_page(path, paragraphs, title, left_out)


def one_page(path: Path, paragraphs: Sequence[str], title: str, left_out: LeftOut) -> FileText:
    """Return paragraphs as one page without a number, with warnings of what was left out and what could not be read.

    Raises:
        InvalidInput: there is no paragraph.
    """
    if not paragraphs:
        raise InvalidInput(" ".join((str(no_text(path)), *left_out.warnings())))
    return FileText((Page(None, tuple(paragraphs)),), title, warnings_of(paragraphs, left_out))


def warnings_of(paragraphs: Iterable[str], left_out: LeftOut) -> tuple[str, ...]:
    """Return a sentence for each kind of text that is left out, and one for the marks of gaps in the paragraphs."""
    gaps = [gap for paragraph in paragraphs for gap in gaps_in(paragraph)]
    if not gaps:
        return left_out.warnings()
    kinds = ", ".join(dict.fromkeys(gap.strip("[]") for gap in gaps[:MOST_GAPS_NAMED]))
    told = translate("file.gaps" if len(gaps) > 1 else "file.gaps_one", number=len(gaps), kinds=kinds)
    return (*left_out.warnings(), told)


_MAX_HEAD = 4
"""Rows that a head has at most; a table of words alone has one."""


@dataclass(frozen=True)
class Table:
    """A table: what stands above it, the name of each column (none where it has no head), and the cells row by row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """Return how many columns it has."""
        return max(map(len, (self.head, *self.rows)), default=0)

    def below(self, other: "Table") -> "Table":
        """Return the table with the head of another one, which it goes on from, if it has none and is as wide."""
        return replace(self, head=other.head) if not self.head and self.width == other.width else self

    def text(self) -> str:
        """Return it as one paragraph: its caption, the head, and a row a line with the cells parted by " | "."""
        lines = (CELLS.join(row).rstrip(" |") for row in (self.head, *self.rows))
        return "\n".join(line for line in (self.caption, *lines) if line)


def table_of(rows: Iterable[Sequence[str]]) -> Table:
    r"""Return the table with these cells; one that another covers is empty.

    Its head are the rows above the first one with an amount, else the first row. Names above each other in the head are
    joined for each column; a row with nothing but its first cell is the name of a group, which goes before those of the
    rows below it. Where a row begins with an empty cell before a name, its first cell is the group, or the cell above.

    >>> print(table_of([["Puesto", "Salario", ""], ["", "Mes", "Año"], ["Guarda", "1.100", "15.400"]]).text())
    Puesto | Salario – Mes | Salario – Año
    Guarda | 1.100 | 15.400
    """
    grid = _grid(rows)
    caption: list[str] = []
    while len(grid) > 1 and len(grid[0]) > 1 and not any(grid[0][1:]):
        caption.append(grid.pop(0)[0])
    count = _head_rows(grid)
    while count > 1 and _names_group(grid[count - 1]) and (any(map(_names_group, grid[count:])) or not grid[count][0]):
        count -= 1
    return Table(" ".join(caption), _head(grid[:count]), tuple(_grouped(grid[count:])))


def _grid(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the cells in one line each, all rows as long as the longest; without empty rows and columns."""
    texts = [[" ".join(cell.replace("|", "/").split()) for cell in row] for row in rows]
    texts = [row for row in texts if any(row)]
    width = max(map(len, texts), default=0)
    padded = [row + [""] * (width - len(row)) for row in texts]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    return [[row[column] for column in kept] for row in padded]


def _head_rows(grid: Sequence[Sequence[str]]) -> int:
    first = next((index for index, row in enumerate(grid) if any(map(is_amount, row[1:]))), None)
    if first is None:
        return 1 if len(grid) > 1 else 0
    return first if first <= _MAX_HEAD else 1


def _head(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Join the names above each column; a name above several columns stands in the first of them."""
    if not rows:
        return ()
    filled = [list(row) for row in rows]
    for upper, lower in zip(filled, rows[1:], strict=False):
        for column in range(1, len(upper)):
            left = upper[column - 1]
            spans = left and lower[column] and lower[column - 1] not in ("", left)
            upper[column] = upper[column] or (left if spans else "")
    return tuple(PATH.join(dict.fromkeys(filter(None, names))) for names in zip(*filled, strict=True))


def _names_group(row: Sequence[str]) -> bool:
    return len(row) > 1 and row[0] != "" and not any(row[1:])


def _grouped(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows, the name of its group before the name of each; a name without rows is one itself."""
    group, above, used = "", "", True
    for row in rows:
        if _names_group(row):
            if not used:
                yield (group,)
            group, above, used = row[0], row[0], False
        elif row[0]:
            used, above = True, f"{group}{PATH}{row[0]}" if group else row[0]
            yield (above, *row[1:])
        elif above and row[1:] and row[1] and not is_amount(row[1]):
            used = True
            yield (above, *row[1:])
        else:
            yield tuple(row)
    if not used:
        yield (group,)
