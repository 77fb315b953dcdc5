"""Run mutation tests on a sample of mutants with a fixed seed: ``python -m tools.mutation --sample 300``."""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

SEED = 20261128
FOLDER = Path("mutants")
_OUTCOMES = {0: "survived", 1: "killed", 3: "killed", 33: "untested"}
_TIMED_OUT = {24, 36, 152, 255, -9, -14, -24}
COLUMNS = ("killed", "timeout", "survived", "untested", "other")


def outcome(status: int | None) -> str:
    """Return the outcome of a mutant by the exit status that mutmut keeps.

    >>> [outcome(status) for status in (0, 1, 33, 36, None)]
    ['survived', 'killed', 'untested', 'timeout', 'other']
    """
    return "timeout" if status in _TIMED_OUT else _OUTCOMES.get(status, "other") if status is not None else "other"


def mutation_table(statuses: Mapping[str, int | None], drawn: Sequence[str]) -> str:
    """Return a Markdown table of the outcomes of the drawn mutants by package, and the names of the survivors.

    ``statuses`` has the exit status of every generated mutant by name.

    >>> print(mutation_table({"state.rag.x_a__mutmut_1": 1, "state.rag.x_a__mutmut_2": 0}, ["state.rag.x_a__mutmut_2"]))
    | package | mutants | run | killed | timeout | survived | untested | other |
    |---|---|---|---|---|---|---|---|
    | `state` | 2 | 1 | 0 | 0 | 1 | 0 | 0 |
    <BLANKLINE>
    killed 0 of 1 (0 %)
    survived: state.rag.x_a__mutmut_2
    """
    lines = [f"| package | mutants | run | {' | '.join(COLUMNS)} |", "|---" * (3 + len(COLUMNS)) + "|"]
    total = Counter(outcome(statuses[name]) for name in drawn)
    for package in sorted({_package(name) for name in statuses}):
        of_package = [name for name in drawn if _package(name) == package]
        counts = Counter(outcome(statuses[name]) for name in of_package)
        generated = sum(_package(name) == package for name in statuses)
        figures = " | ".join(str(counts[column]) for column in COLUMNS)
        lines.append(f"| `{package}` | {generated} | {len(of_package)} | {figures} |")
    killed = total["killed"] + total["timeout"]
    lines += ["", f"killed {killed} of {len(drawn)} ({round(100 * killed / max(len(drawn), 1))} %)"]
    left = [f"{outcome(statuses[name])}: {name}" for name in drawn if outcome(statuses[name]) in COLUMNS[2:]]
    return "\n".join([*lines, *left])


def _package(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[: 2 if parts[0] == "articulado" else 1])


def read_statuses(folder: Path) -> dict[str, int | None]:
    """Return the exit status of every generated mutant, ``None`` for one that has not run."""
    statuses: dict[str, int | None] = {}
    for file in sorted(folder.rglob("*.meta")):
        statuses.update(json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"])
    return statuses


def _mutmut(*names: str) -> int:
    return subprocess.run([sys.executable, "-m", "mutmut", "run", *names], check=False).returncode


def main() -> int:
    """Generate the mutants, run a sample and print the table; return mutmut's exit status."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--sample", type=int, default=300, help="number of mutants, 0 for all")
    sample: int = options.parse_args().sample
    # mutmut has no command that only generates: with a name that no mutant has, it stops after that, with an error.
    subprocess.run([sys.executable, "-m", "mutmut", "run", "generate-only"], check=False, capture_output=True)
    names = sorted(read_statuses(FOLDER))
    drawn = sorted(random.Random(SEED).sample(names, min(sample, len(names)))) if sample else names
    status = _mutmut(*(drawn if sample else ()))
    print(mutation_table(read_statuses(FOLDER), drawn))
    return status


if __name__ == "__main__":
    sys.exit(main())
