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

from articulado.values.errors import ConfigurationError, ConversationUnknown, InvalidInput, StoreUnavailable
from graph.rag import build_rag
from server.conversations.checkpoint_trimming import KEPT
from server.conversations.store import MEMORY, Conversations, KeptTurn, check_name, open_conversations

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
        # Asked anew from the first turn on, it fails again: what was to be replaced stays.
        await ask(conversations, "web/failed", SECOND)
        silent = make_services(
            FakeStore([HOLIDAYS], found), QueueChat('["vacaciones anuales"]'), QueueChat(IndexError())
        )
        graph = build_rag(silent, await conversations.saver.after("web/failed", 1))
        with pytest.raises(IndexError):
            await graph.ainvoke({"question": FIRST}, {"configurable": {"thread_id": "web/failed"}}, durability="exit")
        assert [turn["question"] for turn in (await conversations.read("web/failed")).turns] == [FIRST, SECOND]


async def test_turns_are_replaced_wherever_they_are_kept(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        await ask(conversations, "web/again", FIRST, SECOND, SECOND)
        graph = build_rag(services(), await conversations.saver.after("web/again", 1))
        config = {"configurable": {"thread_id": "web/again"}}
        assert (await graph.ainvoke({"question": FIRST}, config, durability="exit"))["usage"]["turn"] == 2
        assert [turn["question"] for turn in (await conversations.read("web/again")).turns] == [FIRST, FIRST]


async def test_shared_copies_expire(where: str, tmp_path: Path) -> None:
    async with open_conversations(where, tmp_path) as conversations:
        token = (await conversations.shared.put("web/shared", [{"question": FIRST}]))["token"]
        await conversations.forget(1)
        assert (await conversations.shared.read(token))[1] == [{"question": FIRST}]
        await conversations.forget(1, datetime.now(UTC) + timedelta(days=2))
        with pytest.raises(ConversationUnknown, match="no existe o se ha retirado"):
            await conversations.shared.read(token)


async def test_two_servers_share_a_database(database: str, tmp_path: Path) -> None:
    async with open_conversations(database, tmp_path) as one, open_conversations(database, tmp_path) as other:
        await ask(one, "web/shared", FIRST)
        await ask(other, "web/shared", SECOND)
        await ask(one, "web/shared", FIRST)
        assert len((await other.read("web/shared")).messages) == 6


async def test_only_the_channels_of_the_next_turn_are_stored(where: str, tmp_path: Path) -> None:
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
            metadata = {"source": "loop", "step": 1, "parents": {}}
            await conversations.saver.aput(config, checkpoint, metadata, {"transcript": "1"})
        now = datetime(2026, 3, 2, tzinfo=UTC)
        assert set(await conversations.forget(30, now)) >= {"old", "older"}
        assert set(await conversations.last_used()) & {"old", "older", "new"} == {"new"}
        assert await conversations.forget(30, now + timedelta(days=28)) == []


async def test_an_unusable_store_is_explained(tmp_path: Path) -> None:
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


PHRASE = "el finiquito de la señora Arrizabalaga"


def traces(folder: Path) -> list[str]:
    """Return the files below a folder whose bytes hold the phrase, in UTF-8 or UTF-16."""
    written = (PHRASE.encode(), PHRASE.encode("utf-16-le"), PHRASE[12:].encode())
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if any(each in file.read_bytes() for each in written)]


async def talk_of_it(conversations: Conversations, name: str) -> None:
    await ask(conversations, name, FIRST, f"¿y {PHRASE}?", *[f"¿y {PHRASE}, el día {day}?" for day in range(1, 6)])
    await conversations.feedback.put("web", name, f"¿y {PHRASE}?", "Treinta.", "down", f"No es {PHRASE}")


@pytest.mark.parametrize("way", ["deleted", "expired", "one of two", "long", "closed"])
async def test_nothing_of_a_deleted_conversation_stays_in_the_files(way: str, tmp_path: Path) -> None:
    async with open_conversations("sqlite:kept.sqlite", tmp_path) as conversations:
        await talk_of_it(conversations, "web/hilo")
        if way == "one of two":
            await ask(conversations, "web/otro", FIRST)
        if way == "long":
            await ask(conversations, "web/hilo", *[f"¿y {PHRASE} {'con detalle ' * 200}?"] * 3)
        assert traces(tmp_path)
        if way == "expired":
            await conversations.forget(1, datetime.now(UTC) + timedelta(days=2))
        else:
            await conversations.delete("web/hilo")
        if way != "closed":
            assert traces(tmp_path) == []
        if way == "one of two":
            assert len((await conversations.read("web/otro")).turns) == 1
    assert traces(tmp_path) == []


async def test_a_reader_in_another_process_does_not_keep_the_text_for_good(tmp_path: Path) -> None:
    where = "sqlite:kept.sqlite"
    async with open_conversations(where, tmp_path) as conversations:
        async with open_conversations(where, tmp_path) as others:
            await talk_of_it(conversations, "web/hilo")
            assert (await others.read("web/hilo")).turns
            await conversations.delete("web/hilo")
        assert traces(tmp_path) == []


async def test_text_that_an_earlier_version_deleted_is_overwritten_when_the_file_is_opened(tmp_path: Path) -> None:
    import sqlite3

    async with open_conversations("sqlite:kept.sqlite", tmp_path) as conversations:
        await talk_of_it(conversations, "web/hilo")
        await ask(conversations, "web/otro", FIRST)
    with sqlite3.connect(tmp_path / "kept.sqlite") as connection:
        connection.execute("PRAGMA application_id = 0")
        connection.execute("PRAGMA secure_delete = OFF")
        for table in ("checkpoints", "writes"):
            connection.execute(f"DELETE FROM {table} WHERE thread_id = 'web/hilo'")
        connection.execute("DELETE FROM store")
    connection.close()
    assert traces(tmp_path)
    async with open_conversations("sqlite:kept.sqlite", tmp_path) as conversations:
        assert len((await conversations.read("web/otro")).turns) == 1
    assert traces(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "../otro",
        "a/b",
        "a\\b",
        "",
        " ",
        "a" * 65,
        "a\nb",
        "a\x00b",
        "a\x1b[31m",
        "a\n",
        "a..b",
        ".oculto",
        "a b",
    ],
)
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="de 1 a 64 letras"):
        check_name(name)


@pytest.mark.parametrize("name", ["a", "hilo-1", "v1.2", "Ñandú_3", "a" * 64, "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_a_plain_name_is_taken(name: str) -> None:
    check_name(name)
