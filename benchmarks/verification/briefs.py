"""Measure what ``articulado check`` tells of faults planted in briefs.

    python benchmarks/verification/briefs.py FOLDER --index INDEX [--show]

FOLDER has briefs and ``faults.jsonl``, a line a brief: ``{"file", "faults": [{"kind", "where"}]}``.
A fault is told where a finding of its paragraph shares words with it; any other finding is a false alarm.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.ingestion.files.reader import read_brief
from articulado.ingestion.incremental.base import IndexBase
from articulado.ingestion.incremental.indexed_laws import indexed_law
from articulado.language.folding import fold
from articulado.verification.briefs.checker import check_brief
from articulado.verification.briefs.provisions import cited_laws
from graph.compose import open_services

CHECKS = {
    "nonexistent_citation": {"citation"},
    "altered_quote": {"quotation"},
    "invented_quote": {"quotation"},
    "misattributed_quote": {"quotation", "citation"},
    "wrong_figure": {"figure"},
    "wrong_place": {"citation", "figure"},
    "wrong_ruling": {"citation"},
}
"""The kinds of planted faults, and the checks that are to tell them."""


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))


def _is_about(finding: dict[str, Any], fault: dict[str, Any]) -> bool:
    told, planted = _words(finding["where"]), _words(fault["where"])
    return finding["check"] in CHECKS[fault["kind"]] and (told in planted or planted in told)


async def measure(folder: Path, index: Path, *, show: bool) -> None:
    """Check every brief, and print recall by kind and precision by check."""
    settings = Settings.read(index=index)
    profile = load_profile(settings.profile)
    services, base = await open_services(settings, profile), IndexBase(settings, profile)
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    true: Counter[str] = Counter()
    false: Counter[str] = Counter()
    clean = alarmed = 0
    try:
        for line in (folder / "faults.jsonl").read_text("utf-8").splitlines():
            item = json.loads(line)
            paragraphs = read_brief(folder / item["file"])
            held = {law_id: indexed_law(base, law_id) for law_id in cited_laws(paragraphs)}
            official = [law_id for law_id, law in held.items() if law and law.official]
            report = await check_brief(paragraphs, services.store, official, date.today(), None)
            findings = [dict(finding) for paragraph in report["paragraphs"] for finding in paragraph["findings"]]
            clean += not item["faults"]
            alarmed += bool(findings) and not item["faults"]
            for fault in item["faults"]:
                planted[fault["kind"]] += 1
                told = any(_is_about(finding, fault) for finding in findings)
                found[fault["kind"]] += told
                if show and not told:
                    print("missed", item["file"], fault)
            for finding in findings:
                is_true = any(_is_about(finding, fault) for fault in item["faults"])
                (true if is_true else false)[finding["check"]] += 1
                if show and not is_true:
                    print(
                        "false", item["file"], finding["check"], finding["kind"], finding["where"], finding["message"]
                    )
    finally:
        await services.close()
    for kind in CHECKS:
        print(f"{kind:<22} {found[kind]:>3} of {planted[kind]:>3}")
    for check in sorted(true | false):
        print(f"{check:<22} true {true[check]:>3}, false {false[check]:>3}")
    print(f"briefs without a fault: {clean}, alarmed: {alarmed}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.folder, arguments.index, show=arguments.show))


if __name__ == "__main__":
    main()
