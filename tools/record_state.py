"""Report missing and outdated records of the corpus by law, and stamp new records with a law's wording.

    python -m tools.record_state LAWS [LAW …] [--stamp]

LAWS is a folder of laws in Markdown. To stamp a rewritten record, delete its ``written_against`` first.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Law
from articulado.legal.labels import provision_key
from articulado.legal.wordings import wording_hash
from articulado.values.errors import ArticuladoError

FOLDERS = ("normativa", "sin_contenido")

Line = dict[str, Any]


@dataclass(frozen=True)
class LawState:
    """Records of one law: numbers of written and empty ones, and labels of provisions that need work."""

    written: int
    empty: int
    stale: tuple[str, ...]
    unstamped: tuple[str, ...]
    missing: tuple[str, ...]


def state_of(law: Law, written: Iterable[Line], empty: Iterable[Line]) -> LawState:
    """Compare records with the text of their law."""
    written, empty = list(written), list(empty)
    stamps = _stamps(law)
    records = {provision_key(line["provision"]) or "": line for line in (*written, *empty)}
    return LawState(
        written=len(written),
        empty=len(empty),
        stale=tuple(line["provision"] for key, line in records.items() if _is_stale(line, stamps.get(key))),
        unstamped=tuple(line["provision"] for line in records.values() if "written_against" not in line),
        missing=tuple(
            provision.label for provision in law.provisions if provision.key in stamps and provision.key not in records
        ),
    )


def stamped(law: Law, lines: Iterable[Line]) -> list[Line]:
    """Return records with ``written_against``; those without it get that of the law's wording."""
    stamps = _stamps(law)
    records = []
    for line in lines:
        stamp = line.get("written_against") or stamps.get(provision_key(line["provision"]) or "")
        records.append({**line, "written_against": stamp} if stamp else line)
    return records


def read_lines(file: Path) -> list[Line]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


def write_lines(file: Path, lines: Iterable[Line]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _is_stale(line: Line, stamp: dict[str, str] | None) -> bool:
    against = line.get("written_against")
    return stamp is None or (against is not None and against["content_hash"] != stamp["content_hash"])


def _stamps(law: Law) -> dict[str, dict[str, str]]:
    """Return the stamp of each provision by key, except for an approving decree and quoted articles."""
    return {
        provision.key: {
            "content_hash": wording_hash(provision.text),
            "date": provision.valid_from or law.published,
        }
        for provision in law.provisions
        if "~" not in provision.key
    }


def main() -> None:
    """Print the state of each law, and stamp records on request."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("laws", type=Path)
    parser.add_argument("law", nargs="*", metavar="BOE-ID")
    parser.add_argument("--stamp", action="store_true")
    options = parser.parse_args()
    corpus = Path(str(resources.files("corpus")))
    names = options.law or sorted(file.stem for file in (corpus / FOLDERS[0]).glob("*.jsonl"))
    for name in names:
        law = read_law(options.laws / f"{name}.md")
        files = [corpus / folder / f"{name}.jsonl" for folder in FOLDERS]
        if options.stamp:
            for file in filter(Path.is_file, files):
                write_lines(file, stamped(law, read_lines(file)))
        state = state_of(law, *map(read_lines, files))
        print(f"{name}: {state.written} written, {state.empty} empty, {len(state.missing)} missing")
        for problem in ("stale", "unstamped", "missing"):
            for label in getattr(state, problem):
                print(f"  {problem}: {label}")


if __name__ == "__main__":
    try:
        main()
    except (ArticuladoError, OSError, ValueError, KeyError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
