"""A collector of OpenTelemetry on loopback: it keeps what it is sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from support.waiting import PATIENCE


class Collector:
    """The bodies that came in, and the spans in them; it answers while ``answers`` is set."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.paths: list[str] = []
        self.url = ""
        self.answers = threading.Event()
        self.answers.set()

    @property
    def requests(self) -> list[ExportTraceServiceRequest]:
        """The bodies, decoded."""
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]

    @property
    def spans(self) -> list[Span]:
        """The spans of all scopes and resources, in the order of their beginning."""
        resources = [resource for request in self.requests for resource in request.resource_spans]
        spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
        return sorted(spans, key=lambda span: span.start_time_unix_nano)

    def service_names(self) -> set[str]:
        """The names of the services that sent something."""
        resources = (resource.resource for request in self.requests for resource in request.resource_spans)
        return {str(attributes_of(resource)["service.name"]) for resource in resources}


def attributes_of(holder: Any) -> dict[str, str | int]:
    """Return the attributes of a span or a resource."""
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in holder.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector on a free loopback port."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.paths.append(self.path)
            collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            collector.answers.wait(PATIENCE)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            server.shutdown()
            thread.join()
