"""Measure what the retrieval stages find on a gold set.

    python benchmarks/retrieval.py --index FOLDER GOLD.jsonl …

A gold set has one question a line, with ``relevant`` {"<law id>#<label>": 2 or 1}; an empty one is a negative
(``other_matters.jsonl``, beside this file, has nothing but these). The ranking is the one of the graph: candidates
after rerank, one row a provision of the law.
"""

import argparse
import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graph.compose import open_services
from graph.rag import Rag, build_retrieval
from legal.labels import provision_key
from nodes.select_context import preference
from services.settings import Settings

Provision = tuple[str, str | None]


async def ranked(graph: Rag, question: str) -> tuple[list[Provision], bool]:
    """Return the provisions in the order of relevance, each once, and whether the graph abstains."""
    states = [state async for state in graph.astream({"question": question}, stream_mode="values")]
    state: dict[str, Any] = states[-1]
    chunks = [found["chunk"] for found in sorted(state["candidates"], key=preference)]
    provisions = [(c["law_id"], c["provision_key"]) for c in chunks if c["collection"] == "normativa"]
    return list(dict.fromkeys(provisions)), state.get("abstained", False)


def ndcg(ranking: Sequence[Provision], relevant: Mapping[Provision, int], depth: int = 10) -> float:
    """Return nDCG with gains 2^grade - 1 and discounts 1 / log2(rank + 1) (Järvelin and Kekäläinen, 2002)."""
    gains = [2 ** relevant.get(provision, 0) - 1 for provision in ranking[:depth]]
    ideal = [2**grade - 1 for grade in sorted(relevant.values(), reverse=True)[:depth]]
    return _dcg(gains) / _dcg(ideal)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


async def measured(graph: Rag, name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return one row of the table."""
    scores: list[tuple[float, float, float]] = []
    refused = declined = negatives = 0
    for row in rows:
        ranking, abstained = await ranked(graph, row["question"])
        relevant: dict[Provision, int] = {
            (law, provision_key(label)): grade
            for (law, _, label), grade in ((key.partition("#"), grade) for key, grade in row["relevant"].items())
        }
        if not relevant:
            negatives += 1
            declined += abstained
            continue
        refused += abstained
        recall = sum(provision in relevant for provision in ranking[:20]) / len(relevant)
        hit = any(relevant.get(provision) == 2 for provision in ranking[:3])
        scores.append((ndcg(ranking, relevant), recall, float(hit)))
    columns = list(zip(*scores, strict=True)) or [()] * 3
    means = " | ".join(f"{sum(column) / len(column):.3f}" if column else "–" for column in columns)
    return f"| {name} | {len(scores)} | {means} | {refused} | {declined} / {negatives} |"


def main() -> None:
    """Print a table, one row a gold set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, help="folder of the index (default: the configured one)")
    parser.add_argument("gold", type=Path, nargs="+")
    options = parser.parse_args()
    graph = build_retrieval(open_services(Settings.read(index=options.index)))
    print("| set | questions | nDCG@10 | recall@20 | hit@3 | wrongly refused | negatives declined |")
    print("|---|---|---|---|---|---|---|")
    for gold in options.gold:
        rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines() if line.strip()]
        print(asyncio.run(measured(graph, gold.stem, rows)))


if __name__ == "__main__":
    main()
