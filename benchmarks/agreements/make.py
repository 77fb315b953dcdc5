"""Write the ten made-up agreements as PDF, DOCX and HTML, and what is true of them.

    python -m benchmarks.agreements.make FOLDER

``truth.json`` has of each agreement its title, its facts, the cells of its tables (row, column, amount, page of the
PDF) and the questions. The files are the same in every run.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.agreements import office, pdf
from benchmarks.agreements.compose import agreements
from benchmarks.agreements.model import Agreement


def write(agreement: Agreement, folder: Path) -> dict[str, Any]:
    """Write an agreement in all formats; return what is true of it."""
    pages = pdf.write(agreement, folder / f"{agreement.name}.pdf")
    office.write_docx(agreement, folder / f"{agreement.name}.docx")
    office.write_html(agreement, folder / f"{agreement.name}.html")
    cells = [
        {"row": row, "column": column, "amount": amount, "page": pages[amount], "layout": table.layout}
        for table in agreement.tables
        for row, column, amount in table.amounts()
    ]
    questions = [vars(question) | {"page": pages[question.amount]} for question in agreement.questions]
    return {
        "name": agreement.name,
        "held_out": agreement.held_out,
        "title": " ".join(agreement.title),
        "facts": agreement.facts,
        "cells": cells,
        "questions": questions,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    truth = [write(agreement, folder) for agreement in agreements()]
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
