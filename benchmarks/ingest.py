"""Measure an ingest: seconds by stage, peak memory of all its processes, and the same again with nothing changed.

    python benchmarks/ingest.py FOLDER [FOLDER …] [--workers N]

Each run is a process of its own, as a user starts it. Peak memory is the largest sum of the resident sets of the
process and its children (sampled every 20 ms from /proc).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(process: int) -> int:
    """Return the bytes of a process and of its children, and of theirs."""
    try:
        own = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    # A child may be started by any thread.
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children += task.read_text().split()
        except OSError:
            continue
    return own + sum(resident(int(child)) for child in set(children))


def measured(folders: list[str], index: Path, workers: int) -> dict[str, object]:
    """Run one ingest and return its report, with ``wall`` seconds and ``peak`` bytes."""
    command = [sys.executable, "-c", "from cli.main import main; main()", "ingest", *folders]
    environment = os.environ | {"ARTICULADO_INGEST_WORKERS": str(workers), "ARTICULADO_HOME": str(index.parent)}
    started, peak = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([*command, "--index", str(index), "--json"], stdout=output, env=environment)
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.02)
        wall = time.perf_counter() - started
        output.seek(0)
        return {**json.load(output), "wall": wall, "peak": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    print("| run | documents | parents | children | s | peak MB | s by stage |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("from nothing", "unchanged"):
            report = measured(options.folders, Path(folder) / "index", options.workers)
            stages = ", ".join(
                f"{stage} {seconds:.1f}" for stage, seconds in report["seconds"].items() if seconds > 0.05
            )
            documents = sum(report["documents"].values())
            print(
                f"| {name} | {documents} | {report['parents']} | {report['children']} | {report['wall']:.1f} "
                f"| {report['peak'] / 1e6:.0f} | {stages} |"
            )
        size = sum(file.stat().st_blocks * 512 for file in Path(folder).rglob("*") if file.is_file())
        print(f"\nIndex and what is kept to continue it: {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
