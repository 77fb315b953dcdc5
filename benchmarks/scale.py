"""Measure how an ingest grows: processor time and memory by the number of points, and what one changed paragraph costs.

    python benchmarks/scale.py [--points 20000 60000 200000] [--folder FOLDER] [--laws LAWS]

Corpora of made-up norms (``made_up_norms``) are ingested from nothing, and again after one paragraph has changed, each
time by a process of its own, as a user starts it, without what the package brings along. Processor time is user and
system time of the process and of those that it starts. Memory is anonymous memory (RssAnon of /proc, which leaves
mapped files out), sampled: of the largest process, and of all together. The exponent is the slope of the logarithms.
``--laws`` measures a folder of real norms too. The settings are those of the environment: with
``ARTICULADO_STORE=server`` a server is filled.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from made_up_norms import change_paragraph, write_norms

INTERVAL = 0.02
"""Seconds between two looks at the memory."""


@dataclass(frozen=True)
class Run:
    """What one ingest took: seconds of processor and of wall, bytes of anonymous memory; and its report."""

    cpu: float
    wall: float
    largest: int
    together: int
    report: dict[str, object]

    @property
    def points(self) -> int:
        """Points that the index has afterwards."""
        return int(str(self.report["parents"])) + int(str(self.report["children"]))


def anonymous(process: int) -> list[int]:
    """Return the bytes of anonymous memory of a process, and of those that it has started."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
        own = int(status.partition("RssAnon:")[2].split()[0]) << 10
        children = [Path(task, "children").read_text().split() for task in Path(f"/proc/{process}/task").iterdir()]
    except (OSError, IndexError):
        return [0]
    return [
        own,
        *(size for child in {int(child) for group in children for child in group} for size in anonymous(child)),
    ]


def ingest(paths: list[Path], home: Path) -> Run:
    """Ingest files and folders in a process of its own."""
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "ingest",
        *map(str, paths),
        "--without-packaged",
    ]
    environment = os.environ | {"ARTICULADO_HOME": str(home)}
    started, largest, together = time.perf_counter(), 0, 0
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [*command, "--index", str(home / "index"), "--json", *map(str, paths)],
            stdout=output,
            env=environment,
            start_new_session=True,
        )
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            sizes = anonymous(process.pid)
            largest, together = max(largest, *sizes), max(together, sum(sizes))
            time.sleep(INTERVAL)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        output.seek(0)
        text = output.read()
    if process.returncode:
        raise SystemExit(f"the ingest has failed ({process.returncode}): {text[-2000:]}")
    return Run(usage.ru_utime + usage.ru_stime, wall, largest, together, json.loads(text))


def row(name: str, run: Run) -> str:
    """Return a run as a row of the table."""
    seconds = run.report["seconds"]
    assert isinstance(seconds, dict)
    stages = ", ".join(f"{stage} {value:.1f}" for stage, value in seconds.items() if value > 0.05)
    return (
        f"| {name} | {run.points:,} | {run.report['written']} | {run.cpu:.1f} | {run.wall:.1f} "
        f"| {run.largest / 1e6:.0f} | {run.together / 1e6:.0f} | {stages} |"
    )


def exponent(points: list[int], cpu: list[float]) -> float:
    """Return the slope of log(processor time) over log(points)."""
    return float(np.polyfit(np.log(points), np.log(cpu), 1)[0])


def main() -> None:
    """Print a table of the runs, and the exponents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[20_000, 60_000, 200_000])
    parser.add_argument("--folder", type=Path, help="where corpora and indexes lie (default: the temporary one)")
    parser.add_argument("--laws", type=Path, help="a folder of real norms")
    parser.add_argument("--keep", action="store_true", help="leave corpora and indexes where they are")
    options = parser.parse_args()
    print("| run | points | written | CPU s | wall s | MB, largest process | MB, together | s by stage |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    whole: list[Run] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = options.folder if options.keep and options.folder else Path(temporary)
        if options.laws:
            copy = shutil.copytree(options.laws, folder / "laws")
            print(row("laws", ingest([copy], folder / "of-laws")), flush=True)
            print(row("laws, nothing changed", ingest([copy], folder / "of-laws")), flush=True)
        for points in options.points:
            norms, home = folder / f"norms-{points}", folder / f"home-{points}"
            number = write_norms(norms, points)
            whole.append(ingest([norms], home))
            print(row(f"{number} norms", whole[-1]), flush=True)
            change_paragraph(norms)
            print(row("one paragraph changed", ingest([norms], home)), flush=True)
            if not options.keep:
                shutil.rmtree(norms)
                shutil.rmtree(home)
    if len(whole) > 1:
        slope = exponent([run.points for run in whole], [run.cpu for run in whole])
        print(f"\nProcessor time grows with exponent {slope:.2f}.")


if __name__ == "__main__":
    main()
