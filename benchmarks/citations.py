"""Measure the citation parser on the hand-labelled paragraphs of the real laws.

    python benchmarks/citations.py LAWS_FOLDER [GOLD.jsonl]

A citation counts as right where law and key agree at its paragraph (micro-averaged, as multisets); the second figure
asks for apartado and letter too. The schema of the gold set is in ``tests/data/citations.md``.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.links.provision_index import OwnProvisions, ProvisionIndex
from articulado.ingestion.links.references import cited_by
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Law
from articulado.legal.citations.parser import Citation
from articulado.values.chunks import Chunk

GOLD = Path(__file__).resolve().parents[1] / "tests" / "data" / "citations.jsonl"
WITHOUT_PLACE, WITH_PLACE = 2, 4
"""How many of law, key, apartado and letter are compared."""


@dataclass(frozen=True)
class Score:
    """Counts of citations that are right, parsed and labelled."""

    right: int
    parsed: int
    labelled: int

    @property
    def precision(self) -> float:
        return self.right / self.parsed

    @property
    def recall(self) -> float:
        return self.right / self.labelled


def read_gold(path: Path = GOLD) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fingerprint(paragraph: str) -> str:
    """Return the hash by which a label knows its paragraph: 48 bits of BLAKE2b, blanks apart."""
    return blake2b(" ".join(paragraph.split()).encode(), digest_size=6).hexdigest()


def parsed_in(row: dict[str, Any], law: Law, index: ProvisionIndex, chunks: Sequence[Chunk]) -> list[Citation]:
    """Return what the parser finds in a labelled paragraph, called as ingestion calls it.

    Raises:
        ValueError: the paragraph is not the one that was labelled.
    """
    provision = next(candidate for candidate in law.provisions if candidate.key == row["key"])
    paragraphs = provision.paragraphs
    if row["paragraph"] >= len(paragraphs) or fingerprint(paragraphs[row["paragraph"]]) != row["hash"]:
        raise ValueError(f"{row['law']} {row['key']}: paragraph {row['paragraph']} is not the one that was labelled")
    start = sum(len(paragraph) + len("\n\n") for paragraph in paragraphs[: row["paragraph"]])
    end = start + len(paragraphs[row["paragraph"]])
    parts = [chunk for chunk in chunks if chunk["provision_key"] == row["key"]]
    placed = _placed(provision.text, cited_by(parts, OwnProvisions(chunks), index), parts)
    return [candidate for position, candidate in placed if start <= position < end]


def _placed(text: str, citations: dict[int, list[Citation]], parts: Sequence[Chunk]) -> Iterator[tuple[int, Citation]]:
    """Yield the citations of the parts of a provision with where they begin in its whole text."""
    end = 0
    for part in parts:
        start = text.index(part["text"], end)
        end = start + len(part["text"])
        yield from ((start + citation.start, citation) for citation in citations[part["id"]])


def measure(rows: Sequence[dict[str, Any]], folder: Path, fields: int = WITHOUT_PLACE) -> Score:
    """Compare the first ``fields`` of law, key, apartado and letter; see the module."""
    laws, chunks, index = _read_laws(folder)
    right = parsed = labelled = 0
    for row in rows:
        citations = parsed_in(row, laws[row["law"]], index, chunks[row["law"]])
        parsed_fields = Counter((one.law_id, one.provision_key, one.apartado, one.letter)[:fields] for one in citations)
        labelled_fields = Counter(
            (one["law"], one["key"], one["apartado"], one["letter"])[:fields] for one in row["citations"]
        )
        right, parsed, labelled = (
            right + (parsed_fields & labelled_fields).total(),
            parsed + parsed_fields.total(),
            labelled + labelled_fields.total(),
        )
    return Score(right, parsed, labelled)


@lru_cache(maxsize=1)
def _read_laws(folder: Path) -> tuple[dict[str, Law], dict[str, list[Chunk]], ProvisionIndex]:
    """Return the laws of a folder and their chunks, by id, and the index of all that can be cited."""
    laws = {path.stem: read_law(path) for path in sorted(folder.glob("*.md"))}
    chunks = {law_id: law_chunks(law) for law_id, law in laws.items()}
    return laws, chunks, ProvisionIndex.of([chunk for of_law in chunks.values() for chunk in of_law])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("laws", type=Path)
    parser.add_argument("gold", type=Path, nargs="?", default=GOLD)
    arguments = parser.parse_args()
    gold = read_gold(arguments.gold)
    print(f"{'':6}{'paragraphs':>11}{'citations':>11}{'precision':>11}{'recall':>8}   with apartado and letter")
    for name in ("a", "b", "all"):
        rows = [row for row in gold if name in (row["half"], "all")]
        score, strict = (measure(rows, arguments.laws, fields) for fields in (WITHOUT_PLACE, WITH_PLACE))
        print(
            f"{name:6}{len(rows):>11}{score.labelled:>11}{score.precision:>11.4f}{score.recall:>8.4f}"
            f"{strict.precision:>16.4f}{strict.recall:>8.4f}"
        )


if __name__ == "__main__":
    main()
