"""Conversations in memory, in SQLite and in a real PostgreSQL: kept lean, read, deleted, forgotten in time."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from support.doubles import FakeStore, QueueChat, make_chunk, make_services
from support.postgres import postgres

from articulado.values.errors import ConfigurationError, ConversationUnknown, StoreUnavailable
from graph.rag import build_rag
from server.conversations.checkpoint_trimming import KEPT
from server.conversations.store import MEMORY, Conversations, KeptTurn, open_conversations

FIRST, SECOND = "¿Cuántos días de vacaciones tengo?", "¿y si estoy de baja?"
HOLIDAYS = make_chunk(38, "Artículo 38", title="Vacaciones anuales")
ANSWER = "Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno"


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest) -> str:
    return "sqlite:chats/kept.sqlite" if request.param == "sqlite" else request.getfixturevalue("database")


def services() -> Any:
    found = {"vacaciones anuales": [(38, 1.0)]}
    return make_services(FakeStore([HOLIDAYS], found), QueueChat('["vacaciones anuales"]'), QueueChat(ANSWER))


async def ask(conversations: Conversations, name: str, *questions: str) -> dict[str, Any]:
    """Ask one question after the other, each in a graph of its own: nothing is remembered but what is kept."""
    result: dict[str, Any] = {}
    for question in questions:
        graph = build_rag(services(), conversations.saver)
        config = {"configurable": {"thread_id": name}}
        result = await graph.ainvoke({"question": question}, config, durability="exit")
    return result


async def test_servers_that_start_at_once_share_an_empty_database(database: str, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
    fresh = database.replace("/postgres?", "/fresh?")
    async with AsyncExitStack() as stack:
        opening = (stack.enter_async_context(open_conversations(fresh, tmp_path)) for _ in range(4))
        first, *_, last = await asyncio.gather(*opening)
        await ask(first, "web/shared", FIRST)
        assert len((await last.read("web/shared")).messages) == 2


async def test_a_conversation_goes_on_after_a_restart(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        first = await ask(conversations, "web/restart", FIRST)
    async with open_conversations(where, tmp_path) as conversations:
        second = await ask(conversations, "web/restart", SECOND)
        kept = await conversations.read("web/restart")
    assert first["context_chunk_ids"] == second["context_chunk_ids"] == [38]
    assert [message["role"] for message in kept.messages] == ["user", "assistant"] * 2
    assert [kept.messages[0]["content"], kept.messages[2]["content"]] == [FIRST, SECOND]
    assert [turn["question"] for turn in kept.turns] == [FIRST, SECOND]
    assert [[citation["chunk_id"] for citation in turn["citations"]] for turn in kept.turns] == [[38], [38]]
    assert kept.turns[0]["asked"] < kept.turns[1]["asked"]


async def test_a_run_that_fails_leaves_no_turn_without_an_answer(tmp_path: Path) -> None:
    async with open_conversations(MEMORY, tmp_path) as conversations:
        await ask(conversations, "web/failed", FIRST)
        found = {"vacaciones anuales": [(38, 1.0)]}
        silent = make_services(
            FakeStore([HOLIDAYS], found), QueueChat('["vacaciones anuales"]'), QueueChat(IndexError())
        )
        graph = build_rag(silent, conversations.saver)
        with pytest.raises(IndexError):
            await graph.ainvoke({"question": SECOND}, {"configurable": {"thread_id": "web/failed"}}, durability="exit")
        assert [turn["question"] for turn in (await conversations.read("web/failed")).turns] == [FIRST]


async def test_two_servers_share_a_database(database: str, tmp_path: Path) -> None:
    async with open_conversations(database, tmp_path) as one, open_conversations(database, tmp_path) as other:
        await ask(one, "web/shared", FIRST)
        await ask(other, "web/shared", SECOND)
        await ask(one, "web/shared", FIRST)
        assert len((await other.read("web/shared")).messages) == 6


async def test_what_is_kept_is_what_the_next_turn_reads(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        await ask(conversations, "web/lean", FIRST, SECOND)
        found = [each async for each in conversations.saver.alist({"configurable": {"thread_id": "web/lean"}})]
    assert len(found) == 2  # one a turn
    for each in found:
        assert each.checkpoint["channel_values"].keys() <= KEPT
        assert not each.pending_writes


async def test_a_conversation_is_deleted_whole(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        await ask(conversations, "web/gone", FIRST)
        await ask(conversations, "web/stays", FIRST)
        await conversations.delete("web/gone")
        for again in (conversations.read, conversations.delete):
            with pytest.raises(ConversationUnknown, match="No se guarda ninguna conversación «gone»"):
                await again("web/gone")
        assert "web/stays" in await conversations.last_used()
        assert (await ask(conversations, "web/gone", SECOND))["queries"] == ["vacaciones anuales"]
        assert len((await conversations.read("web/gone")).messages) == 2


async def test_old_conversations_are_forgotten(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        for name, day in (("old", "2026-01-01"), ("older", "2025-06-01"), ("new", "2026-03-01")):
            checkpoint = empty_checkpoint() | {"ts": f"{day}T12:00:00+00:00"}
            config = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
            await conversations.saver.aput(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})
        now = datetime(2026, 3, 2, tzinfo=UTC)
        assert set(await conversations.forget(30, now)) >= {"old", "older"}
        assert set(await conversations.last_used()) & {"old", "older", "new"} == {"new"}
        assert await conversations.forget(30, now + timedelta(days=28)) == []


async def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    for wrong, error, said in (
        ("redis://x", ConfigurationError, "no dice dónde se guardan"),
        ("sqlite:file/kept.sqlite", StoreUnavailable, "No se pueden abrir las conversaciones"),
        ("sqlite:file", StoreUnavailable, "No se pueden abrir las conversaciones"),
    ):
        with pytest.raises(error, match=said):
            async with open_conversations(wrong, tmp_path):
                raise AssertionError("opened")


async def test_memory_forgets_with_the_process(tmp_path: Path) -> None:
    async with open_conversations(MEMORY, tmp_path) as conversations:
        await ask(conversations, "a", FIRST)
        assert len((await conversations.read("a")).messages) == 2
    async with open_conversations(MEMORY, tmp_path) as conversations:
        assert await conversations.last_used() == {}
    assert os.listdir(tmp_path) == []


def test_all_that_a_turn_shows_is_kept() -> None:
    assert KeptTurn.__annotations__.keys() - {"asked"} <= KEPT
