"""A loopback server that speaks as much of Qdrant's REST interface as the server adapter uses, and keeps a record.

It evaluates filters and scores dense vectors by their cosine and words by their product, without IDF.
"""

import json
import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from articulado.store.registry import REGISTRY

DESCRIBED: dict[str, Any] = {
    "optimizer_status": "ok",
    "segments_count": 1,
    "config": {
        "params": {},
        "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
        "optimizer_config": {
            "deleted_threshold": 0.2,
            "vacuum_min_vector_number": 1000,
            "default_segment_number": 0,
            "flush_interval_sec": 5,
        },
    },
}
"""What a server says of any collection, beside its state."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any
    api_key: str | None
    query: str = ""


@dataclass
class FakeQdrant:
    """What the server holds, what it was asked, and how it shall fail (a status, or 0 to drop the connection).

    ``indexes`` are the payload indexes of each collection, by field, ``shard_keys`` those of the ones that have any,
    ``links`` the links of a point in the graph of each collection that has one.
    ``lose_reply`` names a path whose requests are carried out before the connection is dropped. ``states`` are the
    states that a collection says it is in, one a question; then it is green. ``before_write`` is told that points are
    about to be written or deleted, those of the registry aside. ``hang`` names paths whose requests are answered when
    ``awake`` is set.
    """

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    collections: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    indexes: dict[str, dict[str, str]] = field(default_factory=dict)
    shard_keys: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    fail: dict[str, int] = field(default_factory=dict)
    lose_reply: str = ""
    states: list[str] = field(default_factory=list)
    before_write: Callable[[], None] = lambda: None
    hang: str = ""
    awake: threading.Event = field(default_factory=threading.Event)

    def asked(self, method: str, pattern: str) -> list[Request]:
        """The requests of this method and path, without those that are about the registry."""
        return [asked for asked in self.of_points if asked.method == method and re.fullmatch(pattern, asked.path)]

    @property
    def of_points(self) -> list[Request]:
        """The requests, without those that are about the registry."""
        return [asked for asked in self.requests if not re.match(f"/collections/[^/]*{REGISTRY}(/|$)", asked.path)]

    @property
    def names(self) -> set[str]:
        """The collections, without the registry."""
        return {name for name in self.collections if not name.endswith(REGISTRY)}

    def failure(self, path: str) -> int | None:
        return next((status for pattern, status in self.fail.items() if re.fullmatch(pattern, path)), None)

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        match (method, *parts):
            case ("GET", "aliases"):
                pairs = [{"alias_name": alias, "collection_name": name} for alias, name in self.aliases.items()]
                return 200, {"aliases": pairs}
            case ("GET", "collections"):
                return 200, {"collections": [{"name": name} for name in self.collections]}
            case ("POST", "collections", "aliases"):
                for action in body["actions"]:
                    if "delete_alias" in action:
                        del self.aliases[action["delete_alias"]["alias_name"]]
                    else:
                        self.aliases[action["create_alias"]["alias_name"]] = action["create_alias"]["collection_name"]
                return 200, True
            case ("PUT", "collections", name):
                if name in self.collections:
                    return 409, None
                self.collections[name] = {}
                if body.get("sharding_method") == "custom":
                    self.shard_keys[name] = []
                return 200, True
            case ("PUT", "collections", name, "shards"):
                self.shard_keys[name].append(body["shard_key"])
                return 200, True
            case ("GET", "collections", name, "shards"):
                return 200, {"shard_keys": [{"key": key} for key in self.shard_keys[name]]}
            case ("PATCH", "collections", name):
                self.links[name] = body["hnsw_config"]["m"]
                return (200, True) if name in self.collections else (404, None)
            case ("GET", "collections", name, "exists"):
                return 200, {"exists": name in self.collections}
            case ("GET", "collections", name):
                indexes = self.indexes.get(name, {})
                schema = {field: {"data_type": kind, "points": 0} for field, kind in indexes.items()}
                state = self.states.pop(0) if self.states else "green"
                params = {"sharding_method": "custom"} if name in self.shard_keys else {}
                graph = {**DESCRIBED["config"]["hnsw_config"], "m": self.links.get(name, 0)}
                config = {**DESCRIBED["config"], "params": params, "hnsw_config": graph}
                return 200, {**DESCRIBED, "config": config, "status": state, "payload_schema": schema}
            case ("DELETE", "collections", name):
                self.aliases = {alias: named for alias, named in self.aliases.items() if named != name}
                self.indexes.pop(name, None)
                return 200, self.collections.pop(name, None) is not None
            case ("PUT", "collections", name, "index") if name in self.collections:
                self.indexes.setdefault(name, {})[body["field_name"]] = body["field_schema"]
                return 200, {"operation_id": 1, "status": "completed"}
            case ("POST", "collections", name, "points", "delete") if name in self.shard_keys and not body.get(
                "shard_key"
            ):
                return 400, None  # "Shard key not specified"
            case ("PUT" | "POST", "collections", name, *rest):
                points, registry = self.collections.get(self.aliases.get(name, name)), name.endswith(REGISTRY)
                return (404, {}) if points is None else (200, self._points(points, rest, body, registry=registry))
        return 404, {}

    def _points(self, points: dict[int, dict[str, Any]], rest: list[str], body: Any, *, registry: bool) -> Any:
        done = {"operation_id": 1, "status": "completed"}
        # Requests come at once: what one reads, another may be writing.
        records = [{"id": id, "payload": point["payload"]} for id, point in sorted(points.copy().items())]
        match rest:
            case ["points"] if "points" in body:
                if not registry:
                    self.before_write()
                condition = body.get("update_filter")
                for point in body["points"]:
                    if point["id"] not in points or passes(points[point["id"]]["payload"], condition):
                        points[point["id"]] = point
                return done
            case ["points", "delete"]:
                if not registry:
                    self.before_write()
                for id in body["points"]:
                    points.pop(id, None)
                return done
            case ["points"]:
                return [record for record in records if record["id"] in body["ids"]]
            case ["points", "count"]:
                return {"count": len(points)}
            case ["points", "scroll"]:
                found = [record for record in records if passes(record["payload"], body.get("filter"))]
                found = [record for record in found if record["id"] >= (body.get("offset") or 0)]
                later = found[body["limit"] :]
                if body.get("with_vector"):
                    found = [{**record, "vector": points[record["id"]].get("vector", {})} for record in found]
                return {"points": found[: body["limit"]], "next_page_offset": later[0]["id"] if later else None}
            case ["points", "query", "batch"]:
                return [{"points": self._nearest(points, search)} for search in body["searches"]]
        raise AssertionError(f"not a request of the adapter: {rest}")

    def _nearest(self, points: dict[int, dict[str, Any]], search: Any) -> list[Any]:
        found = []
        for id, point in points.copy().items():
            vector = point.get("vector", {}).get(search["using"])
            score = similarity(search["query"]["nearest"], vector) if vector else None
            if score is not None and passes(point["payload"], search.get("filter")):
                found.append({"id": id, "version": 1, "score": score})
        return sorted(found, key=lambda one: -one["score"])[: search["limit"]]


def similarity(query: Any, stored: Any) -> float | None:
    """Score a vector: the cosine of dense ones, the product of sparse ones; ``None`` where these share nothing."""
    if isinstance(query, list):
        return sum(a * b for a, b in zip(query, stored, strict=True)) / (math.hypot(*query) * math.hypot(*stored) or 1)
    mine, theirs = (dict(zip(vector["indices"], vector["values"], strict=True)) for vector in (query, stored))
    return sum(mine[term] * theirs[term] for term in mine.keys() & theirs) if mine.keys() & theirs else None


def passes(payload: dict[str, Any], condition: Any) -> bool:
    """Evaluate a filter: conditions of which all must hold, or one should, down to fields."""
    match condition:
        case None:
            return True
        case {"must": conditions}:
            return all(passes(payload, one) for one in conditions)
        case {"should": conditions}:
            return any(passes(payload, one) for one in conditions)
        case {"is_null": {"key": key}}:
            return values_at(payload, key) == [None]
        case {"is_empty": {"key": key}}:
            return values_at(payload, key) in ([], [None])
        case {"key": key, "match": {"any": allowed}}:
            return any(value in allowed for value in values_at(payload, key))
        case {"key": key, "match": {"except": excluded}}:
            return all(value not in excluded for value in values_at(payload, key))
        case {"key": key, "range": {"lte": day}}:
            return any(value is not None and value <= day[:10] for value in values_at(payload, key))
        case {"key": key, "range": {"gt": day}}:
            return any(value is not None and value > day[:10] for value in values_at(payload, key))
    raise AssertionError(f"not a filter of the adapter: {condition}")


def values_at(payload: dict[str, Any], path: str) -> list[Any]:
    """What a payload holds below a path: the elements of a list, one value, or nothing."""
    value: Any = payload
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return []
        value = value[key]
    return value if isinstance(value, list) else [value]


@contextmanager
def running_qdrant() -> Iterator[FakeQdrant]:
    state = FakeQdrant()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            path, _, query = self.path.partition("?")
            state.requests.append(Request(self.command, path, body, self.headers.get("api-key"), query))
            if state.hang and re.fullmatch(state.hang, path):
                state.awake.wait()
                self.close_connection = True
                return
            status = state.failure(path)
            if status == 0:
                self.close_connection = True
                return
            status, result = (status, None) if status else state.answer(self.command, path, body)
            if path == state.lose_reply:
                self.close_connection = True
                return
            reply = json.dumps({"result": result, "status": "ok", "time": 0.0}).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.awake.set()
        server.shutdown()
        thread.join()
        server.server_close()
