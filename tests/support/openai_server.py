"""A scripted server on loopback that speaks the parts of OpenAI's API that are used, in plain and Azure paths."""

import hashlib
import json
import socket
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np


@dataclass(frozen=True)
class Reply:
    """What the server answers to one request.

    ``piece`` is the length in characters of the pieces of a stream; after ``disconnect_after`` of them the
    connection breaks. As long as somebody listens, ``dribble`` sends a byte every 10 ms, and ``endless`` streams the
    text again and again; one that is ``held`` has no end until they leave. ``refusal`` stands in the place of the text
    of a whole reply, and so do the arguments of a call of the tool that was sent, ``called_with``. ``thoughts`` are
    further fields of the message, of a stream before its text; in ``parts``, the content is a list with thoughts in it.
    """

    text: str = ""
    piece: int = 7
    finish_reason: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    error: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    disconnect_after: int | None = None
    dribble: bool = False
    endless: bool = False
    held: bool = False
    raw: str | None = None
    refusal: str | None = None
    called_with: str | None = None
    thoughts: dict[str, Any] = field(default_factory=dict)
    parts: bool = False


def failure(status: int, code: str | None = None, message: str = "scripted failure", **headers: str) -> Reply:
    """Return a reply with an HTTP error; ``retry_after="2"`` becomes the header ``retry-after``."""
    error = {"message": message, "type": code, "code": code, "param": None}
    return Reply(status=status, error=error, headers={name.replace("_", "-"): text for name, text in headers.items()})


def stream_error(code: str | None = None, message: str = "scripted failure") -> Reply:
    """Return a stream that brings an error instead of text."""
    return Reply(error={"message": message, "type": code, "code": code, "param": None})


@dataclass(frozen=True)
class Recorded:
    """One request as it came over the wire; header names are in lower case, ``model`` as replies are scripted by."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: dict[str, Any]
    model: str


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return a vector that depends on the text alone; it is not normalised."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return [round(float(x), 6) for x in np.random.default_rng(seed).uniform(-3, 3, dimensions)]


class OpenAIServer:
    """Replies by model (by deployment in Azure's paths) and a record of all requests.

    ``dribbling`` is set once the first bytes of a dribble are out, ``left`` once the client of an endless or held
    one is gone; ``while_held`` is entered for as long as somebody waits for one that is held.
    """

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.native_dimensions: dict[str, int] = defaultdict(lambda: 1536, {"text-embedding-3-large": 3072})
        self._queues: dict[str, deque[Reply]] = defaultdict(deque)
        self._answers: dict[str, Callable[[Recorded], Reply | str]] = {}
        self._lock = threading.Lock()
        self.while_held: Callable[[], AbstractContextManager[None]] = nullcontext
        self.dribbling = threading.Event()
        self.left = threading.Event()
        self.root = ""

    @property
    def url(self) -> str:
        """Base URL of the plain API; ``root`` is the one of Azure's."""
        return f"{self.root}/v1"

    def script(self, model: str, *replies: Reply | str) -> None:
        """Queue replies; a queued one goes before those of ``answer``. Embeddings take failures and held ones only."""
        self._queues[model].extend(_as_reply(reply) for reply in replies)

    def answer(self, model: str, respond: Callable[[Recorded], Reply | str]) -> None:
        """Let a function answer whatever is not queued."""
        self._answers[model] = respond

    def calls(self, model: str) -> int:
        """Return how many requests a model has had."""
        return sum(request.model == model for request in self.requests)

    def reply_to(self, request: Recorded) -> Reply | None:
        """Record a request and return its reply, ``None`` where nothing is scripted."""
        with self._lock:
            self.requests.append(request)
            if queue := self._queues[request.model]:
                return queue.popleft()
        respond = self._answers.get(request.model)
        return _as_reply(respond(request)) if respond else None


@contextmanager
def running_server() -> Iterator[OpenAIServer]:
    """Run a server on a free port of loopback, and cut its connections at the end."""
    scripted = OpenAIServer()
    http = _HttpServer(("127.0.0.1", 0), _Handler)
    http.scripted = scripted
    scripted.root = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        http.shutdown()
        thread.join()
        http.cut_connections()
        http.server_close()


class _HttpServer(ThreadingHTTPServer):
    scripted: OpenAIServer
    request_queue_size = 128  # a busy machine accepts late
    # server_close then waits for the handlers, so that no socket outlives its test.
    daemon_threads = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def cut_connections(self) -> None:
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that leave: tests make them do so."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HttpServer

    def do_POST(self) -> None:
        request = self._recorded()
        reply = self.server.scripted.reply_to(request)
        if reply is not None and (reply.status != 200 or reply.raw is not None):
            self._send(reply.raw if reply.raw is not None else {"error": reply.error}, reply.status, reply.headers)
        elif reply is not None and reply.held and not request.body.get("stream"):
            self._hold()
        elif request.path.endswith("/embeddings"):
            self._send(self._embeddings(request))
        elif reply is None:
            self._send({"error": {"message": f"nothing scripted for {request.model}", "code": "unscripted"}}, 400)
        elif reply.dribble:
            self._dribble()
        elif request.body.get("stream"):
            self._stream(request, reply)
        else:
            self._send(_completion(request, reply))

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test output clean."""

    def _recorded(self) -> Recorded:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        parts = urlsplit(self.path)
        segments = parts.path.split("/")
        deployment = segments[segments.index("deployments") + 1] if "deployments" in segments else ""
        headers = {name.lower(): text for name, text in self.headers.items()}
        return Recorded(parts.path, dict(parse_qsl(parts.query)), headers, body, deployment or body["model"])

    def _embeddings(self, request: Recorded) -> dict[str, Any]:
        model, texts = request.body["model"], request.body["input"]
        dimensions = request.body.get("dimensions") or self.server.scripted.native_dimensions[model]
        rows = [{"object": "embedding", "index": i, "embedding": vector_of(t, dimensions)} for i, t in enumerate(texts)]
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        # Out of order on purpose: only the index says which text a row belongs to.
        return {"object": "list", "model": model, "data": rows[::-1], "usage": usage}

    def _send(self, body: dict[str, Any] | str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, request: Recorded, reply: Reply) -> None:
        self._begin_chunks("text/event-stream")
        if reply.error is not None:
            self._event({"error": reply.error})
        if reply.thoughts:
            self._event(
                _chunk(request, [{"index": 0, "delta": {"role": "assistant", "content": None, **reply.thoughts}}])
            )
        if reply.parts:
            self._event(_chunk(request, [{"index": 0, "delta": {"role": "assistant", "content": [_THOUGHT]}}]))
        pieces = [reply.text[i : i + reply.piece] for i in range(0, len(reply.text), reply.piece)]
        if reply.endless:
            # Within the first round, too, the client may leave.
            self._repeat(request, pieces)
            return
        for number, piece in enumerate(pieces):
            if number == reply.disconnect_after:
                self.close_connection = True
                return
            content = [{"type": "text", "text": piece}] if reply.parts else piece
            self._event(_chunk(request, [{"index": 0, "delta": {"role": "assistant", "content": content}}]))
        if reply.held:
            self._hold()
            return
        if reply.finish_reason:
            self._event(_chunk(request, [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]))
        if reply.usage and request.body.get("stream_options", {}).get("include_usage"):
            self._event({**_chunk(request, []), "usage": _usage(reply.usage)})
        self._write_chunk(b"data: [DONE]\n\n")
        self._write_chunk(b"")

    def _hold(self) -> None:
        """Say nothing more, until they leave."""
        with suppress(OSError), self.server.scripted.while_held():
            self.connection.recv(1)
        self.server.scripted.left.set()
        self.close_connection = True

    def _repeat(self, request: Recorded, pieces: list[str]) -> None:
        with suppress(OSError):
            for piece in cycle(pieces):
                self._event(_chunk(request, [{"index": 0, "delta": {"content": piece}}]))
        self.server.scripted.left.set()
        self.close_connection = True

    def _dribble(self) -> None:
        self._begin_chunks("text/event-stream")
        gone = threading.Event()
        with suppress(OSError):
            while not gone.wait(0.01):
                self._write_chunk(b":")
                self.server.scripted.dribbling.set()
        self.close_connection = True

    def _begin_chunks(self, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, data: dict[str, Any]) -> None:
        self._write_chunk(f"data: {json.dumps(data)}\n\n".encode())

    def _write_chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))


_THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "¿Treinta?"}]}


def _as_reply(reply: Reply | str) -> Reply:
    return Reply(reply) if isinstance(reply, str) else reply


def _completion(request: Recorded, reply: Reply) -> dict[str, Any]:
    content = [_THOUGHT, {"type": "text", "text": reply.text}] if reply.parts else reply.text
    message = {"role": "assistant", "content": None if reply.refusal else content, "refusal": reply.refusal}
    message |= reply.thoughts
    if reply.called_with is not None:
        function = {"name": request.body["tools"][0]["function"]["name"], "arguments": reply.called_with}
        message |= {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    usage = {"usage": _usage(reply.usage)} if reply.usage else {}
    return {**_header(request, "chat.completion"), "choices": [choice], **usage}


def _chunk(request: Recorded, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {**_header(request, "chat.completion.chunk"), "choices": choices}


def _header(request: Recorded, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request.body.get("model", request.model)}


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
