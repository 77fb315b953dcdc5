"""Agent Server as chat pages use it: both stream protocols, regenerate, edit, branches, cancelled runs."""

import asyncio
import json
import time
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import SyncLangGraphClient
from support.agent_servers import AgentServer
from support.openai_server import OpenAIServer, Reply
from support.waiting import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("langgraph dev")]

HOLIDAYS, TRIAL = "¿Cuántos días de vacaciones me corresponden?", "¿Cuánto dura el periodo de prueba?"
FERNS = "When are ferns cut back?"
HISTORY_OF_A_PAGE = 10
"""Checkpoints that ``useStream`` reads of a thread."""


@pytest.fixture
def server(offline_server: AgentServer) -> AgentServer:
    return offline_server


@pytest.fixture
def client(offline_client: SyncLangGraphClient) -> SyncLangGraphClient:
    return offline_client


def asked(text: Any, **fields: str) -> dict[str, Any]:
    return {"messages": [{"type": "human", "content": text, **fields}]}


def new_thread(client: SyncLangGraphClient) -> str:
    return str(client.threads.create()["thread_id"])


def page_history(client: SyncLangGraphClient, thread: str) -> list[dict[str, Any]]:
    """Return the checkpoints that a page reads, the newest first."""
    return [dict(state) for state in client.threads.get_history(thread, limit=HISTORY_OF_A_PAGE)]


def first_seen(history: list[dict[str, Any]], message_id: str) -> dict[str, Any]:
    """Return the oldest state that has a message, as ``getMessagesMetadata`` finds it."""
    seen = [state for state in history if message_id in {each["id"] for each in state["values"].get("messages", [])}]
    return seen[-1]


def run_again(client: SyncLangGraphClient, thread: str, before: dict[str, Any], sent: Any) -> list[dict[str, Any]]:
    """Run a thread from the parent of a state, and return the messages of the branch."""
    client.runs.wait(thread, "rag", input=sent, checkpoint=before["parent_checkpoint"])
    return list(client.threads.get_state(thread)["values"]["messages"])


def v3_events(server: AgentServer, thread: str, sent: Any, *channels: str) -> list[dict[str, Any]]:
    """Run a thread by the commands of protocol v3, and return its events to the end of the run."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as http:
        started = {"id": 1, "method": "run.start", "params": {"assistant_id": "rag", "input": sent}}
        assert http.post(f"/threads/{thread}/commands", json=started).json()["type"] == "success"
        events = []
        body = {"channels": ["lifecycle", *channels]}
        with http.stream("POST", f"/threads/{thread}/stream/events", json=body) as stream:
            for line in stream.iter_lines():
                if not line.startswith("data:"):
                    continue
                event = json.loads(line.removeprefix("data:"))
                events.append(event)
                said = event.get("params", {}).get("data", {})
                ended = event.get("method") == "lifecycle" and said.get("event") in ("completed", "failed")
                if ended and not event["params"]["namespace"]:
                    return events
    return events


@pytest.mark.parametrize("sent", [asked([{"type": "text", "text": HOLIDAYS}]), {"question": HOLIDAYS}])
def test_the_event_protocol_streams_the_answer_as_one_message(
    server: AgentServer, client: SyncLangGraphClient, sent: Any
) -> None:
    thread = new_thread(client)
    events = v3_events(server, thread, sent, "messages")
    said = [event["params"] for event in events if event["method"] == "messages" and not event["params"]["namespace"]]
    parts = [each["data"] for each in said]
    answer = client.threads.get_state(thread)["values"]["messages"][-1]
    deltas = [part["delta"]["text"] for part in parts if part["event"] == "content-block-delta"]
    assert (parts[0]["event"], parts[0]["id"], parts[-1]["event"]) == ("message-start", answer["id"], "message-finish")
    assert [part["event"] for part in parts].count("message-start") == 1
    assert len(deltas) > 5
    assert "".join(deltas) == text_of(answer)


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


async def test_the_streaming_api_of_the_sdk_has_the_tokens(server: AgentServer) -> None:
    async with get_client(url=server.url) as client:
        thread = (await client.threads.create())["thread_id"]
        async with client.threads.stream(thread, assistant_id="rag") as stream:
            await stream.run.start(input=asked(HOLIDAYS))
            reading = [asyncio.create_task(pieces_of(message)) async for message in stream.messages]
            texts = await asyncio.gather(*reading)
        state = await client.threads.get_state(thread)
    [pieces] = texts
    assert len(pieces) > 5
    assert "".join(pieces) == text_of(state["values"]["messages"][-1])


async def pieces_of(message: Any) -> list[str]:
    return [piece async for piece in message.text]


@pytest.mark.parametrize("mode", ["messages", "messages-tuple"])
def test_the_other_protocol_streams_it_under_the_same_id(client: SyncLangGraphClient, mode: str) -> None:
    thread = new_thread(client)
    stream = client.runs.stream(thread, "rag", input=asked(HOLIDAYS), stream_mode=[mode])
    parts = [part.data[0] for part in stream if part.event in ("messages", "messages/partial")]
    answer = client.threads.get_state(thread)["values"]["messages"][-1]
    assert {part["id"] for part in parts} == {answer["id"]}
    text = "".join(part["content"] for part in parts) if mode == "messages-tuple" else parts[-1]["content"]
    assert text == text_of(answer)


def test_the_stages_are_a_subgraph(client: SyncLangGraphClient) -> None:
    [assistant] = client.assistants.search(graph_id="rag")
    drawn = client.assistants.get_graph(assistant["assistant_id"], xray=True)["nodes"]
    names = {str(node["id"]).rpartition(":")[2] for node in drawn}
    stream = client.runs.stream(None, "rag", input=asked(HOLIDAYS), stream_mode=["updates"], stream_subgraphs=True)
    updated = [name for part in stream if part.event.startswith("updates|rag:") for name in part.data]
    assert {"analyze_question", "decompose", "hybrid_search", "answer", "finalize"} <= names
    assert updated[-3:] == ["answer", "verify", "finalize"]


def test_a_page_reads_three_turns_of_a_thread(client: SyncLangGraphClient) -> None:
    thread = new_thread(client)
    for text in (HOLIDAYS, "¿Y si estoy de baja?", TRIAL):
        client.runs.wait(thread, "rag", input=asked(text))
    history = page_history(client, thread)
    assert len(history) <= HISTORY_OF_A_PAGE
    messages = history[0]["values"]["messages"]
    assert [message["type"] for message in messages] == ["human", "ai"] * 3
    assert all(first_seen(history, message["id"])["parent_checkpoint"] for message in messages)


@pytest.mark.parametrize(("turn", "sends_it_again"), [(0, False), (1, True)])
def test_regenerate_answers_the_same_question_as_a_branch(
    client: SyncLangGraphClient, turn: int, sends_it_again: bool
) -> None:
    thread = new_thread(client)
    for text in (HOLIDAYS, TRIAL):
        client.runs.wait(thread, "rag", input=asked(text))
    history = page_history(client, thread)
    question, old = history[0]["values"]["messages"][2 * turn :][:2]
    sent = {"messages": [question]} if sends_it_again else None
    before = first_seen(history, old["id"])
    messages = run_again(client, thread, before, sent)
    assert [message["type"] for message in messages] == ["human", "ai"] * (turn + 1)
    assert (messages[-2]["id"], text_of(messages[-1])) == (question["id"], text_of(old))
    assert messages[-1]["id"] != old["id"]
    assert branches(page_history(client, thread), before) == 2


def test_an_edited_question_is_the_one_that_is_answered(client: SyncLangGraphClient) -> None:
    thread = new_thread(client)
    client.runs.wait(thread, "rag", input=asked("¿Cuánto dura el preaviso?"))
    client.runs.wait(thread, "rag", input=asked(HOLIDAYS, id="edited"))
    history = page_history(client, thread)
    old = history[0]["values"]["messages"][-2]
    before = first_seen(history, old["id"])
    messages = run_again(client, thread, before, asked(TRIAL, id="edited"))
    assert [text_of(message) for message in messages if message["type"] == "human"] == [
        "¿Cuánto dura el preaviso?",
        TRIAL,
    ]
    assert "periodo de prueba" in text_of(messages[-1])
    assert client.threads.get_state(thread)["values"]["transcript"][-2]["content"] == TRIAL
    assert branches(page_history(client, thread), before) == 2


def branches(history: list[dict[str, Any]], before: dict[str, Any]) -> int:
    """Return how many states follow the parent of a state: the branches that a page counts."""
    parent = before["parent_checkpoint"]["checkpoint_id"]
    return sum((state["parent_checkpoint"] or {}).get("checkpoint_id") == parent for state in history)


def test_input_that_would_be_dropped_is_refused(client: SyncLangGraphClient) -> None:
    thread = new_thread(client)
    sent = asked([{"type": "image", "base64": "aGk=", "mime_type": "image/png"}])
    ended = client.runs.wait(thread, "rag", input=sent, raise_error=False)
    assert "adjuntos aquí (imagen)" in ended["__error__"]["message"]
    assert client.runs.wait(thread, "rag", input={"question": TRIAL})["citations"], "the thread goes on"


def test_a_question_and_the_same_as_a_message_are_one(client: SyncLangGraphClient) -> None:
    answered = client.runs.wait(None, "rag", input=asked(HOLIDAYS) | {"question": f" {HOLIDAYS} ", "history": None})
    assert [message["type"] for message in answered["messages"]] == ["human", "ai"]


@pytest.mark.parametrize(("answered_before", "as_message"), [(False, True), (True, False)])
def test_the_question_of_a_cancelled_run_does_not_reach_the_model(
    written: AgentServer, models: OpenAIServer, answered_before: bool, as_message: bool
) -> None:
    reply = "In October [C1].\n===META===\nUSED|C1\nDROP|ninguno"
    models.answer("reader", lambda request: '["When are ferns cut back?"]')
    with written.client() as client:
        thread = new_thread(client)
        models.answer("principal", lambda request: reply)
        if answered_before:
            client.runs.wait(thread, "rag", input=asked("When are ferns watered?"))
        # Held, not endless: a text that repeats itself is cut, and asked for once more.
        models.answer("principal", lambda request: Reply("palabra ", held=True))
        before = models.calls("principal")
        run = client.runs.create(thread, "rag", input=asked("May roses be moved in a late frost?"))
        wait_until(lambda: models.calls("principal") > before)
        client.runs.cancel(thread, run["run_id"], wait=True)

        prompts: list[str] = []

        def answer(request: Any) -> str:
            prompts.append(json.dumps(request.body["messages"], ensure_ascii=False))
            return reply

        def search(request: Any) -> str:
            prompts.append(json.dumps(request.body["messages"], ensure_ascii=False))
            return '["When are ferns cut back?"]'

        models.answer("principal", answer)
        models.answer("reader", search)
        sent = asked(FERNS) if as_message else {"question": FERNS}
        answered = client.runs.wait(thread, "rag", input=sent)
    assert answered["answer"] == "In October [C1]."
    assert answered["messages"][-1]["type"] == "ai"
    assert text_of(answered["messages"][-2]) == FERNS
    assert prompts
    assert "late frost" not in "".join(prompts)


def wait_until(holds: Any) -> None:
    give_up = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)
