"""A loopback server that replays raw answers of the BOE's open data, as strictly as the BOE takes requests."""

import json
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

EMPTY = "<version><p> </p></version>"
MISSING = b"<response><status><code>404</code><text>No existe</text></status><data/></response>"


@dataclass(frozen=True)
class Asked:
    """One request: path below the base, query, headers (names in lower case)."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class BoeServer:
    """Serves ``<folder>/<id>/full.xml`` and ``metadatos.xml``, and ``listed`` as the list, bounded by ``from``.

    ``failures`` are answered first: a status with headers, a body in the place of the right one, ``"close"`` for a
    connection without an answer, or ``"drop"`` for one that breaks in the middle.
    """

    folder: Path
    url: str = ""
    listed: list[dict[str, object]] = field(default_factory=list)
    failures: deque[tuple[int, dict[str, str]] | bytes | str] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)

    def publish(self, law_id: str, updated: str, wordings: Sequence[int] = (1,)) -> None:
        """Put a law, or its new state, where it is served and on the list; ``wordings`` of each of its provisions:
        without any, it has an empty one.
        """
        known = f"<fecha_actualizacion>{updated}</fecha_actualizacion><identificador>{law_id}</identificador>"
        blocks = "".join(
            f'<bloque tipo="precepto">{"<version><p>Texto.</p></version>" * count or EMPTY}</bloque>'
            for count in wordings
        )
        folder = self.folder / law_id
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("metadatos.xml", ""), ("full.xml", f"<texto>{blocks}</texto>")):
            data = f"<data><metadatos>{known}</metadatos>{text}</data>"
            (folder / name).write_text(f"<response>{data}</response>", encoding="utf-8")
        self.list_law(law_id, updated)

    def list_law(self, law_id: str, updated: str) -> None:
        """Put a law on the list, or its new state."""
        self.listed = [law for law in self.listed if law["identificador"] != law_id]
        entry = {"identificador": law_id, "titulo": f"Ley {law_id}.", "fecha_actualizacion": updated}
        self.listed.append({**entry, "fecha_publicacion": "20010203", "rango": {"codigo": "1300", "texto": "Ley"}})

    @property
    def paths(self) -> list[str]:
        return [one.path for one in self.asked]


@contextmanager
def running_boe(folder: Path) -> Iterator[BoeServer]:
    """Run a server on a free port of loopback."""
    replay = BoeServer(folder)
    http = HTTPServer(("127.0.0.1", 0), _Handler)
    http.replay = replay
    replay.url = f"http://127.0.0.1:{http.server_port}/api"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield replay
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    # HTTP/1.0: one request a connection, so that the server needs no thread for an idle one.
    def do_GET(self) -> None:
        replay = self.server.replay
        parts = urlsplit(self.path)
        headers = {name.lower(): text for name, text in self.headers.items()}
        path = parts.path.removeprefix("/api")
        replay.asked.append(Asked(path, dict(parse_qsl(parts.query)), headers))
        if replay.failures:
            failure = replay.failures.popleft()
            if failure == "drop":
                self._send(200, b"<response>", {"Content-Length": "5000"})
            elif failure == "close":
                self.close_connection = True
            elif isinstance(failure, bytes):
                self._send(200, failure)
            else:
                self._send(failure[0], b"", failure[1])
        elif headers.get("accept") not in ("application/xml", *(["application/json"] if not path else [])):
            self._send(400, b"")
        elif path:
            self._text(path.strip("/").split("/"), headers)
        else:
            self._list(replay.asked[-1].query)

    def _text(self, segments: list[str], headers: dict[str, str]) -> None:
        name = "metadatos.xml" if segments[2:] == ["metadatos"] else "full.xml"
        file = self.server.replay.folder / segments[1] / name
        if not file.is_file():
            self._send(404, MISSING)
            return
        body = file.read_bytes()
        etag = f'"{sha1(body).hexdigest()}"'
        if headers.get("if-none-match") == etag:
            self._send(304, b"", {"ETag": etag})
        else:
            self._send(200, body, {"ETag": etag, "Last-Modified": "Mon, 01 Jun 2026 11:10:24 GMT"})

    def _list(self, query: dict[str, str]) -> None:
        if "nonsense" in query["query"]:
            self._send(400, b"")
            return
        start = int(query["offset"])
        since = query.get("from", "")
        listed = [law for law in self.server.replay.listed if str(law["fecha_actualizacion"]) >= since]
        page = listed[start : start + int(query["limit"])]
        body = {"status": {"code": "200", "text": "ok"}, "data": page or ""}
        self._send(200, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, text in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""
