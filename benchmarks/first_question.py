"""Measure what the first question costs after a server says that it is ready, and the ones after it.

    python benchmarks/first_question.py --index INDEX [--starts 3] [--questions 20]

A server is started so many times; as soon as ``/readyz`` says so, questions are sent one after the other. Printed are,
for each start, the milliseconds of the first at the client, and the median of the others.
"""

import argparse
import statistics
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from load import questions, served


def main() -> None:
    """Read the command line and print a line for each start."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--questions", type=int, default=20)
    arguments = parser.parse_args()
    for _ in range(arguments.starts):
        began = time.perf_counter()
        with TemporaryDirectory() as home, served(arguments.index, Path(home)) as (url, _), httpx.Client() as client:
            ready = time.perf_counter() - began
            took = []
            for question in islice(questions(), arguments.questions):
                asked = time.perf_counter()
                client.post(f"{url}/rag/invoke", json={"input": {"question": question}}, timeout=90).raise_for_status()
                took.append(1000 * (time.perf_counter() - asked))
            others = statistics.median(took[1:])
            print(f"ready after {ready:.1f} s; first question {took[0]:.0f} ms, the others {others:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
