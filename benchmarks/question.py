"""Measure what a question costs in a process that is warm, and compare the answers of two checkouts to the letter.

    python benchmarks/question.py record OUT.jsonl --index INDEX [--checkout FOLDER] [--questions FILE ...]
    python benchmarks/question.py compare BEFORE.jsonl AFTER.jsonl

``record`` asks every question once, after a warm-up with questions that are not among them, so that no figure is that
of a question asked before; ``--warm-up 1`` shows what questions cost whose provisions no other question has found yet.
It notes the whole result, the milliseconds of CPU that the process took (all threads), those on the clock, and those
of each stage; with ``--retrieval`` only up to the chosen fragments. With ``--checkout`` the modules are those of
another checkout, with the packages of this interpreter. Questions are those of the project's gold sets and of
``../shared/eval``, and conversations, whose later turns carry over what the ones before rested on.

``compare`` prints the figures of both, and each result that differs in anything but time; it fails where one does.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[1]
DATASETS = CHECKOUT / "evaluation" / "datasets"
SHARED = CHECKOUT.parent / "shared" / "eval"
GOLD = (*sorted(SHARED.glob("dev_*.jsonl")), DATASETS / "demo.jsonl")
BESIDES = ((DATASETS / "unanswerable.jsonl", 10), (DATASETS / "other_matters.jsonl", 4))
"""Sets of which every so many questions are asked: they end without an answer."""
CONVERSATIONS, EVERY = DATASETS / "conversations_test.jsonl", 4
WARM_UP = DATASETS / "conversations.jsonl"
"""First questions of conversations, none of which is asked again."""

Row = dict[str, Any]


def rows_of(file: Path) -> list[Row]:
    """Return the objects of a file of lines of JSON."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def dialogues() -> list[tuple[str, list[str]]]:
    """Return what is asked: an id and the questions of each conversation, mostly a single one."""
    singles = [row for file in GOLD for row in rows_of(file)]
    singles += [row for file, step in BESIDES for row in rows_of(file)[::step]]
    asked = [(str(row["id"]), [str(row["question"])]) for row in singles]
    for row in rows_of(CONVERSATIONS)[::EVERY]:
        asked.append((str(row["id"]), [str(turn["question"]) for turn in row["turns"]]))
    return asked


def warm_up_questions() -> list[str]:
    """Return questions that are not measured."""
    return [str(row["turns"][0]["question"]) for row in rows_of(WARM_UP)]


async def record(index: Path, out: Path, warm_up: int, retrieval: bool) -> None:
    """Ask all questions, one after the other, and write a line for each."""
    # Imported here: ``compare`` does without, and the modules are those of the checkout that is measured.
    from articulado.config.settings import Settings
    from graph.compose import open_services
    from graph.rag import build_context, build_rag

    services = await open_services(Settings.read(env_file=None, index=index))
    graph = build_context(services) if retrieval else build_rag(services)
    for question in islice(warm_up_questions(), warm_up):
        await graph.ainvoke({"question": question})
    with out.open("w", encoding="utf-8") as stream:
        for name, questions in dialogues():
            carried: Row = {}
            for turn, question in enumerate(questions):
                cpu, clock = time.process_time(), time.perf_counter()
                result = await graph.ainvoke({"question": question, **carried})
                row = {
                    "id": f"{name}/{turn}",
                    "cpu": 1000 * (time.process_time() - cpu),
                    "clock": 1000 * (time.perf_counter() - clock),
                    "stages": result["usage"]["stages"],
                    "result": _comparable(result, retrieval),
                }
                stream.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
                history = [*carried.get("history", []), {"role": "user", "content": question}]
                answer = {"role": "assistant", "content": result.get("answer", "")}
                carried = {"history": [*history, answer], "previous_chunk_ids": result.get("context_chunk_ids", [])}
    await services.close()


def _comparable(result: Mapping[str, Any], retrieval: bool) -> Row:
    """Return what must stay the same to the letter: everything but time, and messages, which repeat the answer."""
    return {key: value for key, value in result.items() if key not in ("usage", "messages")}


def compare(before: Path, after: Path) -> bool:
    """Print the figures of two records and what differs; return whether every result is the same."""
    first, second = rows_of(before), rows_of(after)
    for quantity in ("cpu", "clock"):
        for name, rows in (("before", first), ("after", second)):
            print(f"{quantity:>6} ms, {name:<6} {_figures([row[quantity] for row in rows])}")
    print(f"{'stage, ms':<22}{'before p50':>11}{'p95':>8}{'after p50':>11}{'p95':>8}")
    for stage in dict.fromkeys(stage for row in (*first, *second) for stage in row["stages"]):
        columns = [[row["stages"].get(stage, 0.0) for row in rows] for rows in (first, second)]
        print(f"{stage:<22}" + "".join(f"{_at(each, 0.5):>11.2f}{_at(each, 0.95):>8.2f}" for each in columns))
    if [row["id"] for row in first] != [row["id"] for row in second]:
        print("the questions differ")
        return False
    differing = [(one, other) for one, other in zip(first, second, strict=True) if one["result"] != other["result"]]
    for one, other in differing:
        for key in dict.fromkeys((*one["result"], *other["result"])):
            if one["result"].get(key) != other["result"].get(key):
                print(f"{one['id']} {key}:\n  - {one['result'].get(key)!r}\n  + {other['result'].get(key)!r}")
    print(f"{len(first)} results, {len(differing)} differ")
    return not differing


def _figures(values: Sequence[float]) -> str:
    return f"p50 {_at(values, 0.5):7.1f}  p95 {_at(values, 0.95):7.1f}  mean {statistics.mean(values):7.1f}"


def _at(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def elsewhere(checkout: Path, arguments: Sequence[str]) -> int:
    """Run this program with the modules of another checkout; return its exit code."""
    environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, __file__, *arguments], cwd=checkout, env=environment).returncode


def _without_checkout(arguments: Sequence[str]) -> Iterator[str]:
    rest = iter(arguments)
    for argument in rest:
        if argument == "--checkout":
            next(rest)
        elif not argument.startswith("--checkout="):
            yield argument


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("out", type=Path)
    recording.add_argument("--index", type=Path, required=True)
    recording.add_argument("--checkout", type=Path)
    recording.add_argument("--warm-up", type=int, default=30)
    recording.add_argument("--retrieval", action="store_true")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "compare":
        sys.exit(0 if compare(arguments.before, arguments.after) else 1)
    if arguments.checkout:
        sys.exit(elsewhere(arguments.checkout, list(_without_checkout(sys.argv[1:]))))
    asyncio.run(record(arguments.index, arguments.out, arguments.warm_up, arguments.retrieval))


if __name__ == "__main__":
    main()
