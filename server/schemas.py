"""What the endpoints accept beside a graph's own input, and what they say when something fails."""

from typing import Any

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.context import RunContext

CONTEXT = "context"
"""Where the options of a run are: LangServe passes no run context, so it travels in the input."""


def served_input(schema: type[Any]) -> type[Any]:
    """Return the input of a graph, a ``TypedDict``, with the options of the run beside it and nothing else."""
    keys = {**schema.__annotations__, CONTEXT: RunContext}
    served: type[Any] = TypedDict(f"Served{schema.__name__}", keys, total=False)  # type: ignore[misc]
    return with_config(ConfigDict(extra="forbid"))(served)


class Failure(TypedDict):
    """The body of every response that is not a success: ``detail`` is for the user, ``error`` names the kind."""

    detail: str
    error: str
