"""A checkpointer that fails or hangs, and a PostgreSQL that is restarted: what comes of it, and of the thread."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from support.openai_server import OpenAIServer
from support.postgres import Database, database
from support.wired import QUESTION, Wired, wired

from articulado.values.errors import StoreUnavailable
from graph.rag import build_rag
from server.conversations.checkpoint_trimming import LeanSaver
from server.conversations.store import Conversations, open_conversations

THREAD: Any = {"configurable": {"thread_id": "web/hilo"}}


class Failing(InMemorySaver):
    """Fails, or hangs, in what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken: dict[str, str] = {}

    async def _fail(self, method: str) -> None:
        if self.broken.get(method) == "hangs":
            await asyncio.Event().wait()
        if method in self.broken:
            raise OSError("La base de datos se ha ido.")

    async def aget_tuple(self, config: Any) -> Any:
        await self._fail("get")
        return await super().aget_tuple(config)

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        await self._fail("put")
        return await super().aput(config, checkpoint, metadata, new_versions)


async def answered(rig: Wired, saver: LeanSaver) -> str:
    graph = build_rag(rig.services, saver)
    return str((await graph.ainvoke({"question": QUESTION}, THREAD, durability="exit"))["answer"])


@pytest.mark.parametrize("method", ["get", "put"])
@pytest.mark.parametrize("how", ["fails", "hangs"])
async def test_a_checkpointer_that_fails_is_told_and_the_thread_stays(
    server: OpenAIServer, method: str, how: str
) -> None:
    failing = Failing()
    conversations = Conversations(failing, InMemoryStore())
    async with wired(server) as rig:
        await answered(rig, conversations.saver)
        before = await conversations.read("web/hilo")
        failing.broken = {method: how}
        with pytest.raises(StoreUnavailable, match="No se puede leer o guardar la conversación"):
            await answered(rig, LeanSaver(failing, seconds=0.01))
        failing.broken = {}
        assert await conversations.read("web/hilo") == before
        assert await answered(rig, conversations.saver) == "Son 30 días [C1]."
        assert len((await conversations.read("web/hilo")).turns) == 2


@pytest.fixture
def postgresql() -> Iterator[Database]:
    with database() as started:
        yield started


async def test_a_database_that_is_restarted_in_a_run_is_found_again(
    server: OpenAIServer, postgresql: Database, tmp_path: Path
) -> None:
    async with open_conversations(postgresql.url, tmp_path) as conversations, wired(server) as rig:
        await answered(rig, conversations.saver)

        def while_it_restarts(request: Any) -> str:
            postgresql.restart()
            return "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"

        server.answer("principal", while_it_restarts)
        assert await answered(rig, conversations.saver) == "Son 30 días [C1]."
        assert len((await conversations.read("web/hilo")).turns) == 2
