"""``articulado conversations`` lists, shows, deletes and prunes what the server keeps."""

import asyncio
import json
from pathlib import Path

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from cli.main import run
from graph.rag import build_rag
from server.conversations.store import open_conversations

QUESTION = "¿Cuántos días de vacaciones tengo?"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep one conversation, as a server does."""
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path))
    found = {"vacaciones anuales": [(38, 1.0)]}
    services = make_services(
        FakeStore([make_chunk(38, "Artículo 38")], found),
        QueueChat('["vacaciones anuales"]'),
        QueueChat("Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno"),
    )

    async def ask() -> None:
        async with open_conversations("sqlite:conversations.sqlite", tmp_path) as conversations:
            graph = build_rag(services, conversations.saver)
            config = {"configurable": {"thread_id": "web/1"}}
            await graph.ainvoke({"question": QUESTION}, config, durability="exit")

    asyncio.run(ask())


@pytest.mark.usefixtures("kept")
def test_a_conversation_is_listed_shown_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conversations", "list", "--json"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)] == ["web/1"]
    assert run(["conversations", "show", "web/1"]) == 0
    assert f"› {QUESTION}" in capsys.readouterr().out
    assert run(["conversations", "prune", "--days", "1"]) == 0
    assert "borradas: 0" in capsys.readouterr().out
    assert run(["conversations", "delete", "web/1"]) == 0
    assert run(["conversations", "list"]) == 0
    assert "No se guarda ninguna conversación" in capsys.readouterr().out
    assert run(["conversations", "show", "web/1"]) != 0
    assert "No se guarda ninguna conversación «1»" in capsys.readouterr().err


@pytest.mark.usefixtures("kept")
def test_pruning_zero_days_deletes_every_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conversations", "prune", "--days", "0"]) == 0
    assert "borradas: 1" in capsys.readouterr().out
