"""What a made-up agreement consists of, whatever file it is written to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Layout = Literal[
    "ruled",
    "aligned",
    "spanning",
    "two_pages",
    "euro",
    "rotated",
    "beside",
    "two_tables",
    "by_province",
    "wrapped",
]


@dataclass(frozen=True)
class Table:
    """A table: ``columns`` are the paths of names above each column, outermost first; a row's first cell is its name.

    A row of one cell is a heading between rows ("Grupo I. Personal técnico"). ``beside`` is text that stands to the
    left of the table on the page, where the format can do that.
    """

    caption: str
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    layout: Layout
    beside: str = ""

    @property
    def depth(self) -> int:
        """How many rows the head has."""
        return max(map(len, self.columns))

    def head(self) -> list[list[tuple[str, int, int]]]:
        """Return the rows of the head: of each cell its text, and how many columns and rows it spans."""
        rows: list[list[tuple[str, int, int]]] = [[] for _ in range(self.depth)]
        column = 0
        while column < len(self.columns):
            path = self.columns[column]
            if len(path) == 1:
                rows[0].append((path[0], 1, self.depth))
                column += 1
                continue
            group = [other for other in self.columns[column:] if other[0] == path[0]]
            rows[0].append((path[0], len(group), 1))
            rows[1] += [(other[1], 1, 1) for other in group]
            column += len(group)
        return rows

    def amounts(self) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Yield the name of the row, the path of the column and the text of each cell that is no name."""
        for row in self.rows:
            for path, cell in zip(self.columns[1:], row[1:], strict=False):
                yield row[0], path, cell


Kind = Literal["head", "title", "chapter", "article", "annex", "text"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph that is no table; ``kind`` says how it is printed."""

    kind: Kind
    text: str


Block = Paragraph | Table


@dataclass(frozen=True)
class Question:
    """A question whose answer is one cell: it must show ``amount`` and stand on the page of its row."""

    text: str
    row: str
    column: tuple[str, ...]
    amount: str


@dataclass(frozen=True)
class Agreement:
    """An agreement: ``name`` is that of its files, ``title`` its title in lines as they are printed.

    ``held_out`` tells those with whose layouts nothing was decided.
    """

    name: str
    gazette: str
    title: tuple[str, ...]
    blocks: tuple[Block, ...]
    questions: tuple[Question, ...]
    held_out: bool
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> Sequence[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]
