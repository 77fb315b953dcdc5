"""What an Agent Server is sent as options of a run."""

from typing import Any

import pytest

from articulado.values.errors import InvalidInput
from server.agent.graphs import check_options
from server.guards import Policy


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"territory": "Madrid", "as_of": "2024-01-01", "max_chunks_in_prompt": 40, "rerank_strategy": "none"},
        # What servers lay beside options that came as ``configurable``.
        {"thread_id": "1", "checkpoint_id": "2", "langgraph_auth_user": {}, "__request_start_time_ms__": 1},
    ],
)
def test_known_options_pass(context: Any) -> None:
    check_options(context, Policy())


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"territorio": "Madrid"}, r"«territorio» no es un campo conocido.*max_chunks_in_prompt, .*territory"),
        ({"as_of": "ayer"}, "«as_of»"),
        ({"max_chunks_in_prompt": 0}, "«max_chunks_in_prompt»"),
        ({"max_chunks_in_prompt": 41}, "puede ser 40 como mucho"),
        ({"rerank_strategy": "cross_encoder"}, "solo lo puede elegir"),
    ],
)
def test_the_rest_is_refused(context: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        check_options(context, Policy())
