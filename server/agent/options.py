"""The options of a run that an Agent Server is sent: known ones alone, which it would otherwise drop without a word."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from server.errors import problem_of
from server.policy import Policy
from server.schemas import CONTEXT
from state.context import RunContext

_OF_THE_SERVER = frozenset(("thread_id", "run_id", "graph_id", "assistant_id", "user_id", "cron_id", "thread_ts"))
_PREFIXES_OF_THE_SERVER = ("__", "langgraph_", "checkpoint_")
"""What a server itself puts beside the options, where they came as ``configurable``."""


def check_options(context: Any, policy: Policy) -> None:
    """Check the options of a run against their schema and the policy.

    Raises:
        InvalidInput: one is unknown, cannot be used, or is the operator's to choose.
    """
    if not isinstance(context, Mapping):
        return
    options = {name: value for name, value in context.items() if not _is_of_the_server(name)}
    try:
        RunContext.model_validate(options)
    except ValidationError as error:
        explained = "; ".join(problem_of(problem) for problem in error.errors()[:3])
        known = ", ".join(RunContext.model_fields)
        raise InvalidInput(translate("server.invalid_options", explained=explained, known=known)) from error
    policy.check_input({CONTEXT: options})


def _is_of_the_server(name: str) -> bool:
    return name in _OF_THE_SERVER or name.startswith(_PREFIXES_OF_THE_SERVER)
