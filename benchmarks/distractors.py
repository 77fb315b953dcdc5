"""Measure what retrieval loses when hundreds of norms of other fields stand in the index beside the laws of ours.

    python benchmarks/distractors.py LAWS MIRROR --gold FILE [--gold FILE …] --indexes FOLDER
        [--sample N] [--seed N] [--matching PATTERN]

LAWS is a folder of Markdown laws, on which the gold sets are labelled, and MIRROR one of all legislation, a folder each
for the state and the communities; of the latter a random sample is taken. Both indexes, of the laws alone and of all,
are built in FOLDER where they are not there yet. Three rows for each gold set: the laws in their own index; the laws in
the index of all, the others left out of each search (what is lost because words are weighed by other texts); and all.
Means are of nDCG@10, recall@20 and hit@3; those of two halves, by a hash of the ids, follow, so that what is decided on
one can be looked at on the other. Then: what of the first ten provisions is of which other norms.
"""

import argparse
import asyncio
import dataclasses
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import mean

from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Law
from articulado.legal.laws.registry import LOWEST, rank_of
from articulado.values.protocols import ChunkStore, Hit, HybridQuery, SearchFilter
from cli.options import read_configuration
from cli.session import opened_services
from evaluation.gold.questions import GoldSet, read_gold_set
from evaluation.retrieval.evaluate import LAW, Outcome, Retriever, evaluate

METRICS = ("nDCG@10", "R@20", "hit@3")
FIRST = 10
FRONT = 2_000
"""Characters in which the front matter of a norm ends."""
_AMENDING = re.compile(r"por (?:el|la) que se (?:modifica|reforma|deroga)", re.IGNORECASE)


class OnlyLaws:
    """Searches a store for the provisions of some laws; all else is as the store has it."""

    def __init__(self, store: ChunkStore, laws: Sequence[str]) -> None:
        self._store, self._laws = store, tuple(laws)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search as the store does; of laws, only these."""
        if collection == LAW:
            where = dataclasses.replace(where, fields=(*where.fields, ("law_id", self._laws)))
        return await self._store.search(collection, queries, limit=limit, prefetch=prefetch, where=where)


def sampled(laws: Path, mirror: Path, size: int, seed: int, words: str) -> tuple[list[Path], list[Path]]:
    """Return the files of the laws, and of a random sample of the others of the mirror, the same for the same seed.

    Of the others only those are taken whose beginning (title, department) matches the ``words``.
    """
    own = sorted(laws.glob("*.md"))
    ids = {path.stem for path in own}
    others = [path for path in sorted(mirror.glob("*/*.md")) if path.stem not in ids and _begins(path, words)]
    return own, random.Random(seed).sample(others, size)


def _begins(path: Path, words: str) -> bool:
    if not words:
        return True
    with path.open(encoding="utf-8") as file:
        front = file.read(FRONT).partition("\n---")[0]
    return re.search(words, front, re.IGNORECASE) is not None


def ingested(files: Sequence[Path], index: Path) -> Path:
    """Build an index of some files unless it is there; return it."""
    if not (index / "current").exists():
        links = index.with_name(f"{index.name}-files")
        links.mkdir(parents=True)
        for file in files:
            (links / file.name).symlink_to(file.resolve())
        command = [sys.executable, "-m", "cli", "ingest", str(links), "--index", str(index)]
        with index.with_name(f"{index.name}.log").open("w") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, env=os.environ)
    return index


async def asked(index: Path, sets: Sequence[GoldSet], only: Sequence[str] = ()) -> list[Outcome]:
    """Put the questions of each set to an index, of which only some laws are searched where they are given."""
    settings, profile = read_configuration(index)
    async with opened_services(settings, profile) as services:
        if only:
            services = dataclasses.replace(services, store=OnlyLaws(services.store, only))
        return [await evaluate(gold, Retriever(services)) for gold in sets]


def row(name: str, outcome: Outcome) -> str:
    """Return the means of an outcome, of all and of each half."""
    halves: list[list[str]] = [[], []]
    for question in outcome.positives:
        halves[blake2b(question.id.encode(), digest_size=1).digest()[0] % 2].append(question.id)
    values = outcome.measured.per_question
    means = [
        " / ".join(f"{mean(values[id][metric] for id in ids):.3f}" for metric in METRICS) if ids else "–"
        for ids in ([question.id for question in outcome.positives], *halves)
    ]
    return f"| {outcome.gold.name} | {name} | {' | '.join(means)} |"


def group_of(law: Law) -> str:
    """Return what kind of norm one is, the first that fits."""
    if law.territory:
        return "regional"
    if law.status != "in_force":
        return "repealed"
    if _AMENDING.search(law.title):
        return "amending"
    return "order or below" if rank_of(law.id, law.rank) == LOWEST else "other state law"


def intruders(outcome: Outcome, groups: Mapping[str, str]) -> Counter[str]:
    """Count the norms beside the laws, by group, among the first provisions of each question with an answer."""
    first = (row.provision[0] for question in outcome.positives for row in outcome.retrieved[question.id].rows[:FIRST])
    return Counter(groups[law_id] for law_id in first if law_id in groups)


async def measure(options: argparse.Namespace) -> None:
    """Build what is missing, ask, and print both tables."""
    own, others = sampled(options.laws, options.mirror, options.sample, options.seed, options.matching)
    alone = ingested(own, options.indexes / "laws")
    name = blake2b("\n".join(path.stem for path in others).encode(), digest_size=4).hexdigest()
    among = ingested([*own, *others], options.indexes / f"all-{name}")
    sets = [read_gold_set(path) for path in options.gold]
    laws = [read_law(path).id for path in own]
    groups = {law.id: group_of(law) for law in map(read_law, others)}
    views: dict[str, tuple[Path, list[str]]] = {
        f"{len(own)} laws": (alone, []),
        f"the same among {len(own) + len(others)}, others left out": (among, laws),
        f"among {len(own) + len(others)}": (among, []),
    }
    print("| set | searched | all | one half | other half |")
    print("|---|---|---|---|---|")
    for name, (index, only) in views.items():
        outcomes = await asked(index, sets, only)
        for outcome in outcomes:
            print(row(name, outcome), flush=True)
    print("\n| others | norms | provisions among the first ten, of all |")
    print("|---|---|---|")
    counts = sum((intruders(outcome, groups) for outcome in outcomes), Counter[str]())
    places = sum(FIRST * len(outcome.positives) for outcome in outcomes)
    for group, norms in Counter(groups.values()).most_common():
        print(f"| {group} | {norms} | {counts[group]} of {places} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laws", type=Path)
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--gold", type=Path, action="append", required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matching", default="", help="take others whose title or department matches this pattern")
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
