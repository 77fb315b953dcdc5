"""What the endpoint accepts beside the graph's own input, and what it says when something fails."""

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.context import RunContext
from state.rag import RagInput


@with_config(ConfigDict(extra="forbid"))
class ServedInput(RagInput, total=False):
    """A question with its options: LangServe passes no run context, so it travels in the input."""

    context: RunContext


class Failure(TypedDict):
    """The body of every response that is not a success: ``detail`` is for the user, ``error`` names the kind."""

    detail: str
    error: str
