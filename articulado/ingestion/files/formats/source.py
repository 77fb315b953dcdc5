"""File format detection, errors for unusable files, and tables as text."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from articulado.config.files import ZIP, read_bytes
from articulado.ingestion.files.formats.inline import LeftOut
from articulado.ingestion.model import FileText, Page
from articulado.language.formats import gaps_in
from articulado.language.table_text import CELLS, PATH, is_amount
from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, InvalidInput

PDF, OLD_OFFICE = b"%PDF-", b"\xd0\xcf\x11\xe0"  # first bytes of files; DOCX, ODT and XLSX are ZIP files
MOST_GAPS_NAMED = 5  # maximum unread parts named in a warning

_SIGNATURES = {PDF: "file.kind_pdf", ZIP: "file.kind_zip", OLD_OFFICE: "file.kind_old_office"}
"""Translation keys of the names of binary formats, by first bytes."""


def known_format(data: bytes) -> str:
    """Return the translation key of a binary format by its first bytes ("file.kind_pdf"), else ""."""
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), "")


def refuse_other_formats(path: Path, data: bytes) -> None:
    if known_format(data):
        raise other_format(path, data)


def other_format(path: Path, data: bytes) -> InvalidInput:
    """Return the error for a file whose content contradicts its extension."""
    name = known_format(data)
    description = translate("file.is_kind", kind=translate(name)) if name else translate("file.is_not")
    return InvalidInput(translate("file.other_format", path=path, suffix=path.suffix, what=description))


def no_text(path: Path) -> InvalidInput:
    return InvalidInput(translate("file.no_text", path=path))


def packed_text(
    path: Path, content: Callable[[Path, bytes], tuple[str, tuple[str, ...], LeftOut]], damaged: str
) -> FileText:
    """Return the text of a ZIP-based file from ``content``: title, paragraphs, and the count of omitted text.

    ``damaged`` is the translation key of the message if ``content`` fails, as it may anywhere in a damaged file.
    """
    data = read_bytes(path)
    if not data.startswith((ZIP, OLD_OFFICE) if path.suffix.lower() == ".docx" else ZIP):
        raise other_format(path, data)
    try:
        title, paragraphs, left_out = content(path, data)
    except ArticuladoError:
        raise
    except Exception as error:
        raise InvalidInput(translate(damaged, path=path)) from error
    return one_page(path, paragraphs, title, left_out)


def one_page(path: Path, paragraphs: Sequence[str], title: str, left_out: LeftOut) -> FileText:
    """Return paragraphs as one page with warnings; raise ``InvalidInput`` if there is none."""
    if not paragraphs:
        raise InvalidInput(" ".join((str(no_text(path)), *left_out.warnings())))
    return FileText((Page(None, tuple(paragraphs)),), title, warnings_of(paragraphs, left_out))


def warnings_of(paragraphs: Iterable[str], left_out: LeftOut) -> tuple[str, ...]:
    """Return a sentence for each kind of omitted text, and one for the marks of gaps in the paragraphs."""
    gaps = [gap for paragraph in paragraphs for gap in gaps_in(paragraph)]
    if not gaps:
        return left_out.warnings()
    kinds = ", ".join(dict.fromkeys(gap.strip("[]") for gap in gaps[:MOST_GAPS_NAMED]))
    warning = translate("file.gaps" if len(gaps) > 1 else "file.gaps_one", number=len(gaps), kinds=kinds)
    return (*left_out.warnings(), warning)


_MAX_HEAD = 4  # maximum rows of a head; a table of words alone has one


@dataclass(frozen=True)
class Table:
    """Table with caption, column names (none without a head), and cells row by row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return max(map(len, (self.head, *self.rows)), default=0)

    def below(self, other: "Table") -> "Table":
        """Return the table with the head of the table above, if it has none and continues it by its width."""
        return replace(self, head=other.head) if not self.head and self.width == other.width else self

    def text(self) -> str:
        """Return the table as one paragraph: caption, head, and one row per line with cells separated by " | "."""
        lines = (CELLS.join(row).rstrip(" |") for row in (self.head, *self.rows))
        return "\n".join(line for line in (self.caption, *lines) if line)


def table_of(rows: Iterable[Sequence[str]]) -> Table:
    """Return the table with these cells; covered cells are empty.

    The head are the rows above the first one with an amount, else the first row. A row with only its first cell names a
    group, which is put before the names of the rows below it.

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
    """Yield the rows, each name after that of its group; a group without rows is a row itself."""
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
