"""Conversations over HTTP: each of its caller, one question at a time, read and deleted."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services
from support.loopback import remote, serving
from support.small_graph import Hang, small_graph
from support.waiting import PATIENCE

from graph.rag import build_rag
from server.access import KeyRing
from server.app import Site, create_app
from server.guards import Guards
from server.settings import ServerSettings

pytestmark = pytest.mark.integration

FIRST, SECOND = "¿Cuántos días de vacaciones tengo?", "¿y si estoy de baja?"
HOLIDAYS = make_chunk(38, "Artículo 38", title="Vacaciones anuales")
ANSWER = "Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno"


def app(home: Path, ring: KeyRing | None = None) -> Any:
    found = {"vacaciones anuales": [(38, 1.0)]}
    services = make_services(
        FakeStore([HOLIDAYS], found), QueueChat(*['["vacaciones anuales"]'] * 99), QueueChat(*[ANSWER] * 99)
    )
    settings = ServerSettings(conversations="sqlite:kept.sqlite")
    return create_app(Site(build_rag(services), guards=Guards(settings, ring, home=home)))


def ask(url: str, question: str, thread: Any, **headers: str) -> httpx.Response:
    sent = {"input": {"question": question, "thread_id": thread}}
    return httpx.post(f"{url}/rag/invoke", json=sent, headers=headers, timeout=PATIENCE)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for all tests that name their conversations themselves."""
    with serving(app(tmp_path_factory.mktemp("kept"))) as served:
        yield served


@pytest.fixture
def thread() -> str:
    return uuid4().hex


def test_a_conversation_outlives_the_server(tmp_path: Path) -> None:
    with serving(app(tmp_path)) as url:
        assert ask(url, FIRST, "mía").json()["output"]["context_chunk_ids"] == [38]
    with serving(app(tmp_path)) as url:
        with remote(url) as client:
            (*_, final) = client.stream({"question": SECOND, "thread_id": "mía"})
        assert final["result"]["usage"]["turn"] == 2
        kept = httpx.get(f"{url}/conversations/mía").json()
        assert [message["content"] for message in kept["messages"] if message["role"] == "user"] == [FIRST, SECOND]
        assert [citation["chunk_id"] for citation in kept["citations"]] == [38]
        assert [(turn["question"], turn["outcome"]) for turn in kept["turns"]] == [
            (FIRST, "answer"),
            (SECOND, "answer"),
        ]
        exported = httpx.get(f"{url}/conversations/mía/export")
        assert (exported.status_code, exported.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
        assert f"## {FIRST}" in exported.text
        assert httpx.get(f"{url}/conversations/mía/export", params={"format": "pdf"}).status_code == 422
        assert httpx.delete(f"{url}/conversations/mía").status_code == 204
        gone = httpx.get(f"{url}/conversations/mía")
        assert (gone.status_code, gone.json()["error"]) == (404, "ConversationUnknown")
        assert httpx.delete(f"{url}/conversations/mía").status_code == 404


def test_without_a_name_nothing_is_kept(url: str) -> None:
    answer = httpx.post(f"{url}/rag/invoke", json={"input": {"question": FIRST}}, timeout=PATIENCE)
    assert answer.status_code == 200
    assert httpx.get(f"{url}/conversations/None").status_code == 404


def test_nobody_reads_the_conversation_of_another_key(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    one, other = ({"x-api-key": ring.add(name, date(2026, 1, 1))} for name in ("una", "otra"))
    with serving(app(tmp_path, ring)) as url:
        ask(url, FIRST, "1", **one)
        assert httpx.get(f"{url}/conversations/1", headers=one).status_code == 200
        assert httpx.get(f"{url}/conversations/1", headers=other).status_code == 404
        assert httpx.delete(f"{url}/conversations/1", headers=other).status_code == 404
        assert ask(url, FIRST, "1", **other).json()["output"]["usage"]["turn"] == 1


@pytest.mark.parametrize("name", ["", "a/b", "../x", "x" * 65, "a b", "una\n"])
def test_a_name_is_short_and_plain(url: str, name: str) -> None:
    refused = ask(url, FIRST, name)
    assert refused.status_code == 422
    assert "thread_id" in refused.json()["detail"]


def test_a_conversation_has_one_question_at_a_time() -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang)))) as url, httpx.Client() as client:
        sent = {"input": {"question": "a", "thread_id": "1"}}
        with client.stream("POST", f"{url}/rag/stream", json=sent, timeout=PATIENCE) as stream:
            lines = stream.iter_lines()  # kept: an iterator that is let go closes the connection
            assert any("token" in line for line in lines)
            busy = httpx.post(f"{url}/rag/invoke", json=sent)
        assert (busy.status_code, busy.json()["error"]) == (409, "ConversationBusy")
        assert hang.cancelled.wait(PATIENCE)


def v1_ask(url: str, question: str, **fields: Any) -> httpx.Response:
    return httpx.post(f"{url}/v1/ask", json={"question": question, **fields}, timeout=PATIENCE)


def questions_of(url: str, thread: str) -> list[str]:
    return [turn["question"] for turn in httpx.get(f"{url}/conversations/{thread}").json()["turns"]]


@pytest.mark.parametrize(
    ("kept", "left"),
    [
        (0, ["otra"]),
        (1, [FIRST, "otra"]),
        (2, [FIRST, SECOND, "otra"]),
        (None, [FIRST, SECOND, FIRST, "otra"]),
        (3, [FIRST, SECOND, FIRST, "otra"]),
    ],
)
def test_a_question_asked_again_replaces_the_turns_after_those_that_stay(
    url: str, thread: str, kept: int | None, left: list[str]
) -> None:
    for question in (FIRST, SECOND, FIRST):
        assert v1_ask(url, question, thread_id=thread).status_code == 200
    again = v1_ask(url, "otra", thread_id=thread, **({} if kept is None else {"keep_turns": kept}))
    assert again.json()["usage"]["turn"] == len(left)
    assert questions_of(url, thread) == left
    messages = httpx.get(f"{url}/conversations/{thread}").json()["messages"]
    assert [each["content"] for each in messages if each["role"] == "user"] == left


def test_turns_may_be_replaced_again_and_go_on(url: str, thread: str) -> None:
    for fields in ({}, {"keep_turns": 0}, {}, {"keep_turns": 1}):
        v1_ask(url, FIRST if not fields else SECOND, thread_id=thread, **fields)
    assert questions_of(url, thread) == [SECOND, SECOND]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"thread_id": "mía", "keep_turns": 2}, "de 0 a 1"),
        ({"thread_id": "nueva", "keep_turns": 1}, "de 0 a 0"),
        ({"keep_turns": 0}, "thread_id"),
        ({"thread_id": "mía", "keep_turns": -1}, "keep_turns"),
        ({"thread_id": "mía", "keep_turns": "x"}, "keep_turns"),
    ],
)
def test_a_number_of_turns_that_is_not_there_is_told(url: str, thread: str, fields: dict[str, Any], told: str) -> None:
    v1_ask(url, FIRST, thread_id=thread)
    named = {"thread_id": thread} if fields.get("thread_id") == "mía" else {}
    refused = v1_ask(url, SECOND, **fields | named)
    assert refused.status_code == 422
    assert told in refused.json()["detail"]
    assert questions_of(url, thread) == [FIRST]


def test_a_link_shows_what_was_shared_until_it_is_withdrawn(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    one, other = ({"x-api-key": ring.add(name, date(2026, 1, 1))} for name in ("una", "otra"))
    with serving(app(tmp_path, ring)) as url:
        shares = f"{url}/conversations/1/shares"
        ask(url, FIRST, "1", **one)
        ask(url, SECOND, "1", **one)
        whole = httpx.post(shares, headers=one).json()
        second = httpx.post(shares, params={"turn": 2}, headers=one).json()
        assert min(len(whole["token"]), len(second["token"])) >= 32
        ask(url, FIRST, "1", **one)
        seen = httpx.get(f"{url}/shared/{whole['token']}", headers=other).json()
        assert [turn["question"] for turn in seen["content"]] == [FIRST, SECOND]
        assert seen["content"][0]["citations"][0]["chunk_id"] == 38
        assert "thread_id" not in seen
        only = httpx.get(f"{url}/shared/{second['token']}", headers=other).json()
        assert [turn["question"] for turn in only["content"]] == [SECOND]
        assert httpx.get(f"{url}/shared/{whole['token']}").status_code == 401
        assert httpx.get(f"{url}/shared/nada", headers=other).status_code == 404
        # Another key neither lists, nor withdraws, nor makes links to it.
        assert httpx.get(shares, headers=other).json() == {"shares": []}
        assert httpx.delete(f"{shares}/{whole['token']}", headers=other).status_code == 404
        assert httpx.post(shares, headers=other).status_code == 404
        listed = httpx.get(shares, headers=one).json()["shares"]
        assert {share["token"]: share["turns"] for share in listed} == {whole["token"]: 2, second["token"]: 1}
        assert httpx.post(shares, params={"turn": 4}, headers=one).status_code == 422
        assert httpx.delete(f"{shares}/{whole['token']}", headers=one).status_code == 204
        assert httpx.get(f"{url}/shared/{whole['token']}", headers=one).status_code == 404
        # The rest goes with the conversation.
        assert httpx.delete(f"{url}/conversations/1", headers=one).status_code == 204
        assert httpx.get(f"{url}/shared/{second['token']}", headers=one).status_code == 404
