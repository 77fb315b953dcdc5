"""Questions whose candidates a rerank endpoint scores, over real HTTP: it refuses, is late, or leaves some out."""

import json

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.rerank_server import Answer, running_rerank_server

from articulado.config.settings import RerankSettings
from articulado.retrieval.ranking.api import rerank_api
from articulado.retrieval.ranking.model_reranker import ModelReranker
from graph.rag import build_rag

QUESTION = "vacaciones anuales"
PLAIN = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"
CHUNKS = [make_chunk(n, f"Artículo {n}", text=f"texto {n}") for n in range(1, 41)]
FOUND = {QUESTION: [(n, 1 - n / 100) for n in range(1, 41)]}
HEURISTIC = FixedReranker({n: 1 - n / 100 for n in range(1, 41)}, is_cheap=True)
"""Puts the articles in the order of their numbers; the endpoint, left to itself, in the reverse one."""


@pytest.fixture
def server():
    with running_rerank_server() as running:
        yield running


@pytest.fixture
async def ask(server):
    """Ask the same process with an endpoint, once or more; return the order of what was scored, and the warnings."""
    made = rerank_api(RerankSettings(_env_file=None, model="m", base_url=f"{server.root}/v1", api_key="mala"))
    table = {"heuristic": HEURISTIC}

    async def answered(seconds=60.0):
        table.setdefault("api", ModelReranker(made, tokens=512, timeout=seconds))
        reader, principal = QueueChat(json.dumps([QUESTION])), QueueChat(PLAIN)
        graph = build_rag(make_services(FakeStore(CHUNKS, FOUND), reader, principal, rerankers=table))
        order, warnings = [], []
        async for step in graph.astream(
            {"question": QUESTION}, context={"rerank_strategy": "api"}, stream_mode="updates"
        ):
            if "retrieve" in step:
                scored = [one for one in step["retrieve"]["candidates"] if "rerank_score" in one]
                by_score = sorted(scored, key=lambda one: (-one["rerank_score"], one["chunk"]["id"]))
                order = [one["chunk"]["id"] for one in by_score]
            for stage in ("retrieve", "finalize"):
                warnings += step.get(stage, {}).get("warnings", [])
        return order, warnings

    yield answered
    await made.close()


@pytest.mark.parametrize(("status", "variable"), [(401, "API_KEY"), (403, "API_KEY"), (404, "MODEL")])
async def test_a_refusing_endpoint_is_replaced_and_its_setting_named(server, ask, status, variable):
    server.script(Answer(status, {"message": "no"}))
    order, warnings = await ask()
    assert order == list(range(1, 41))
    [warning] = warnings
    assert warning.startswith("Se ha ordenado sin el modelo de reordenación: El proveedor no ")
    assert f"ARTICULADO_RERANK_{variable}" in warning


async def test_a_late_endpoint_is_replaced_and_its_setting_named(server, ask):
    server.script(Answer(silent=True))
    order, warnings = await ask(seconds=0.6)
    assert order == list(range(1, 41))
    [warning] = warnings
    assert "no ha llegado a tiempo" in warning
    assert "ARTICULADO_RERANK_TIMEOUT" in warning


async def test_the_same_question_has_the_same_order_whatever_was_left_out_the_first_time(server, ask):
    rows = [{"index": index, "relevance_score": 0.9 - index / 100} for index in range(0, 20, 2)]
    server.script(Answer(body={"results": rows}))
    first, again = await ask(), await ask()
    assert first == again == (list(range(1, 21, 2)), [])
    assert len(server.requests) == 1


async def test_logits_are_ordered_as_they_are_and_told_each_time(server, ask):
    rows = [{"index": index, "relevance_score": 5.0 - index} for index in range(20)]
    server.script(Answer(body={"results": rows}))
    first, again = await ask(), await ask()
    assert first == again
    order, warnings = first
    assert order == list(range(1, 21))
    assert ["sigmoide" in warning for warning in warnings] == [True]
