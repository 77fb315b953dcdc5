"""OpenTelemetry traces of requests, without texts of questions, enabled by the standard ``OTEL_…`` variables."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http import HTTPMethod
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from articulado.config.extras import importing
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError
from nodes.stage import spanning, tracing

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

Line = Mapping[str, Any]

NO_TELEMETRY: "TelemetryConfig" = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
SERVICE = "articulado"
FLUSH_SECONDS = 10.0
FLUSH = "articulado-traces"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
ATTRIBUTES = {
    "id": "articulado.request_id",
    "caller": "articulado.caller",
    "outcome": "articulado.outcome",
    "status": "http.response.status_code",
}


class Traces:
    """Traces of requests, sent to ``destination`` while ``exported``; an empty destination sends none."""

    def __init__(self, destination: str = "", flush_seconds: float = FLUSH_SECONDS) -> None:
        self.destination = destination
        self._flush_seconds = flush_seconds
        self._tracer: Tracer | None = None

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, flush_seconds: float = FLUSH_SECONDS) -> "Traces":
        """Read the destination from the standard variables; the SDK reads the others."""
        endpoint = _first(environment, ENDPOINTS)
        disabled = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        if not endpoint or disabled or environment.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
            return cls()
        if (protocol := _first(environment, PROTOCOLS) or PROTOCOL) != PROTOCOL:
            raise ConfigurationError(translate("server.traces_protocol", protocol=protocol, known=PROTOCOL))
        with importing("otel"):
            import opentelemetry.exporter.otlp.proto.http.trace_exporter
            import opentelemetry.sdk.trace  # noqa: F401
        parts = urlsplit(endpoint)
        return cls(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", flush_seconds)

    @asynccontextmanager
    async def exported(self) -> AsyncIterator[None]:
        """Export the spans of requests in a block; at its end, send the rest within the time limit."""
        if not self.destination:
            yield
            return
        provider = _provider()
        self._tracer = provider.get_tracer(SERVICE)
        try:
            yield
        finally:
            self._tracer = None
            flush = threading.Thread(target=provider.shutdown, name=FLUSH, daemon=True)
            flush.start()
            await asyncio.to_thread(flush.join, self._flush_seconds)

    @contextmanager
    def request(self, scope: Scope) -> Iterator[Callable[[Line], None]]:
        """Make a block the span of a request, below its ``traceparent``; yield a function for the log line."""
        if (tracer := self._tracer) is None:
            yield lambda line: None
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind, StatusCode

        # A method may be any word.
        method = scope["method"] if scope["method"] in HTTPMethod.__members__ else "_OTHER"
        parent = extract(Headers(scope=scope))
        with tracing(tracer), spanning(tracer, method, context=parent, kind=SpanKind.SERVER) as span:

            def end(line: Line) -> None:
                span.set_attribute("http.request.method", method)
                if route := getattr(scope.get("route"), "path", ""):
                    span.update_name(f"{method} {route}")
                    span.set_attribute("http.route", route)
                span.set_attributes({name: line[key] for key, name in ATTRIBUTES.items() if line.get(key)})
                if line["status"] >= 500:
                    span.set_status(StatusCode.ERROR)

            yield end


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := environment.get(name, "").strip())), "")


def _provider() -> "TracerProvider":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # ``Resource.create`` puts what it is given before the environment.
    named = SERVICE_NAME in OTELResourceDetector().detect().attributes
    resource = Resource.create({} if named else {SERVICE_NAME: SERVICE})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
