"""Write an agreement as a Word document and as HTML."""

from html import escape
from pathlib import Path

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH

from benchmarks.agreements.model import Agreement, Table


def write_docx(agreement: Agreement, path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Documento1"
    for block in agreement.blocks:
        if isinstance(block, Table):
            if block.beside:
                document.add_paragraph(block.beside)
            _add_table(document, block)
            continue
        paragraph = document.add_paragraph(style="Heading 2" if block.kind in ("chapter", "annex") else None)
        run = paragraph.add_run(block.text)
        run.bold = block.kind in ("title", "head", "article")
        if block.kind in ("title", "head"):
            paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    document.save(str(path))


def _add_table(document: "docx.document.Document", table: Table) -> None:
    width = len(table.columns)
    printed = document.add_table(0, width)
    printed.style = "Table Grid" if table.layout in ("ruled", "spanning", "euro", "rotated") else "Normal Table"
    for _ in range(table.depth):
        printed.add_row()
    taken: set[tuple[int, int]] = set()
    for index, head in enumerate(table.head()):
        column = 0
        for text, across, down in head:
            while (index, column) in taken:
                column += 1
            cell = printed.cell(index, column)
            if across > 1 or down > 1:
                cell = cell.merge(printed.cell(index + down - 1, column + across - 1))
            cell.text = text
            taken |= {(index + below, column + beside) for below in range(down) for beside in range(across)}
            column += across
    for values in table.rows:
        cells = printed.add_row().cells
        if len(values) == 1:
            cells[0].merge(cells[-1]).text = values[0]
        else:
            for cell, value in zip(cells, values, strict=True):
                cell.text = value


def write_html(agreement: Agreement, path: Path) -> None:
    body = [
        _html_table(block)
        if isinstance(block, Table)
        else f"<{_TAGS[block.kind]}>{escape(block.text)}</{_TAGS[block.kind]}>"
        for block in agreement.blocks
    ]
    head = f'<meta charset="utf-8"><title>{escape(" ".join(agreement.title))}</title>'
    path.write_text(
        f"<!DOCTYPE html><html lang=es><head>{head}</head><body>\n{chr(10).join(body)}\n</body></html>", "utf-8"
    )


_TAGS = {"head": "p", "title": "h1", "chapter": "h2", "article": "h3", "annex": "h2", "text": "p"}


def _html_table(table: Table) -> str:
    lines = ["<table>", f"<caption>{escape(table.caption)}</caption>"]
    for row in table.head():
        cells = (f'<th colspan="{across}" rowspan="{down}">{escape(text)}</th>' for text, across, down in row)
        lines.append(f"<tr>{''.join(cells)}</tr>")
    for values in table.rows:
        across = f' colspan="{len(table.columns)}"' if len(values) == 1 else ""
        lines.append(f"<tr>{''.join(f'<td{across}>{escape(value)}</td>' for value in values)}</tr>")
    beside = [f"<p>{escape(table.beside)}</p>"] if table.beside else []
    return "\n".join([*beside, *lines, "</table>"])
