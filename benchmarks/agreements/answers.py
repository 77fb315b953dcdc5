"""Measure which share of the questions on the made-up agreements is answered offline with the right amount and page.

    python -m benchmarks.agreements.answers FOLDER [--only NAME]

``FOLDER`` is what ``make`` has written. Each file is ingested into an index of its own. An answer is right where one
line that it quotes has the name of the row and the amount, below a line with the name of the column; the page counts
where the source that has it is cited with it.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any


def ingest(file: Path, index: Path) -> None:
    command = [sys.executable, "-m", "cli", "ingest", str(file), "--index", str(index)]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"ARTICULADO_HOME": str(index.parent)})


async def answers(index: Path, questions: list[str]) -> list[dict[str, Any]]:
    """Return what the program answers offline to each question, each asked for itself."""
    from cli.ask.view import result_of
    from cli.options import read_configuration, run_context
    from cli.session import ask_graph, opened_services
    from graph.rag import build_rag

    settings, knowledge = read_configuration(index, None)
    async with opened_services(settings, knowledge) as services:
        graph = build_rag(services)
        context = run_context(knowledge, None, None, None, None)
        return [dict(await result_of(ask_graph(graph, question, context))) for question in questions]


def is_right(question: dict[str, Any], answer: str) -> bool:
    lines = answer.split("\n")
    row = next((line for line in lines if question["row"] in line and question["amount"] in line), None)
    head = lines[: lines.index(row)] if row else []
    return row is not None and any(all(name in line for name in question["column"]) for line in head)


def is_cited(question: dict[str, Any], result: dict[str, Any]) -> bool:
    return any(citation.get("page") == str(question["page"]) for citation in result["citations"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    truth = json.loads((options.folder / "truth.json").read_text(encoding="utf-8"))
    counts: dict[tuple[bool, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for entry in truth:
        for suffix in (".pdf", ".docx", ".html"):
            if options.only not in f"{entry['name']}{suffix}":
                continue
            with tempfile.TemporaryDirectory() as folder:
                ingest(options.folder / f"{entry['name']}{suffix}", Path(folder, "index"))
                results = asyncio.run(answers(Path(folder, "index"), [one["text"] for one in entry["questions"]]))
            count = counts[entry["held_out"], suffix]
            for question, result in zip(entry["questions"], results, strict=True):
                right = is_right(question, result["answer"])
                cited = is_cited(question, result)
                count[0] += 1
                count[1] += right
                count[2] += right and cited
                if not right or (suffix == ".pdf" and not cited):
                    print(f"# {entry['name']}{suffix}: {question['text']} ({question['amount']}, {cited=})", flush=True)
    print("| agreements | format | questions | right amount | and page |")
    print("|---|---|---|---|---|")
    for (held_out, suffix), (asked, right, paged) in sorted(counts.items()):
        name = "held out" if held_out else "seen"
        print(f"| {name} | {suffix[1:].upper()} | {asked} | {right} | {paged if suffix == '.pdf' else '–'} |")


if __name__ == "__main__":
    main()
