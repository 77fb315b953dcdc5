"""Measure how long reranking takes: a cross-encoder of the usual small multilingual shape, and the heuristic.

    python benchmarks/rerank.py [--runs 10] [--cores 2] [--keep FOLDER]

No trained model is used: the cross-encoder has random weights (MiniLM-L12-H384, vocabulary 250,002), so that it takes
as long as a real one and says nothing. It is loaded and asked as in a question, through fastembed and ONNX Runtime,
every question a new one; its passages are as long as is allowed, or as long as usual. ``--keep`` leaves its files in a
folder, for later runs. On a machine that is busy with other things, the time of processors tells more than the clock.
What a published model is worth, where its files are on the machine, ``articulado eval --compare`` measures.
"""

import argparse
import asyncio
import itertools
import logging
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cross_encoder_model import FIRST_WORD, VOCABULARY, write_int8, write_model

from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.cross_encoder import CrossEncoder, ModelFiles
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.model_reranker import ModelReranker
from articulado.store.records.chunks import packaged_records
from articulado.values.protocols import Reranker

SENTENCE = 16
QUESTION_WORDS = 12
USUAL = (75, 90, 104, 133, 236, 351, 395, 440, 473)
"""Tokens of usual passages, by deciles: the twenty best of six lay questions on the 66 laws, at 4 characters each."""

LENGTHS = (("512", 512, (1024,)), ("256", 256, (512,)), ("usual, 512", 512, USUAL), ("usual, 256", 256, USUAL))
"""Name, tokens of a pair at most, and tokens of the passages."""

TIMEOUT = 600.0
"""Seconds: none is cut short here."""

QUESTION = "¿Cuántos días de vacaciones me corresponden si trabajo a tiempo parcial?"


def main() -> None:
    """Print a table, one row a configuration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cores", type=int, help="cores that may be used (default: all)")
    parser.add_argument("--keep", type=Path, help="where the model is left, and looked for")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    logging.getLogger().setLevel(logging.ERROR)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        full, small = folder / "float32", folder / "int8"
        if not small.is_dir():
            write_int8(small, write_model(full))
        print(f"cores: {len(os.sched_getaffinity(0))}, runs: {options.runs}")
        print("| reranker | passages | tokens | p50 | p95 | ms a passage | CPU |")
        print("|---|---|---|---|---|---|---|")
        asyncio.run(_measured(options.runs, {"float32": full, "int8": small}))
    print("\nquality of a trained cross-encoder: not measured: no model files")


async def _measured(runs: int, folders: dict[str, Path]) -> None:
    words = random.Random(0)
    chunks = [chunk for _, chunk in packaged_records()]
    for name, folder in folders.items():
        encoder = CrossEncoder(ModelFiles("benchmark", "", folder, folder))
        started = time.perf_counter()
        await encoder.open(time.time() + 600)
        loading = time.perf_counter() - started
        for length_name, tokens, lengths in LENGTHS:
            for passages in (20, 12):
                texts = (_text(size, words) for size in itertools.cycle(lengths))
                passages_of_length = [{**chunk, "title": "", "text": next(texts)} for chunk in chunks[:passages]]
                reranker = ModelReranker(encoder, tokens=tokens, timeout=TIMEOUT)
                times = await _times(reranker, runs, passages_of_length, lambda: _text(QUESTION_WORDS, words))
                _print(f"cross_encoder, {name}", passages, length_name, times)
        await encoder.close()
        print(f"| cross_encoder, {name}: loading | | | {loading:.2f} s | | | |")
    for passages in (20, 45):
        sampled = words.sample(chunks, passages)
        times = await _times(HeuristicReranker(Comparer(SPANISH_LAW)), runs, sampled, lambda: QUESTION)
        _print("heuristic", passages, "all", times)


async def _times(
    reranker: Reranker, runs: int, chunks: Sequence[Mapping[str, Any]], question: Callable[[], str]
) -> list[tuple[float, float]]:
    """Return the seconds that each run took, by the clock and of processors; one more, before them, is not counted."""
    candidates: Any = [{"chunk": chunk, "score": 0.5, "origins": ["hybrid"], "found_by": []} for chunk in chunks]
    times = []
    for _ in range(runs + 1):
        new_question = question()
        started, worked = time.perf_counter(), time.process_time()
        await reranker.score(new_question, [new_question], candidates)
        times.append((time.perf_counter() - started, time.process_time() - worked))
    return times[1:]


def _print(name: str, passages: int, tokens: str, times: Sequence[tuple[float, float]]) -> None:
    wall, processors = zip(*times, strict=True)
    middle, late, worked = statistics.median(wall), _percentile(wall, 95), statistics.median(processors)
    each = 1000 * middle / passages
    print(
        f"| {name} | {passages} | {tokens} | {middle:.3f} s | {late:.3f} s | {each:.1f} | {worked:.3f} s |", flush=True
    )


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]


def _text(size: int, words: random.Random) -> str:
    """Return a text of so many tokens, in sentences of 16."""
    pieces = [f"w{words.randrange(FIRST_WORD, VOCABULARY)}" for _ in range(size)]
    sentences = [" ".join(pieces[start : start + SENTENCE - 1]) for start in range(0, size, SENTENCE)]
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


if __name__ == "__main__":
    main()
