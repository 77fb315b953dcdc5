"""Measure how citations that people write are read, against labelled ones.

    python -m benchmarks.citation_requests [GOLD.jsonl]

``show`` is the parser of ``articulado show``, ``ask`` that of questions; neither needs an index. Columns: share of rows
whose provisions, parts and remarks are all right; precision and recall of provisions, and of provisions with their
parts (micro-averaged, as multisets); rows that are wrong without a word on it. The schema of the gold set is in
``tests/data/citations.md``.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.reading import read
from articulado.retrieval.question import as_citation, provisions_asked
from articulado.retrieval.references import read_reference
from articulado.values.errors import InvalidInput
from benchmarks.citations import Score

GOLD = Path(__file__).resolve().parents[1] / "tests" / "data" / "citation_requests.jsonl"
FRESH = GOLD.with_stem("citation_requests_fresh")
DEFAULT_LAW = "BOE-A-2015-11430"
DAY = date(2026, 7, 1)

Part = tuple[str | None, str, str, str]
"""Law, key, apartado and letter; the law is ``None`` where the registry does not know it."""


@dataclass(frozen=True)
class Reading:
    """The parts that a text names, in order, and the kinds of remark on them."""

    parts: tuple[Part, ...]
    says: frozenset[str]

    @classmethod
    def labelled(cls, row: dict[str, Any]) -> "Reading":
        """Return the reading of a row of the gold set."""
        parts = (
            (one["law"], one["key"], *place) for one in row["provisions"] for place in one.get("places") or [["", ""]]
        )
        return cls(tuple(parts), frozenset(row.get("says", ())))

    @classmethod
    def of(cls, requests: Iterable[ProvisionRequest]) -> "Reading":
        """Return the reading that a parser gives."""
        parts, says = [], set[str]()
        for asked in requests:
            parts += [(asked.law_id or None, asked.provision_key, *place) for place in asked.subdivisions or [("", "")]]
            remarks = {
                "assumed_law": asked.assumed,
                "unknown_law": bool(asked.law_words),
                "following": asked.following,
                "unread": bool(asked.unread),
            }
            says |= {kind for kind, is_said in remarks.items() if is_said}
        return cls(tuple(parts), frozenset(says))


def shown(text: str) -> Reading:
    """Read a text as ``articulado show`` does."""
    try:
        return Reading.of(read_reference(text, DEFAULT_LAW, DAY).provisions)
    except InvalidInput:
        return Reading((), frozenset(("refused",)))


def asked(text: str) -> Reading:
    """Read a text as the first question of a conversation."""
    return Reading.of(provisions_asked(read(as_citation(text, DAY), DAY), [], DEFAULT_LAW))


READERS: dict[str, Callable[[str], Reading]] = {"show": shown, "ask": asked}


def read_gold(path: Path = GOLD) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def wrong(rows: Sequence[dict[str, Any]], reader: Callable[[str], Reading]) -> list[tuple[str, Reading, Reading]]:
    """Return text, label and reading of the rows that are read wrongly."""
    read_rows = ((row["text"], Reading.labelled(row), reader(row["text"])) for row in rows)
    return [one for one in read_rows if one[1] != one[2]]


def score(rows: Sequence[dict[str, Any]], reader: Callable[[str], Reading], fields: int) -> Score:
    """Compare the first ``fields`` of law, key, apartado and letter."""
    right = parsed = labelled = 0
    for row in rows:
        gold, found = (
            Counter({part[:fields] for part in reading.parts})
            for reading in (Reading.labelled(row), reader(row["text"]))
        )
        right, parsed, labelled = (
            right + (gold & found).total(),
            parsed + found.total(),
            labelled + gold.total(),
        )
    return Score(right, parsed, labelled)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, nargs="?", default=GOLD)
    rows = read_gold(parser.parse_args().gold)
    print(f"{'':6}{'rows':>6}{'right':>9}{'provisions: p':>15}{'r':>8}{'with parts: p':>15}{'r':>8}{'silent':>8}")
    for name, reader in READERS.items():
        mistakes = wrong(rows, reader)
        silent = [text for text, gold, found in mistakes if gold.parts != found.parts and not found.says]
        loose, strict = score(rows, reader, 2), score(rows, reader, 4)
        print(
            f"{name:6}{len(rows):>6}{1 - len(mistakes) / len(rows):>9.4f}{loose.precision:>15.4f}{loose.recall:>8.4f}"
            f"{strict.precision:>15.4f}{strict.recall:>8.4f}{len(silent):>8}"
        )
        for text, gold, found in mistakes:
            print(f"      {text}\n        labelled {gold}\n        read     {found}")


if __name__ == "__main__":
    main()
