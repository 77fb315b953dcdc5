"""Measure how long ``articulado ask`` takes in a fresh process.

    python benchmarks/cold_start.py [--index FOLDER] [--runs 10]

The index is warmed up by one run that is not counted: what is measured is the start of the process, not the build.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

QUESTION = "¿Cuántos días de vacaciones me corresponden?"


def main() -> None:
    """Print median, best and worst of the wall times, in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", help="folder of the index (default: the configured one)")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    command = [str(Path(sys.executable).with_name("articulado")), "ask", QUESTION]
    command += ["--index", options.index] if options.index else []
    times = []
    for _ in range(options.runs + 1):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    counted = times[1:]
    print(f"median {statistics.median(counted):.2f} s, best {min(counted):.2f} s, worst {max(counted):.2f} s")


if __name__ == "__main__":
    main()
