"""Print line and branch coverage by package.

pytest --cov --cov-report=json:build/coverage.json && python -m tools.coverage_table build/coverage.json
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def coverage_table(report: Mapping[str, Any]) -> str:
    """Return a Markdown table of the covered shares, one row for each room and one for all.

    Args:
        report: The JSON report of coverage.py, measured with branches.

    >>> summary = dict(num_statements=8, covered_lines=6, num_branches=4, covered_branches=1, percent_covered=58.3)
    >>> print(coverage_table({"files": {"state/rag.py": {"summary": summary}}}))
    | package | statements | lines | branches |
    |---|---|---|---|
    | `state` | 8 | 75.0 % | 25.0 % |
    | all | 8 | 75.0 % | 25.0 % |
    """
    packages: dict[str, Counter[str]] = {}
    for name, measured in report["files"].items():
        counts = {key: count for key, count in measured["summary"].items() if key in _COUNTS}
        parts = Path(name).parts
        package = "/".join(parts[: 2 if parts[0] == "articulado" else 1])
        packages.setdefault(f"`{package}`", Counter()).update(counts)
    rows = dict(sorted(packages.items()))
    rows["all"] = sum(packages.values(), Counter[str]())
    return "\n".join(
        [
            "| package | statements | lines | branches |",
            "|---|---|---|---|",
            *(
                f"| {name} | {counts['num_statements']:,} | {_share(counts, 'covered_lines', 'num_statements')} "
                f"| {_share(counts, 'covered_branches', 'num_branches')} |"
                for name, counts in rows.items()
            ),
        ]
    )


def _share(counts: Mapping[str, int], covered: str, total: str) -> str:
    return f"{100 * counts[covered] / counts[total]:.1f} %" if counts[total] else "–"


if __name__ == "__main__":
    print(coverage_table(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
