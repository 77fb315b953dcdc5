"""Tables of a printed page: between ruling lines, or by rows of aligned amounts.

Positions are in points from the top left corner of the page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import Table, table_of
from articulado.language.table_text import is_amount

if TYPE_CHECKING:
    from pdfplumber.page import Page as PrintedPage

_MIN_FILLED = 0.4  # minimum share of cells with text: a frame around other content has less
_GAP = 0.9  # minimum gap between two cells, in word heights; justified text has less
_SAME_LINE = 0.3  # maximum vertical shift within a row, as a share of the word height
_MIN_ROWS = 3  # rows with amounts that make a table
_MIN_AMOUNTS = 0.2  # minimum share of amounts among the cells: columns of text have less
_FAR = 3.0  # maximum distance of two rows of a table, in word heights
_FAR_IN_LINE = 7.0  # the same for rows with three or more aligned cells
_VALUE = re.compile(r":\s+\S")  # matches a label with its value, which is no column name
_CONTINUES = 0.85  # share of the row distance below which a line without amounts continues the name above
_ALIGNED = 0.6  # minimum share of a column's lines on the height of a row: text beside a table has less


_IN_LINE = 0.4  # maximum distance of aligned edges, in word heights
_Span = tuple[float, float]  # left and right end of a column


@dataclass(frozen=True)
class Word:
    """A word and its position; a word with a ``table`` replaces all of the table's words."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    upright: bool = True
    is_field: bool = False
    table: Table | None = None

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Region:
    """Rectangle on a page."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, word: Word) -> bool:
        across = self.left <= (word.left + word.right) / 2 <= self.right
        return across and self.top <= word.middle <= self.bottom


Box = TypeVar("Box", Region, Word)


def turned(box: Box, turn: int, width: float, height: float) -> Box:
    """Rotate a box of a page of this width and height by quarter turns."""
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    match turn:
        case 1:
            left, top, right, bottom = height - bottom, left, height - top, right
        case 2:
            left, top, right, bottom = width - right, height - bottom, width - left, height - top
        case 3:
            left, top, right, bottom = top, width - right, bottom, width - left
    return replace(box, left=left, top=top, right=right, bottom=bottom)


def turned_back(box: Box, turn: int, width: float, height: float) -> Box:
    return turned(box, -turn % 4, *((height, width) if turn % 2 else (width, height)))


class PrintedTable(NamedTuple):
    """A table and its region of the page."""

    table: Table
    region: Region


def ruled_tables(page: "PrintedPage", words: Sequence[Word]) -> Iterator[PrintedTable]:
    """Yield the tables between ruling lines; the words of a cell keep the order of ``words``."""
    for found in page.find_tables():
        region = Region(*found.bbox)
        inside = [word for word in words if region.holds(word)]
        if 2 * sum(word.upright for word in inside) < len(inside):
            continue
        cells = [
            # A cell that spans missing rules has no box.
            [
                clean(" ".join(word.text for word in inside if Region(*box).holds(word))) if box else ""
                for box in row.cells
            ]
            for row in found.rows
        ]
        table = table_of(cells)
        filled = sum(cell != "" for row in cells for cell in row)
        if table.width > 1 and len(table.rows) + bool(table.head) > 1 and filled >= _MIN_FILLED * sum(map(len, cells)):
            yield PrintedTable(table, region)


@dataclass(frozen=True)
class _Cell:
    text: str
    left: float
    right: float

    def meets(self, column: _Span) -> bool:
        return self.left < column[1] and column[0] < self.right

    def distance(self, column: _Span) -> float:
        return abs(self.left + self.right - sum(column)) / 2

    def is_aligned(self, column: _Span, height: float) -> bool:
        return min(abs(self.left - column[0]), abs(self.right - column[1]), self.distance(column)) <= _IN_LINE * height


@dataclass(frozen=True)
class _Line:
    cells: tuple[_Cell, ...]
    words: tuple[Word, ...]

    @property
    def middle(self) -> float:
        return median(word.middle for word in self.words)

    @property
    def height(self) -> float:
        return max(word.height for word in self.words)

    @property
    def is_row(self) -> bool:
        return len(self.cells) > 1 and any(is_amount(cell.text) for cell in self.cells[1:])


Grid = list[list[str]]


def aligned_tables(words: Sequence[Word]) -> Iterator[tuple[Grid, Region]]:
    """Yield the cells of each table of aligned amounts, row by row, and its region."""
    lines = _lines(words)
    for first, last in _runs(lines):
        rows = [line for line in lines[first : last + 1] if line.is_row]
        columns = _columns(rows)
        if len(columns) < 2:
            continue
        beside = _beside(lines[first : last + 1], rows, columns)
        if beside:
            left = columns[len(beside)][0] - 1
            yield from aligned_tables([word for word in words if word.left >= left])
            continue
        pitch = min((below.middle - above.middle for above, below in pairwise(rows)))
        start, end = _head_start(lines, first, columns), _end(lines, last, columns, pitch)
        whole = lines[start : end + 1]
        grid = list(_grid(whole, columns, pitch))
        cells = [cell for row in grid for cell in row if cell]
        if sum(map(is_amount, cells)) >= _MIN_AMOUNTS * len(cells):
            yield grid, _region(whole)


def _lines(words: Sequence[Word]) -> list[_Line]:
    upright = sorted((word for word in words if word.upright), key=lambda word: word.middle)
    lines: list[list[Word]] = []
    for word in upright:
        if lines and word.middle - lines[-1][0].middle <= _SAME_LINE * lines[-1][0].height:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [_line(line) for line in lines]


def _line(words: Sequence[Word]) -> _Line:
    ordered = sorted(words, key=lambda word: word.left)
    cells: list[list[Word]] = [[ordered[0]]]
    for before, word in pairwise(ordered):
        if word.left - before.right > _GAP * before.height:
            cells.append([word])
        else:
            cells[-1].append(word)
    joined = (_Cell(" ".join(word.text for word in cell), cell[0].left, cell[-1].right) for cell in cells)
    return _Line(tuple(joined), tuple(ordered))


def _runs(lines: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    rows = [index for index, line in enumerate(lines) if line.is_row]
    runs: list[list[int]] = []
    for index in rows:
        if runs and _goes_on(lines, runs[-1][-1], index):
            runs[-1].append(index)
        else:
            runs.append([index])
    yield from ((run[0], run[-1]) for run in runs if len(run) >= _MIN_ROWS)


def _goes_on(lines: Sequence[_Line], before: int, index: int) -> bool:
    """Tell if a row continues the table of the previous one: only group names between them."""
    between = lines[before + 1 : index]
    last_column = lines[index].cells[-1].left
    if any(len(line.cells) > 1 and line.cells[0].right > last_column for line in between):
        return False
    steps = (below.middle - above.middle for above, below in pairwise(lines[before : index + 1]))
    far = _FAR if between or not _same_cells(lines[before], lines[index]) else _FAR_IN_LINE
    return all(step <= far * lines[index].height for step in steps) and len(between) <= _MIN_ROWS


def _same_cells(above: _Line, line: _Line) -> bool:
    pairs = list(zip(above.cells, line.cells, strict=False))
    in_line = all(cell.meets((other.left, other.right)) for cell, other in pairs)
    return len(above.cells) == len(line.cells) >= _MIN_ROWS and in_line


def _columns(rows: Sequence[_Line]) -> list[_Span]:
    spans = sorted((cell.left, cell.right) for row in rows for cell in row.cells)
    columns: list[_Span] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _beside(lines: Sequence[_Line], rows: Sequence[_Line], columns: Sequence[_Span]) -> list[int]:
    """Return the first columns if they are text beside the table: most of their lines match the height of no row."""
    beside: list[int] = []
    for index, column in enumerate(columns[:-2]):
        following = [cell for row in rows for cell in row.cells if cell.meets(columns[index + 1])]
        if 2 * sum(is_amount(cell.text) for cell in following) >= len(following):
            break
        at_row = sum(any(cell.meets(column) for cell in row.cells) for row in rows)
        anywhere = sum(any(cell.meets(column) for cell in line.cells) for line in lines)
        if at_row >= _ALIGNED * anywhere and at_row >= _ALIGNED * len(rows):
            break
        beside.append(index)
    return beside


def _head_start(lines: Sequence[_Line], first: int, columns: Sequence[_Span]) -> int:
    start = first
    for index in range(first - 1, max(-1, first - 6), -1):
        line, below = lines[index], lines[index + 1]
        far = _FAR_IN_LINE if _same_cells(line, below) else _FAR
        names_only = not any(_VALUE.search(cell.text) for cell in line.cells)
        if below.middle - line.middle > far * line.height or not _fits(line, columns) or not names_only:
            break
        if len(line.cells) > 1:
            start = index
    return start


def _fits(line: _Line, columns: Sequence[_Span]) -> bool:
    margin = _FAR * line.height
    ends = line.cells[-1].right <= columns[-1][1] + margin or (
        len(line.cells) > 1 and line.cells[-1].meets(columns[-1])
    )
    inside = columns[0][0] - margin <= line.cells[0].left and ends
    return inside and (len(line.cells) > 1 or sum(line.cells[0].meets(column) for column in columns) < len(columns))


def _end(lines: Sequence[_Line], last: int, columns: Sequence[_Span], pitch: float) -> int:
    end = last
    while end + 1 < len(lines) and _continues(lines[end], lines[end + 1], columns, pitch):
        end += 1
    return end


def _continues(above: _Line, line: _Line, columns: Sequence[_Span], pitch: float) -> bool:
    alone = len(line.cells) == 1 and line.cells[0].right <= columns[1][0]
    return alone and line.middle - above.middle < _CONTINUES * pitch


def _grid(lines: Sequence[_Line], columns: Sequence[_Span], pitch: float) -> Iterator[list[str]]:
    grouped: list[list[_Line]] = []
    for line in lines:
        seen_row = any(above.is_row for group in grouped for above in group)
        if grouped and seen_row and not line.is_row and _continues(grouped[-1][-1], line, columns, pitch):
            grouped[-1].append(line)
        else:
            grouped.append([line])
    for group in grouped:
        in_head = not any(line.is_row for line in group)
        rows = [_spread(line, columns) if in_head else _placed(line.cells, columns) for line in group]
        yield [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]


def _placed(cells: Sequence[_Cell], columns: Sequence[_Span]) -> list[str]:
    placed = [""] * len(columns)
    for cell in cells:
        met = [index for index, column in enumerate(columns) if cell.meets(column)]
        near = min(range(len(columns)), key=lambda index: cell.distance(columns[index]))
        index = met[0] if met else near
        placed[index] = f"{placed[index]} {cell.text}".lstrip()
    return placed


def _spread(line: _Line, columns: Sequence[_Span]) -> list[str]:
    """Return the cells of a line of the head by column; repeat a cell above several columns in the nearest ones."""
    spanning = [cell for cell in line.cells if not any(cell.is_aligned(column, line.height) for column in columns)]
    if len(line.cells) < 2 or not spanning:
        return _placed(line.cells, columns)
    placed = _placed([cell for cell in line.cells if cell not in spanning], columns)
    for index, column in enumerate(columns[1:], start=1):
        nearest = min(spanning, key=lambda cell: cell.distance(column))
        placed[index] = placed[index] or nearest.text
    return placed


def _region(lines: Sequence[_Line]) -> Region:
    words = [word for line in lines for word in line.words]
    return Region(
        min(word.left for word in words) - 1,
        min(word.top for word in words) - 1,
        max(word.right for word in words) + 1,
        max(word.bottom for word in words) + 1,
    )
