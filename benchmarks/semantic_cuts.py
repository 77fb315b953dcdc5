"""Measure where running text is cut, on documents whose subjects are known.

    python benchmarks/semantic_cuts.py [--documents N] [--seed N]

Documents are put together from made-up subjects (``subjects.md``), ten of them each in a random order, of four to
seven sentences, in paragraphs of random length that say nothing of the subjects. A guide has a heading over each
subject, an agreement a numbered one, a circular none. Sentences are embedded offline. Precision and recall are of the
cuts (a cut counts where a subject begins, a heading belonging to what is below it), and once more with a cut one
sentence away counting too; Pk (Beeferman et al., 1999) and WindowDiff (Pevzner and Hearst, 2002) are errors.

Compared are single sentences and windows of three that overlap, both as LangChain's SemanticChunker has them, and
windows on either side of a gap, the sentences embedded by axes of the document itself or by the encoder of the package.
"""

import argparse
import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np

from articulado.ingestion.chunking import semantic
from articulado.language.sentences import sentence_spans
from articulado.legal.domain.base import PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.protocols import Vector

SUBJECTS = Path(__file__).with_name("subjects.md")
KINDS = ("guide", "agreement", "circular")
SUBJECTS_EACH = 10
SHORTEST = 4


def subjects() -> dict[str, list[str]]:
    """Return the sentences of each subject, by its title."""
    blocks = SUBJECTS.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    return {title: text.split(". ") for title, text in (block.strip().split("\n", 1) for block in blocks)}


def document(kind: str, draw: random.Random) -> tuple[str, set[int]]:
    """Return a document, and the offsets at which its subjects begin."""
    text, begins = "", set()
    chosen = draw.sample(sorted(subjects().items()), SUBJECTS_EACH)
    for number, (title, written) in enumerate(chosen, start=1):
        heading = {"guide": f"{title}\n\n", "agreement": f"{number}. {title}\n\n", "circular": ""}[kind]
        # Without headings a subject may go on in the paragraph of the one before it.
        text += ("\n\n" if heading or draw.random() < 0.7 else " ") if text else ""
        begins.add(len(text))
        text += heading
        count = draw.randint(SHORTEST, len(written))
        for position, sentence in enumerate(written[:count]):
            text += sentence.strip().rstrip(".") + "."
            text += "" if position == count - 1 else draw.choice((" ", " ", "\n\n"))
    return text, begins


def figures(text: str, begins: set[int], cuts: set[int]) -> dict[str, float]:
    """Return precision, recall (exact and within one sentence), Pk and WindowDiff of the cuts of a text."""
    starts = [start for start, _ in sentence_spans(text)]
    right = [position for position, start in enumerate(starts) if start in begins and position]
    made = [position for position, start in enumerate(starts) if start in cuts and position]
    half = max(2, round(len(starts) / (len(right) + 1) / 2))
    spans = [(start, start + half) for start in range(len(starts) - half)]
    between = [[sum(start < cut <= end for cut in row) for start, end in spans] for row in (right, made)]
    return {
        "precision": len({*right} & {*made}) / max(1, len(made)),
        "recall": len({*right} & {*made}) / len(right),
        "precision_near": mean(any(abs(cut - other) <= 1 for other in right) for cut in made) if made else 0.0,
        "recall_near": mean(any(abs(cut - other) <= 1 for other in made) for cut in right),
        "pk": mean((a > 0) != (b > 0) for a, b in zip(*between, strict=True)),
        "window_diff": mean(a != b for a, b in zip(*between, strict=True)),
    }


async def by_own_axes(texts: Sequence[str]) -> Sequence[Vector]:
    """Embed texts by latent semantic analysis of themselves."""
    return await semantic.offline_vectors(texts, PlainDomain(SPANISH_LAW.language))


async def by_encoder(texts: Sequence[str]) -> Sequence[Vector]:
    """Embed texts by the encoder of the package."""
    return await semantic.offline_vectors(texts, SPANISH_LAW)


def around(texts: Sequence[str], buffer: int) -> list[str]:
    """Return each text with its neighbours: the windows of LangChain's SemanticChunker."""
    return [" ".join(texts[max(0, at - buffer) : at + buffer + 1]) for at in range(len(texts))]


async def overlapping(text: str, embed: semantic.Embed, buffer: int) -> list[int]:
    """Return the offsets of the cuts where neighbouring windows differ by more than the percentile."""
    units = semantic.blocks(text)
    vectors = await embed(around([text[start:end] for start, end in units], buffer))
    gaps = semantic.distances(vectors[:-1], vectors[1:])
    return [units[gap + 1][0] for gap in np.flatnonzero(gaps > np.percentile(gaps, semantic.PERCENTILE))]


async def as_ingested(text: str, embed: semantic.Embed) -> list[int]:
    """Return the offsets of the cuts that an ingest makes, but for those of length."""
    return [start for start, _ in semantic.subjects(text, await semantic.gaps(text, embed))][1:]


METHODS: dict[str, Callable[[str, semantic.Embed], Awaitable[list[int]]]] = {
    "single sentences": partial(overlapping, buffer=0),
    "windows of three (`buffer_size` 1)": partial(overlapping, buffer=1),
    "three on either side, peaks, headings": as_ingested,
}


async def measure(documents: int, seed: int) -> None:
    """Print one row for each method, embedder and kind of document."""
    print("| compared | axes | documents | precision / recall | within one sentence | Pk | WindowDiff |")
    print("|---|---|---|---|---|---|---|")
    for method, cuts in METHODS.items():
        for axes, embed in (("own", by_own_axes), ("encoder", by_encoder)):
            for kind in KINDS:
                draw = random.Random(seed)
                rows = [
                    figures(text, begins, set(await cuts(text, embed)))
                    for text, begins in (document(kind, draw) for _ in range(documents))
                ]
                of = {name: f"{mean(row[name] for row in rows):.2f}" for name in rows[0]}
                print(
                    f"| {method} | {axes} | {kind} | {of['precision']} / {of['recall']} "
                    f"| {of['precision_near']} / {of['recall_near']} | {of['pk']} | {of['window_diff']} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=30, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    asyncio.run(measure(options.documents, options.seed))


if __name__ == "__main__":
    main()
