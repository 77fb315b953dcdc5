"""One suite for every Agent Server: what the protocol promises, on the repository's own ``langgraph.json``."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import NotFoundError
from support.agent_servers import AEGRA, LANGGRAPH, AgentServer, agent_server
from support.laboral import write_laboral
from support.openai_server import OpenAIServer, Reply, running_server
from support.small_laws import write_law
from support.waiting import PATIENCE

from server.access import KeyRing

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("langgraph dev")]

SERVERS = (LANGGRAPH, pytest.param(AEGRA, marks=pytest.mark.slow(reason="Aegra over PostgreSQL")))
VACATION = {"question": "¿Cuántos días de vacaciones me corresponden?"}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """A server without keys on the demo index, offline."""
    if request.param == LANGGRAPH:
        yield request.getfixturevalue("offline_server")
        return
    with agent_server(request.param, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: AgentServer) -> Iterator[SyncLangGraphClient]:
    with server.client() as opened:
        yield opened


def streamed(client: SyncLangGraphClient, graph: str, sent: Any, mode: str, **options: Any) -> list[Any]:
    """Return the data of one mode of a run of its own; an error is raised."""
    parts = list(client.runs.stream(None, graph, input=sent, stream_mode=[mode], **options))
    assert [part.data for part in parts if part.event == "error"] == []
    return [part.data for part in parts if part.event == mode.removesuffix("-tuple")]


def error_of(client: SyncLangGraphClient, graph: str, sent: Any, **options: Any) -> str:
    """Return the message of a run that must end in an error. (Aegra keeps messages out of streams.)"""
    ended = client.runs.wait(None, graph, input=sent, raise_error=False, **options)
    return str(ended["__error__"]["message"])


def test_graphs_say_what_they_are_for(client: SyncLangGraphClient) -> None:
    found = {assistant["graph_id"]: assistant for assistant in client.assistants.search()}
    assert set(found) == {"rag", "stages", "required_data", "generate_response", "ingest"}
    assert all(len(assistant.get("description") or "") > 40 for assistant in found.values())
    schemas = client.assistants.get_schemas(found["rag"]["assistant_id"])
    assert {"question", "messages"} <= set(schemas["input_schema"]["properties"])
    assert {"rerank_strategy", "max_chunks_in_prompt", "as_of"} <= set(schemas["context_schema"]["properties"])


@pytest.mark.parametrize("graph", ["rag", "stages"])
def test_a_thread_carries_the_conversation(client: SyncLangGraphClient, graph: str) -> None:
    thread = client.threads.create()["thread_id"]
    first = client.runs.wait(thread, graph, input=VACATION)
    second = client.runs.wait(thread, graph, input={"question": "¿Y pueden sustituirse por dinero?"})
    state = client.threads.get_state(thread)["values"]
    assert first["citations"]
    assert second["answer"]
    assert {candidate["chunk"]["id"] for candidate in state["carried"]} == set(first["context_chunk_ids"])
    assert [message["type"] for message in state["messages"]] == ["human", "ai"] * 2


def test_messages_go_in_and_come_out(client: SyncLangGraphClient) -> None:
    sent = {"messages": [{"type": "human", "content": VACATION["question"], "id": "asked"}]}
    answered = client.runs.wait(None, "rag", input=sent)
    asked, answer = answered["messages"]
    block, sources = answer["content"]
    assert (asked["id"], answer["type"], block["text"]) == ("asked", "ai", answered["answer"])
    assert answer["additional_kwargs"]["citations"] == answered["citations"]
    assert {each["type"] for each in block["annotations"]} == {"citation"}
    assert "**Fuentes**" in sources["text"]


def test_a_client_may_leave_the_sources_out_of_the_text(client: SyncLangGraphClient) -> None:
    sent = {"messages": [{"type": "human", "content": VACATION["question"]}]}
    answered = client.runs.wait(None, "rag", input=sent, context={"footnotes": False})
    [block] = answered["messages"][-1]["content"]
    assert block["text"] == answered["answer"]


def test_stages_are_streamed_as_events_and_as_updates(client: SyncLangGraphClient) -> None:
    events = streamed(client, "rag", VACATION, "custom")
    assert events[0]["type"] == "stage"
    assert {"stage", "token"} <= {event["type"] for event in events}
    assert events[-1]["type"] == "final"
    updated = [name for update in streamed(client, "stages", VACATION, "updates") for name in update]
    assert updated[-3:] == ["answer", "verify", "finalize"]


def test_messages_are_streamed_as_the_tokens_of_the_answer(client: SyncLangGraphClient) -> None:
    sent = {"messages": [{"type": "human", "content": VACATION["question"]}]}
    parts = [data[0] for data in streamed(client, "rag", sent, "messages-tuple")]
    message = client.runs.wait(None, "rag", input=sent)["messages"][-1]
    assert len(parts) > 5
    assert {part["type"] for part in parts} == {"AIMessageChunk"}
    assert len({part["id"] for part in parts}) == 1
    assert "".join(part["content"] for part in parts) == "".join(block["text"] for block in message["content"])


def test_a_fork_searches_for_the_searches_that_it_is_given(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "stages", input=VACATION)
    history = client.threads.get_history(thread, limit=50)
    decomposed = next(one for one in history if one["next"] == ["retrieve"])
    searches = ["despido disciplinario", "preaviso dimisión"]
    fork = client.threads.update_state(
        thread, {"searches": searches}, as_node="decompose", checkpoint=decomposed["checkpoint"]
    )
    checkpoint = {name: text for name, text in fork["checkpoint"].items() if text is not None}
    client.runs.wait(thread, "stages", input=None, checkpoint=checkpoint)
    candidates = client.threads.get_state(thread)["values"]["candidates"]
    found = {search for one in candidates if "hybrid" in one["origins"] for search in one["found_by"]}
    assert found == {0, 1}, "their positions among the searches"


def test_two_assistants_have_options_of_their_own(client: SyncLangGraphClient) -> None:
    brief = client.assistants.create("rag", context={"max_chunks_in_prompt": 1}, name="breve")
    records = client.assistants.create("rag", context={"rag_enabled": False}, name="resúmenes")
    try:
        shown = client.runs.wait(None, brief["assistant_id"], input=VACATION)
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, records["assistant_id"], input=VACATION)
    finally:
        # Other tests of the server find the assistant of each graph alone.
        for one in (brief, records):
            client.assistants.delete(one["assistant_id"])
    assert {citation["mark"] for citation in shown["citations"]} <= {"C1"}
    assert client.threads.get_state(thread)["values"]["store"] == "records"


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"idioma": "en"}, "«idioma» no es un campo conocido"),
        ({"as_of": "ayer"}, "as_of"),
        ({"rerank_strategy": "llm"}, "solo lo puede elegir quien lleva el servidor"),
        ({"max_chunks_in_prompt": 90}, "puede ser 40 como mucho"),
    ],
)
def test_options_that_are_unknown_or_not_the_callers_are_refused(
    client: SyncLangGraphClient, context: dict[str, Any], told: str
) -> None:
    assert told in error_of(client, "rag", VACATION, context=context)


def test_a_blank_question_is_explained(client: SyncLangGraphClient) -> None:
    assert "La pregunta está vacía." in error_of(client, "rag", {"question": "  "})


def test_a_remote_graph_is_called_like_one_in_the_process(client: SyncLangGraphClient) -> None:
    remote = RemoteGraph("rag", sync_client=client)
    answered = remote.invoke(VACATION)
    events = list(remote.stream(VACATION, stream_mode="custom"))
    assert answered["citations"]
    assert events[-1]["result"]["answer"] == answered["answer"]


def test_our_own_routes_are_on_the_same_port(server: AgentServer, client: SyncLangGraphClient) -> None:
    own = httpx.post(f"{server.url}/rag/invoke", json={"input": VACATION}, timeout=PATIENCE).json()["output"]
    assert own["answer"] == client.runs.wait(None, "rag", input=VACATION)["answer"]


def test_a_conversation_of_our_own_routes_is_kept_beside_the_threads(server: AgentServer) -> None:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as http:
        own = uuid4().hex
        http.post("/rag/invoke", json={"input": VACATION | {"thread_id": own}}).raise_for_status()
        assert len(http.get(f"/conversations/{own}").json()["messages"]) == 2


@pytest.mark.parametrize("path", ["/runs/wait", "/rag/invoke"])
def test_a_web_page_cannot_call_it(server: AgentServer, path: str) -> None:
    body = {"assistant_id": "rag", "input": VACATION}
    refused = httpx.post(f"{server.url}{path}", json=body, headers={"origin": "https://example.org"}, timeout=PATIENCE)
    named = httpx.post(f"{server.url}{path}", json=body, headers={"host": "example.org"}, timeout=PATIENCE)
    assert (refused.status_code, named.status_code) == (403, 403)


@dataclass(frozen=True)
class Guarded:
    """A server with keys and chat models, which began without an index."""

    server: AgentServer
    models: OpenAIServer
    keys: dict[str, str]
    laws: Path


@pytest.fixture(scope="module", params=SERVERS)
def guarded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that two people and its operator have keys of; its reader writes the context of fragments."""
    folder = tmp_path_factory.mktemp("guarded")
    home = folder / "home"
    ring = KeyRing(home / "keys.json")
    keys = {name: ring.add(name, date(2026, 1, 1)) for name in ("ana", "bea", "admin")}
    with ExitStack() as stack:
        models = stack.enter_context(running_server())
        models.answer("reader", lambda request: "Sobre el descanso.")
        environment = {
            f"ARTICULADO_{role}_{name}": text
            for role in ("READER", "PRINCIPAL")
            for name, text in (
                ("PROVIDER", "compatible"),
                ("BASE_URL", models.url),
                ("API_KEY", "none"),
                ("MODEL", role.lower()),
            )
        }
        environment |= {
            "ARTICULADO_HOME": str(home),
            "ARTICULADO_INDEX": str(folder / "index"),
            "ARTICULADO_PROFILE": write_laboral(folder),
            "ARTICULADO_CHUNK_CONTEXT": "reader",
            "ARTICULADO_SERVER_OPERATORS": "admin",
        }
        server = stack.enter_context(agent_server(request.param, folder, **environment))
        long = "La duración del descanso semanal será de día y medio ininterrumpido. " * 40
        laws = write_law(folder / "leyes" / "a.md", "BOE-A-2000-1", long, "El permiso por boda es de 15 días.").parent
        yield Guarded(server, models, keys, laws)


def test_from_no_index_to_an_answer_with_a_question_about_its_cost(guarded: Guarded) -> None:
    """In one test, as one thing follows from the other: begin without an index, decline, agree, ask, cancel."""
    asked = {"question": "¿Cuánto dura el descanso semanal?"}
    with guarded.server.client(guarded.keys["admin"]) as admin:
        [assistant] = admin.assistants.search(graph_id="rag")
        assert len(admin.assistants.get_graph(assistant["assistant_id"], xray=True)["nodes"]) > 15
        guarded.models.answer("reader", lambda request: '["descanso semanal"]')
        missing = error_of(admin, "rag", asked)
        assert "No hay ningún índice" in missing

        guarded.models.answer("reader", lambda request: "Sobre el descanso.")
        thread = admin.threads.create()["thread_id"]
        admin.runs.wait(thread, "ingest", input={"paths": [str(guarded.laws)]})
        [interrupt] = interrupts_of(admin, thread)
        assert "frases a reader" in interrupt["message"]
        assert interrupt["answer"].startswith("Responda true")
        declined = admin.runs.wait(thread, "ingest", command={"resume": "no"})
        assert declined["report"]["warnings"] == ["No se ha pedido ninguna frase y el índice sigue como estaba."]
        assert (declined["report"]["added"], declined["report"]["provisions"]) == ([], 0)
        assert "No hay ningún índice" in error_of(admin, "rag", asked)

        thread = admin.threads.create()["thread_id"]
        admin.runs.wait(thread, "ingest", input={"paths": [str(guarded.laws)]})
        agreed = admin.runs.wait(thread, "ingest", command={"resume": "sí"})
        assert agreed["report"]["provisions"] == 2

        guarded.models.answer("reader", lambda request: '["descanso semanal"]')
        guarded.models.answer("principal", lambda request: "Día y medio [C1].\n===META===\nUSED|C1\nDROP|ninguno")
        assert admin.runs.wait(None, "rag", input=asked)["answer"] == "Día y medio [C1]."
        parts = [data[0]["content"] for data in streamed(admin, "rag", asked, "messages-tuple")]
        assert "META" not in "".join(parts)

        guarded.models.answer("principal", lambda request: Reply("palabra ", held=True))
        thread = admin.threads.create()["thread_id"]
        run = admin.runs.create(thread, "rag", input=asked)
        wait_until(lambda: guarded.models.calls("principal") >= 3)
        admin.runs.cancel(thread, run["run_id"], wait=True)
        assert guarded.models.left.wait(PATIENCE)
        assert admin.runs.get(thread, run["run_id"])["status"] in ("interrupted", "cancelled", "error")


def test_each_key_has_threads_and_items_of_its_own(guarded: Guarded) -> None:
    with guarded.server.client(guarded.keys["ana"]) as ana, guarded.server.client(guarded.keys["bea"]) as bea:
        thread = ana.threads.create()["thread_id"]
        ana.store.put_item(["notas"], "1", {"texto": "mía"})
        assert ana.threads.get(thread)["thread_id"] == thread
        assert ana.store.get_item(["notas"], "1")["value"] == {"texto": "mía"}
        with pytest.raises(httpx.HTTPStatusError) as refused:
            bea.threads.get(thread)
        assert refused.value.response.status_code in (403, 404)
        assert thread not in {one["thread_id"] for one in bea.threads.search()}
        assert item_of(bea, "1") is None
        assert "ingest" in {assistant["graph_id"] for assistant in bea.assistants.search()}
        assert "de quien lleva el servidor" in error_of(bea, "ingest", {"paths": ["/etc"]})


def test_nobody_comes_in_without_a_key(guarded: Guarded) -> None:
    for path, body in (("/threads/search", {}), ("/rag/invoke", {"input": VACATION})):
        for headers in ({}, {"x-api-key": "art_nada"}, {"x-auth-scheme": "langsmith"}):
            assert httpx.post(f"{guarded.server.url}{path}", json=body, headers=headers).status_code == 401


def interrupts_of(client: SyncLangGraphClient, thread: str) -> list[dict[str, Any]]:
    """Return what the run of a thread has stopped to ask."""
    tasks = client.threads.get_state(thread)["tasks"]
    return [interrupt["value"] for task in tasks for interrupt in task["interrupts"]]


def item_of(client: SyncLangGraphClient, key: str) -> Any:
    """Return a stored item, ``None`` where there is none: one server answers so, the other with 404."""
    try:
        return client.store.get_item(["notas"], key)
    except NotFoundError:
        return None


def wait_until(holds: Any) -> None:
    give_up = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)
