"""Conversations over HTTP: each of its caller, one question at a time, read and deleted."""

from datetime import date
from pathlib import Path
from typing import Any

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
        FakeStore([HOLIDAYS], found), QueueChat(*['["vacaciones anuales"]'] * 4), QueueChat(*[ANSWER] * 4)
    )
    settings = ServerSettings(conversations="sqlite:kept.sqlite")
    return create_app(Site(build_rag(services), guards=Guards(settings, ring, home=home)))


def ask(url: str, question: str, thread: Any, **headers: str) -> httpx.Response:
    sent = {"input": {"question": question, "thread_id": thread}}
    return httpx.post(f"{url}/rag/invoke", json=sent, headers=headers, timeout=PATIENCE)


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


def test_without_a_name_nothing_is_kept(tmp_path: Path) -> None:
    with serving(app(tmp_path)) as url:
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
def test_a_name_is_short_and_plain(tmp_path: Path, name: str) -> None:
    with serving(app(tmp_path)) as url:
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
