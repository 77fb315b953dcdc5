"""Measure how many questions a second the server answers, at the client, with arrivals that do not wait for answers.

    python benchmarks/load.py --index INDEX [--servers 1 2] [--rates 1 2 4 8] [--seconds 20] [--spike 10] [--flat 2000]

So many server processes are started, and asked in turn. Questions of the project's own gold set arrive at a fixed rate,
whether or not the ones before are answered: a server that falls behind shows in the latency, which is measured from
when a question was due. The highest rate with the 95th percentile at three seconds or less is the last good line. The
spike is ten times that rate for some seconds: what cannot be answered is to be refused with 503 alone. ``--flat`` asks
so many questions one after the other and prints the resident memory as it goes.
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

GOLD = Path(__file__).parents[1] / "evaluation" / "datasets" / "demo.jsonl"
GOOD_SECONDS = 3.0
WARM_UP_SECONDS = 120.0


def questions() -> list[str]:
    """Return the questions of the project's own set."""
    return [json.loads(line)["question"] for line in GOLD.read_text("utf-8").splitlines() if line]


@contextmanager
def served(index: Path, home: Path, **limits: str) -> Iterator[tuple[str, int]]:
    """Start a server; yields its address and the id of its process, once it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cli", "serve", "--port", str(port), "--index", str(index)]
    environment = os.environ | {"ARTICULADO_HOME": str(home)} | limits
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        began = time.monotonic()
        while time.monotonic() - began < WARM_UP_SECONDS:
            try:
                if httpx.get(f"{url}/readyz").status_code == 200:
                    break
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        else:
            raise SystemExit("the server is not ready")
        yield url, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile of sorted values; 0 of none."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


async def arrivals(
    urls: Sequence[str], rate: float, seconds: float, asked: Sequence[str]
) -> tuple[list[float], Counter[str]]:
    """Send questions at a rate; return the seconds of those that were answered, sorted, and what became of all."""
    outcomes: Counter[str] = Counter()
    took: list[float] = []
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=200)
    async with httpx.AsyncClient(timeout=90, limits=limits) as client:

        async def ask(number: int, due: float) -> None:
            sent = {"input": {"question": asked[number % len(asked)]}}
            try:
                answer = await client.post(f"{urls[number % len(urls)]}/rag/invoke", json=sent)
                outcomes[str(answer.status_code)] += 1
                if answer.status_code == 200:
                    took.append(time.monotonic() - due)
            except httpx.TransportError as error:
                outcomes[type(error).__name__] += 1

        began, tasks = time.monotonic(), []
        for number in range(int(rate * seconds)):
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(ask(number, due)))
        await asyncio.gather(*tasks)
    return sorted(took), outcomes


def resident(process: int) -> float:
    """Return the resident memory of a process in MiB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(urls: Sequence[str], rates: Sequence[float], seconds: float, spike: float) -> None:
    """Print a line for each rate, and one of a spike of so many times the last good one."""
    best = 0.0
    print(f"{'a second':>9} {'answered':>8} {'p50 s':>7} {'p95 s':>7}  became")
    for rate in rates:
        took, outcomes = asyncio.run(arrivals(urls, rate, seconds, questions()))
        late = percentile(took, 0.95)
        print(f"{rate:>9.1f} {len(took):>8} {percentile(took, 0.5):>7.2f} {late:>7.2f}  {dict(outcomes)}", flush=True)
        if late <= GOOD_SECONDS and set(outcomes) == {"200"}:
            best = rate
    if spike and best:
        took, outcomes = asyncio.run(arrivals(urls, best * spike, min(seconds, 10), questions()))
        late = percentile(took, 0.95)
        print(
            f"{best * spike:>9.1f} {len(took):>8} {percentile(took, 0.5):>7.2f} {late:>7.2f}  {dict(outcomes)} (spike)"
        )


def flat(url: str, process: int, count: int) -> None:
    """Ask one question after the other; print the resident memory ten times."""
    asked = questions()
    with httpx.Client(timeout=90) as client:
        for number in range(count):
            client.post(
                f"{url}/rag/invoke", json={"input": {"question": asked[number % len(asked)]}}
            ).raise_for_status()
            if (number + 1) % max(1, count // 10) == 0:
                print(f"{number + 1:>6} questions: {resident(process):.0f} MiB", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--servers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rates", type=float, nargs="*", default=[1, 2, 3, 4, 6, 8])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--spike", type=float, default=10)
    parser.add_argument("--flat", type=int, default=0)
    arguments = parser.parse_args()
    for count in arguments.servers:
        with TemporaryDirectory() as home, ExitStack() as stack:
            started = [stack.enter_context(served(arguments.index, Path(home) / str(n))) for n in range(count)]
            urls = [url for url, _ in started]
            print(f"\n{count} server{'s' * (count > 1)}")
            measure(urls, arguments.rates, arguments.seconds, arguments.spike)
            if arguments.flat:
                flat(urls[0], started[0][1], arguments.flat)


if __name__ == "__main__":
    main()
