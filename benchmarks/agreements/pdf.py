"""Write an agreement as a PDF, each layout of a table in its own way, and tell on which pages its rows stand."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, KeepTogether, PageBreak, PageTemplate, Spacer
from reportlab.platypus import Paragraph as Printed
from reportlab.platypus import Table as PrintedTable

from benchmarks.agreements.model import Agreement, Paragraph, Table

_FONT, _BOLD = "Times-Roman", "Times-Bold"
_BODY = ParagraphStyle("body", fontName=_FONT, fontSize=12, leading=21, spaceAfter=9, alignment=4)
_STYLES = {
    "head": ParagraphStyle("head", fontName=_BOLD, fontSize=10, leading=13, alignment=1),
    "title": ParagraphStyle("title", fontName=_BOLD, fontSize=14, leading=18, alignment=1),
    "chapter": ParagraphStyle(
        "chapter", fontName=_BOLD, fontSize=12, leading=16, alignment=1, spaceBefore=10, spaceAfter=8
    ),
    "article": ParagraphStyle(
        "article", fontName=_BOLD, fontSize=11, leading=15, spaceBefore=8, spaceAfter=4, keepWithNext=1
    ),
    "annex": ParagraphStyle(
        "annex", fontName=_BOLD, fontSize=12, leading=16, alignment=1, spaceBefore=14, spaceAfter=8
    ),
    "text": _BODY,
}
_CELL = ParagraphStyle("cell", fontName=_FONT, fontSize=9, leading=11)
_NARROW = ParagraphStyle("narrow", fontName=_FONT, fontSize=8.5, leading=10)


class _Rotated(Flowable):
    """A word that is printed from below to above."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.width, self.height = text, 11, 92

    def wrap(self, *_: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        self.canv.saveState()
        self.canv.rotate(90)
        self.canv.setFont(_FONT, 9)
        self.canv.drawString(2, -9, self.text)
        self.canv.restoreState()


class _Located(PrintedTable):
    """A table that notes the page on which each of its amounts is printed."""

    pages: dict[str, int] = {}  # noqa: RUF012

    def draw(self) -> None:
        for row in self._cellvalues:
            for cell in row:
                if isinstance(cell, str) and cell:
                    self.pages[cell] = self.canv.getPageNumber()
        super().draw()


def write(agreement: Agreement, path: Path) -> dict[str, int]:
    """Write the file; return the page, from 1, of the text of each cell that is one line."""
    _Located.pages = pages = {}
    document = BaseDocTemplate(
        str(path), pagesize=A4, title="Microsoft Word - Documento1", topMargin=4 * cm, invariant=1
    )
    frame = Frame(2.5 * cm, 3 * cm, A4[0] - 5 * cm, A4[1] - 7 * cm)

    def edges(canvas: Any, _: Any) -> None:
        canvas.setFont(_FONT, 8)
        canvas.drawString(2.5 * cm, A4[1] - 1.8 * cm, agreement.gazette)
        canvas.drawRightString(A4[0] - 2.5 * cm, A4[1] - 1.8 * cm, f"Pág. {canvas.getPageNumber()}")
        canvas.drawCentredString(A4[0] / 2, 1.3 * cm, f"Depósito legal {agreement.name[:3].upper()}-1-1900")

    document.addPageTemplates([PageTemplate(frames=[frame], onPage=edges)])
    document.build(_story(agreement))
    return pages


def _story(agreement: Agreement) -> list[Any]:
    story: list[Any] = []
    annexes = 0
    for before, block in zip((None, *agreement.blocks), agreement.blocks, strict=False):
        if isinstance(block, Table):
            # Where two tables share a page, only a caption stands between them.
            story += [_PRINTERS[block.layout](block), Spacer(1, 12)]
            continue
        if block.kind == "annex":
            annexes += 1
            if annexes == 1 or agreement.tables[0].layout != "two_tables":
                story.append(PageBreak())
        if isinstance(before, Paragraph) and before.kind == "title" and block.kind != "title":
            story.append(Spacer(1, 24))
        story.append(Printed(block.text, _STYLES[block.kind]))
    return story


def _cells(table: Table, style: ParagraphStyle | None = None) -> tuple[list[list[Any]], list[tuple[Any, ...]]]:
    """Return the cells of the head and the rows as text, and the commands that join cells."""
    width = len(table.columns)
    rows: list[list[Any]] = []
    spans: list[tuple[Any, ...]] = []
    taken: set[tuple[int, int]] = set()
    for index, head in enumerate(table.head()):
        row: list[Any] = [""] * width
        column = 0
        for text, across, down in head:
            while (index, column) in taken:
                column += 1
            row[column] = Printed(text, style) if style else text
            if across > 1 or down > 1:
                spans.append(("SPAN", (column, index), (column + across - 1, index + down - 1)))
            taken |= {(index + below, column + beside) for below in range(down) for beside in range(across)}
            column += across
        rows.append(row)
    for values in table.rows:
        if len(values) == 1:
            spans.append(("SPAN", (0, len(rows)), (-1, len(rows))))
        name = Printed(values[0], _CELL) if style else values[0]
        rows.append([name, *values[1:], *[""] * (width - len(values))])
    return rows, spans


_TEXT = [
    ("FONT", (0, 0), (-1, -1), _FONT, 9.5),
    ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
    ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
]
_GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)


def _ruled(table: Table) -> Flowable:
    rows, spans = _cells(table)
    return _Located(rows, style=[*_TEXT, *spans, _GRID], repeatRows=table.depth)


def _aligned(table: Table) -> Flowable:
    """Print without any rule: only the columns tell the cells."""
    rows, spans = _cells(table)
    bold = ("FONT", (0, 0), (-1, table.depth - 1), _BOLD, 9.5)
    return _Located(
        rows, style=[*_TEXT, *spans, bold], repeatRows=table.depth, colWidths=_widths(table, 6 * cm, 10 * cm)
    )


def _two_pages(table: Table) -> Flowable:
    """Print with rules below the head and at the end only; the head is repeated on the next page."""
    rows, spans = _cells(table)
    lines = [("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black), ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)]
    tall = [("TOPPADDING", (0, 0), (-1, -1), 6), ("BOTTOMPADDING", (0, 0), (-1, -1), 6)]
    return _Located(
        rows, style=[*_TEXT, *spans, *lines, *tall], repeatRows=table.depth, colWidths=_widths(table, 5 * cm, 11 * cm)
    )


def _euro(table: Table) -> Flowable:
    """Print with a grid and names of several lines, in the head too."""
    rows, spans = _cells(table, _CELL)
    return _Located(
        rows, style=[*_TEXT, *spans, _GRID], repeatRows=table.depth, colWidths=_widths(table, 5.2 * cm, 9.6 * cm)
    )


def _rotated(table: Table) -> Flowable:
    rows, spans = _cells(table)
    rows[0] = [rows[0][0], *(_Rotated(text) for text in rows[0][1:])]
    bottom = ("VALIGN", (0, 0), (-1, 0), "BOTTOM")
    small = ("FONTSIZE", (0, 0), (-1, -1), 8)
    return _Located(rows, style=[*_TEXT, *spans, _GRID, bottom, small], colWidths=_widths(table, 4.2 * cm, 12 * cm))


def _beside(table: Table) -> Flowable:
    """Print text in a column to the left of the table, which has rules between its rows only."""
    rows, spans = _cells(table)
    lines = ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey)
    inner = _Located(rows, style=[*_TEXT, *spans, lines], colWidths=_widths(table, 3.2 * cm, 5.2 * cm))
    outer = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    return PrintedTable([[Printed(table.beside, _NARROW), inner]], colWidths=[6.6 * cm, 9 * cm], style=outer)


def _two_tables(table: Table) -> Flowable:
    """Print with shaded rows and no rules, small, so that a second one stands on the same page."""
    rows, spans = _cells(table)
    shade = ("ROWBACKGROUNDS", (0, 1), (-1, -1), (colors.whitesmoke, colors.white))
    head = ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)
    tight = [("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 2)]
    return KeepTogether([_Located(rows, style=[*_TEXT, *spans, head, shade, *tight])])


def _by_province(table: Table) -> Flowable:
    """Print groups as rows across all columns, and one rule below the head."""
    rows, spans = _cells(table)
    line = ("LINEBELOW", (0, table.depth - 1), (-1, table.depth - 1), 0.7, colors.black)
    middle = ("ALIGN", (0, 0), (-1, table.depth - 1), "CENTER")
    return _Located(rows, style=[*_TEXT, *spans, line, middle], colWidths=_widths(table, 4.6 * cm, 11.4 * cm))


def _wrapped(table: Table) -> Flowable:
    """Print names of several lines without any rule, amounts in the middle of their columns."""
    rows, spans = _cells(table)
    rows = [*rows[: table.depth], *([Printed(row[0], _CELL), *row[1:]] for row in rows[table.depth :])]
    middle = [("ALIGN", (1, 0), (-1, -1), "CENTER"), ("VALIGN", (0, table.depth), (-1, -1), "TOP")]
    return _Located(rows, style=[*_TEXT, *spans, *middle], colWidths=_widths(table, 5 * cm, 11 * cm))


def _widths(table: Table, first: float, others: float) -> Sequence[float]:
    count = len(table.columns) - 1
    return [first, *[others / count] * count]


_PRINTERS: dict[str, Callable[[Table], Flowable]] = {
    "ruled": _ruled,
    "aligned": _aligned,
    "spanning": _ruled,
    "two_pages": _two_pages,
    "euro": _euro,
    "rotated": _rotated,
    "beside": _beside,
    "two_tables": _two_tables,
    "by_province": _by_province,
    "wrapped": _wrapped,
}
