"""Measure how questions in everyday words find sections of documents of one's own, and which of them are answered.

    python benchmarks/own_documents/measure.py HOME [--questions FILE] [--profile NAME] [--rows]

HOME holds an index with the documents beside this file. Each question is asked in Spanish and in English. Rows
without a document have no answer in them. The documents with an even place in the alphabet are "kept": settings were
chosen by the others.
"""

import argparse
import asyncio
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from articulado.config.settings import Settings
from articulado.retrieval.fusion import nearest
from graph.compose import open_services
from graph.rag import build_rag
from nodes.chunk_shelf import ChunkShelf

FOLDER = Path(__file__).parent
Row = dict[str, Any]


def rows_of(file: Path) -> list[Row]:
    """Return the questions of a file of lines of JSON, with the part of the data that each is of."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    documents = sorted({row["document"] for row in rows})
    for place, row in enumerate(rows):
        number = documents.index(row["document"]) if row["document"] else place
        row["part"] = "kept" if number % 2 == 0 else "chosen"
    return rows


async def measure(home: Path, questions: Path, profile: str, show: bool) -> None:
    """Ask every question and print the shares in percent, and the milliseconds of CPU of a question."""
    services = await open_services(Settings.read(env_file=None, home=home, index=home / "index", profile=profile))
    graph = build_rag(services)
    await graph.ainvoke({"question": "¿Cuántos días de vacaciones tengo?"})
    for language in ("question", "english"):
        shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
        start = time.process_time()
        rows = rows_of(questions)
        for row in rows:
            async for state in graph.astream({"question": row[language]}, stream_mode="values"):
                result = await ChunkShelf(services.stores).resolved(state)
            figures = _figures(row, result)
            if show:
                print(row[language], row["document"], figures, result["outcome"], result["relevance"])
            for name, value in figures.items():
                shares[row["part"]][name].append(value)
        cpu = 1_000 * (time.process_time() - start) / len(rows)
        for part, values in sorted(shares.items()):
            told = " ".join(f"{name} {sum(each)}/{len(each)}" for name, each in values.items())
            print(f"{language:8} {part:6} {told}  ({cpu:.0f} ms)")
    await services.close()


def _figures(row: Row, result: Row) -> dict[str, bool]:
    if not row["document"]:
        return {"declined": result["outcome"] != "answer"}
    section = _section(row["document"], row["section"])
    best = [candidate["chunk"] for candidate in nearest(result["candidates"], 3)]
    hits = [chunk["law_id"].startswith(row["document"]) and section in chunk["text"] for chunk in best]
    is_answer = result["outcome"] == "answer"
    said = is_answer and any(sentence in result["answer"] for sentence in section.rstrip(".").split(". "))
    return {"hit@1": any(hits[:1]), "hit@3": any(hits), "answered": is_answer, "said": said}


def _section(document: str, title: str) -> str:
    """Return the text below a title of a document: a single paragraph."""
    text = (FOLDER / f"{document}.md").read_text("utf-8")
    return text.split(f"## {title}\n\n")[1].split("\n")[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--questions", type=Path, default=FOLDER / "questions.jsonl")
    parser.add_argument("--profile", default="laboral")
    parser.add_argument("--rows", action="store_true")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.home, arguments.questions, arguments.profile, arguments.rows))
