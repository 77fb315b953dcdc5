"""Measure what the server adds to the time that its models take, with scripted models of a known time.

    python benchmarks/overhead.py --laws FOLDER [--index INDEX] [--workers 2] [--askers 1 64] [--checkout FOLDER]

A server in a process of its own speaks OpenAI's protocol: the reader answers after 0.3 s, the embedder after 0.1 s, and
the principal writes for 1.5 s from its first token on, which comes after 0.3 s of them. An index is made with that
embedder, without its delay, where ``--index`` has none yet.

Questions are asked one after the other, then by so many askers at once, each its next one when the last is answered, as
events (``POST /v1/ask``). Printed is the time added to that of the models, how long after the principal wrote its first
token that token was there (the token carries its moment, as all processes of a machine share a clock), and the answers
a second. Models, server and client share the cores of the machine. With ``--checkout`` the server is that of
another checkout, with the packages of this interpreter.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

CHECKOUT = Path(__file__).parents[1]
GOLD = CHECKOUT / "evaluation" / "datasets" / "demo.jsonl"
READER, EMBEDDER, PRINCIPAL, FIRST_TOKEN = 0.3, 0.1, 1.5, 0.3
"""Seconds; the first token is within those of the principal."""
MODELS = READER + EMBEDDER + PRINCIPAL
PIECES = 40
DIMENSIONS = 256
SLOW, INSTANT = "slow", "instant"
PATIENCE = 600.0


# The models


def vector(text: str) -> str:
    """Return numbers that a text alone decides, as OpenAI sends them: base64 of float32."""
    digest = b"".join(blake2b(f"{part}{text}".encode(), digest_size=64).digest() for part in range(DIMENSIONS // 64))
    return b64encode(struct.pack(f"<{DIMENSIONS}f", *(byte / 127.5 - 1 for byte in digest))).decode()


async def embeddings(request: Request) -> Response:
    body = await request.json()
    if request.path_params["pace"] == SLOW:
        await asyncio.sleep(EMBEDDER)
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = [{"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(texts)]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": usage})


async def chat(request: Request) -> Response:
    body = await request.json()
    if body["model"] == "reader":
        await asyncio.sleep(READER)
        question = body["messages"][-1]["content"].split()
        message = {"role": "assistant", "content": json.dumps([" ".join(question[-6:])])}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return JSONResponse(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "reader",
                "choices": [choice],
                "usage": usage,
            }
        )
    return StreamingResponse(written(), media_type="text/event-stream")


async def written() -> AsyncIterator[str]:
    """Yield an answer in pieces, each due at its time: the first says when it was sent."""

    def piece(text: str | None, finish: str | None = None) -> str:
        delta = {"role": "assistant", "content": text} if text is not None else {}
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        sent = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "principal", "choices": [choice]}
        return f"data: {json.dumps(sent)}\n\n"

    began = time.monotonic()
    texts = ["palabras que no dicen nada "] * (PIECES - 2) + ["[C1].\n", "===META===\nUSED|1\nDROP|ninguno\n"]
    for number, text in enumerate(texts):
        due = began + FIRST_TOKEN + (PRINCIPAL - FIRST_TOKEN) * number / (len(texts) - 1)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        yield piece(f"{time.monotonic():.6f} {text}" if number == 0 else text)
    yield piece(None, "stop")
    yield "data: [DONE]\n\n"


def serve_models(port: int) -> None:
    """Serve the models until interrupted."""
    routes = [
        Route("/{pace}/v1/embeddings", embeddings, methods=["POST"]),
        Route("/{pace}/v1/chat/completions", chat, methods=["POST"]),
    ]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="error")


# The processes


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def running(command: Sequence[str], url: str, **environment: str) -> Iterator[None]:
    """Run a server until it answers ``url``, and end it."""
    process = subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if httpx.get(url, timeout=PATIENCE).status_code != 503:
                    break
            except httpx.TransportError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"does not start: {' '.join(command)}") from None
            time.sleep(0.2)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def models_at(port: int, pace: str) -> dict[str, str]:
    """Return the environment of a program whose models are the scripted ones."""
    environment = {}
    for role in ("READER", "EMBEDDER", "PRINCIPAL"):
        environment |= {
            f"ARTICULADO_{role}_PROVIDER": "compatible",
            f"ARTICULADO_{role}_BASE_URL": f"http://127.0.0.1:{port}/{pace}/v1",
            f"ARTICULADO_{role}_MODEL": role.lower(),
            f"ARTICULADO_{role}_API_KEY": "none",
        }
    return environment | {"ARTICULADO_EMBEDDER_DIMENSIONS": str(DIMENSIONS)}


# The questions


async def ask(client: httpx.AsyncClient, url: str, question: str) -> tuple[float, float, str]:
    """Return the seconds of a question, those of its first token since it was written, and what became of it."""
    began, first, became = time.monotonic(), 0.0, ""
    headers = {"accept": "text/event-stream"}
    async with client.stream("POST", f"{url}/v1/ask", json={"question": question}, headers=headers) as answer:
        if answer.status_code != 200:
            await answer.aread()
            return time.monotonic() - began, 0.0, str(answer.status_code)
        event = ""
        async for line in answer.aiter_lines():
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:") and event == "token" and not first:
                # A question that is declined before the principal was asked has tokens of our own.
                if moment := re.match(r"\d+\.\d{6} ", json.loads(line[5:])["text"]):
                    first = time.monotonic() - float(moment[0])
            elif line.startswith("data:") and event in ("final", "error"):
                became = event
    return time.monotonic() - began, first, became


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


async def measure(url: str, questions: Sequence[str], askers: int, rounds: int) -> None:
    """Print a line of so many askers, each of so many questions."""
    results: list[tuple[float, float, str]] = []
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=askers)
    async with httpx.AsyncClient(timeout=PATIENCE, limits=limits) as client:

        async def asker(number: int) -> None:
            for turn in range(rounds):
                results.append(await ask(client, url, questions[(number * rounds + turn) % len(questions)]))

        began = time.monotonic()
        await asyncio.gather(*(asker(number) for number in range(askers)))
        seconds = time.monotonic() - began
    answered = [result for result in results if result[2] == "final"]
    spoken = [first for _, first, _ in answered if first]
    added = [took - MODELS for took, _, _ in answered if took > PRINCIPAL]
    figures = (
        f"{askers}",
        f"{len(answered)}",
        f"{len(answered) / seconds:.1f}",
        *(f"{percentile(added, share) * 1000:.0f}" for share in (0.5, 0.95)),
        *(f"{percentile(spoken, share) * 1000:.0f}" for share in (0.5, 0.95)),
        f"{percentile([took for took, _, _ in answered], 0.95):.2f}",
    )
    widths = (8, 8, 8, 9, 8, 9, 8, 8)
    became = dict(Counter(became for _, _, became in results))
    print(*(f"{figure:>{width}}" for figure, width in zip(figures, widths, strict=True)), became, flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--askers", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--alone", type=int, default=60, help="questions of a single asker")
    parser.add_argument("--checkout", type=Path, default=CHECKOUT)
    parser.add_argument("--models", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.models:
        serve_models(arguments.models)
        return
    questions = [json.loads(line)["question"] for line in GOLD.read_text("utf-8").splitlines() if line]
    port, models = free_port(), free_port()
    cli = [sys.executable, "-m", "cli"]
    with TemporaryDirectory() as home:
        index = arguments.index or Path(home) / "index"
        common = {"ARTICULADO_HOME": home, "PYTHONPATH": str(arguments.checkout)}
        common |= {"ARTICULADO_SERVER_RUNNING": "64", "ARTICULADO_SERVER_WAITING": "64"}
        with running([sys.executable, __file__, "--models", str(models)], f"http://127.0.0.1:{models}/"):
            if not index.exists():
                environment: dict[str, Any] = os.environ | common | models_at(models, INSTANT)
                command = [*cli, "ingest", str(arguments.laws), "--index", str(index), "--yes"]
                subprocess.run(command, env=environment, cwd=arguments.checkout, check=True, stdout=subprocess.DEVNULL)
            command = [*cli, "serve", "--port", str(port), "--index", str(index)]
            if arguments.workers > 1:
                command += ["--workers", str(arguments.workers)]
            os.chdir(arguments.checkout)
            url = f"http://127.0.0.1:{port}"
            with running(command, f"{url}/readyz", **common, **models_at(models, SLOW)):
                names = ("askers", "answers", "a second", "added p50", "p95", "token p50", "p95", "p95 s")
                print(" ".join(f"{name:>{max(8, len(name))}}" for name in names))
                for askers in arguments.askers:
                    rounds = arguments.alone if askers == 1 else arguments.rounds
                    asyncio.run(measure(url, questions, askers, rounds))


if __name__ == "__main__":
    main()
