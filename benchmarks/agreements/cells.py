"""Measure which share of the cells of the made-up agreements keep their row and column.

    python -m benchmarks.agreements.cells FOLDER

``FOLDER`` is what ``make`` has written. A cell counts where a paragraph has a row with its name and its amount, and the
amount stands below all names of its column; for PDF also on the right page. Words outside the tables must all be
there, and no amount twice.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from articulado.ingestion.files.formats import docx, html, pdf
from articulado.ingestion.model import Page

Rows = list[tuple[int | None, list[list[str]]]]
"""Tables with the page of each: lists of cells, row by row."""


def tables_of(pages: Sequence[Page]) -> Rows:
    paragraphs = ((page.number, paragraph) for page in pages for paragraph in page.paragraphs)
    return [
        (number, [line.split(" | ") for line in paragraph.split("\n")])
        for number, paragraph in paragraphs
        if " | " in paragraph
    ]


def kept(cell: dict[str, Any], tables: Rows, *, paged: bool) -> bool:
    """Tell whether a cell stands in the row and below the names of its column, and on its page."""
    for number, rows in tables:
        if paged and number != cell["page"]:
            continue
        for index, row in enumerate(rows):
            names = " ".join(row[0].split())
            if not names.endswith(cell["row"]) or cell["amount"] not in row:
                continue
            column = row.index(cell["amount"])
            above = " ".join(other[column] for other in rows[:index] if column < len(other))
            if all(name in above for name in cell["column"]):
                return True
    return False


def share(cells: Sequence[dict[str, Any]], tables: Rows, *, paged: bool) -> float:
    return sum(kept(cell, tables, paged=paged) for cell in cells) / len(cells)


def with_pdfplumber(settings: dict[str, str]) -> Callable[[Path], Rows]:
    def read(path: Path) -> Rows:
        import pdfplumber

        with pdfplumber.open(path) as document:
            return [
                (page.page_number, [[" ".join((cell or "").split()) for cell in row] for row in table])
                for page in document.pages
                for table in page.extract_tables(settings)
            ]

    return read


def with_camelot(flavor: str) -> Callable[[Path], Rows]:
    def read(path: Path) -> Rows:
        import camelot

        found = camelot.read_pdf(str(path), pages="all", flavor=flavor)
        cells = [[[" ".join(str(cell).split()) for cell in row] for row in table.df.values.tolist()] for table in found]
        return [(int(table.page), rows) for table, rows in zip(found, cells, strict=True)]

    return read


LIBRARIES: dict[str, Callable[[Path], Rows]] = {
    "this project": lambda path: tables_of(pdf.read(path).pages),
    "pdfplumber, rules": with_pdfplumber({}),
    "pdfplumber, text": with_pdfplumber({"vertical_strategy": "text", "horizontal_strategy": "text"}),
}
if find_spec("camelot"):
    LIBRARIES |= {f"camelot, {flavor}": with_camelot(flavor) for flavor in ("lattice", "stream")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    print("| layout | " + " | ".join([*LIBRARIES, "DOCX", "HTML", "amounts twice"]) + " |")
    halves: dict[bool, list[list[float]]] = defaultdict(list)
    for entry in truth:
        cells, stem = entry["cells"], folder / entry["name"]
        shares = [share(cells, read(stem.with_name(f"{entry['name']}.pdf")), paged=True) for read in LIBRARIES.values()]
        for suffix, reader in ((".docx", docx), (".html", html)):
            tables = tables_of(reader.read(stem.with_name(entry["name"] + suffix)).pages)
            shares.append(share(cells, tables, paged=False))
        halves[entry["held_out"]].append(shares)
        text = "\n".join(p for page in pdf.read(stem.with_name(f"{entry['name']}.pdf")).pages for p in page.paragraphs)
        amounts = {cell["amount"] for cell in cells if re.search(r"\d,\d\d", cell["amount"])}
        twice = sum(len(re.findall(rf"(?<![\d.]){re.escape(amount)}", text)) > 1 for amount in amounts)
        mark = " (held out)" if entry["held_out"] else ""
        print(f"| {cells[0]['layout']}{mark} | " + " | ".join(f"{value:.2f}" for value in shares) + f" | {twice} |")
    for held_out, rows in sorted(halves.items()):
        means = [sum(column) / len(column) for column in zip(*rows, strict=True)]
        print(f"| {'held out' if held_out else 'seen'} | " + " | ".join(f"{value:.2f}" for value in means) + " | |")


if __name__ == "__main__":
    main()
