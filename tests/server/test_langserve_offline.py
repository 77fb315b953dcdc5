"""The endpoint over the real graph, offline, on the packaged demo corpus."""

from collections.abc import Iterator

import httpx
import pytest
from support.loopback import aremote, remote, serving

from graph.compose import open_rag
from server.app import Site, create_app
from server.runnable import ServedGraph
from state.context import RunContext

pytestmark = pytest.mark.integration

QUESTION = {"question": "¿Cuántos días de vacaciones me corresponden al año?"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(create_app(Site(open_rag()))) as base:
        yield base


def test_a_question_is_answered_with_citations(url: str) -> None:
    with remote(url) as client:
        result = client.invoke(QUESTION)
    assert not result["abstained"]
    assert result["citations"]
    assert {citation["chunk_id"] for citation in result["citations"]} <= set(result["used_chunk_ids"])
    assert result["usage"]["model_calls"] == 0
    assert "answer" in result["usage"]["stages"]


def test_the_runnable_answers_without_a_server_and_a_loop_too() -> None:
    result = ServedGraph(open_rag()).invoke(QUESTION | {"context": RunContext(max_chunks_in_prompt=1)})
    assert {citation["mark"] for citation in result["citations"]} == {"C1"}


def test_a_follow_up_carries_the_context(url: str) -> None:
    with remote(url) as client:
        first = client.invoke(QUESTION)
        history = [{"role": "user", "content": first["question"]}, {"role": "assistant", "content": first["answer"]}]
        follow_up = {
            "question": "¿Y pueden pagarse en dinero?",
            "history": history,
            "previous_chunk_ids": first["context_chunk_ids"],
        }
        second = client.invoke(follow_up)
    assert second["answer"]
    assert second["warnings"] == []


async def test_tokens_make_up_the_answer(url: str) -> None:
    async with aremote(url) as client:
        events = [event async for event in client.astream(QUESTION)]
    stages = [event["stage"] for event in events if event["type"] == "stage"]
    shown = "".join(event["text"] for event in events if event["type"] == "token")
    assert set(stages[:2]) == {"analyze_question", "load_carryover"}
    assert stages[-1] == "finalize"
    assert events[-1]["type"] == "final"
    assert shown.strip() == events[-1]["result"]["answer"].strip()


def test_options_apply_to_one_question(url: str) -> None:
    with remote(url) as client:
        compact = client.invoke(QUESTION | {"context": {"max_chunks_in_prompt": 1}})
    assert {citation["mark"] for citation in compact["citations"]} == {"C1"}


@pytest.mark.parametrize("question", ["", " \n "])
def test_a_blank_question_is_refused(url: str, question: str) -> None:
    response = httpx.post(f"{url}/rag/invoke", json={"input": {"question": question}})
    assert response.status_code == 422
    assert response.json()["detail"].startswith("La pregunta está vacía.")
