"""Spans of OpenTelemetry around a request and the stages in it, where a tracer is at work; nothing where none is.

They hold names and numbers, never a text: of an error its class alone, for its message may quote a question.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from articulado.values.answers import Cost

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_TRACER: ContextVar["Tracer | None"] = ContextVar("tracer", default=None)
"""The tracer of the request at work: its tasks and threads inherit it."""


@contextmanager
def tracing(tracer: "Tracer") -> Iterator[None]:
    """Make the stages that run in a block spans of this tracer."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(token)


@contextmanager
def spanning(tracer: "Tracer", name: str, **options: Any) -> Iterator["Span"]:
    """Make a block a span, the child of the current one; ``options`` are those of ``start_as_current_span``."""
    from opentelemetry.trace import StatusCode

    options |= {"record_exception": False, "set_status_on_exception": False}
    with tracer.start_as_current_span(name, **options) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(StatusCode.ERROR)
            raise


@contextmanager
def stage_span(stage: str) -> Iterator[Callable[[Cost], None]]:
    """Make a block the span of a stage, and yield what takes its cost."""
    if (tracer := _TRACER.get()) is None:
        yield lambda cost: None
        return
    with spanning(tracer, stage) as span:

        def spend(cost: Cost) -> None:
            span.set_attributes(
                {
                    "articulado.stage": stage,
                    "articulado.model_calls": cost["requests"],
                    "gen_ai.usage.input_tokens": cost["input_tokens"],
                    "gen_ai.usage.output_tokens": cost["output_tokens"],
                }
            )

        yield spend
