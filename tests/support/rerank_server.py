"""A scripted rerank endpoint on loopback; what is not scripted is scored by the last number of the passage, ÷ 100."""

import json
import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What is sent: the body is JSON unless text. ``cut`` breaks it off in the middle; ``silent`` says nothing."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False


@dataclass(frozen=True)
class Asked:
    """One request; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class RerankServer:
    """``script`` queues answers; what is not scripted is scored, in Cohere's words or in TEI's."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.root = ""
        self._answers: deque[Answer] = deque()
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self.silences = threading.Semaphore(0)

    def script(self, *answers: Answer) -> None:
        self._answers.extend(answers)

    def answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.requests.append(asked)
            if self._answers:
                return self._answers.popleft()
        if "texts" in asked.body:
            return Answer(body=[{"index": n, "score": _scored(t)} for n, t in _ranked(asked.body["texts"])])
        rows = [{"index": n, "relevance_score": _scored(t)} for n, t in _ranked(asked.body["documents"])]
        return Answer(body={"id": "1", "results": rows, "usage": {"total_tokens": 7 * len(rows)}})


def _scored(text: str) -> float:
    return int(re.findall(r"\d+", f"0 {text}")[-1]) / 100


def _ranked(texts: list[str]) -> list[tuple[int, str]]:
    return sorted(enumerate(texts), key=lambda pair: -_scored(pair[1]))


@contextmanager
def running_rerank_server() -> Iterator[RerankServer]:
    """Run a server on a free port of loopback."""
    scripted = RerankServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): text for name, text in self.headers.items()}
            answer = scripted.answer(Asked(self.path, headers, body))
            if answer.silent:
                self.close_connection = True
                scripted.silences.release()
                scripted.closing.wait()
                return
            content = (answer.body if isinstance(answer.body, str) else json.dumps(answer.body)).encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            for name, text in answer.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if answer.cut else content)
            self.close_connection = answer.cut

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # server_close then waits for the handlers, so that no socket outlives its test.
    server.daemon_threads = False
    scripted.root = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
