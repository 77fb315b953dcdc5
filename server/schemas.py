"""What the endpoints accept beside a graph's own input, and what they say when something fails."""

from collections.abc import Mapping
from typing import Any, NotRequired, Required

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from articulado.values.answers import Citation
from state.context import RunContext

CONTEXT = "context"
"""Where the options of a run are: LangServe passes no run context, so it travels in the input."""

V1 = "/v1"
"""The first part of the paths of our own API."""

MESSAGES = "messages"
"""The conversation as LangChain messages, of a graph that has them: for clients of its threads."""


def served_input(schema: type[Any], beside: Mapping[str, Any] | None = None) -> type[Any]:
    """Return the input of a graph, a ``TypedDict``, with the options of the run, what is ``beside`` it, and no more.

    Where a graph takes its question in messages as well, here it is the question alone.
    """
    keys = {**_without_messages(schema), CONTEXT: RunContext, **(beside or {})}
    if MESSAGES in schema.__annotations__:
        keys["question"] = Required[str]
    served: type[Any] = TypedDict(f"Served{schema.__name__}", keys, total=False)  # type: ignore[misc]
    return with_config(ConfigDict(extra="forbid"))(served)


def served_output(schema: type[Any]) -> type[Any]:
    """Return the output of a graph, a ``TypedDict``, without its messages: the other keys say what they say."""
    if MESSAGES not in schema.__annotations__:
        return schema
    served: type[Any] = TypedDict(schema.__name__, _without_messages(schema))  # type: ignore[misc]
    return served


def _without_messages(schema: type[Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.__annotations__.items() if key != MESSAGES}


class Failure(TypedDict):
    """The body of every response that is not a success: ``detail`` is for the user, ``error`` names the kind.

    ``citations`` are there where sources had been found and no answer could be written from them.
    """

    detail: str
    error: str
    citations: NotRequired[list[Citation]]
