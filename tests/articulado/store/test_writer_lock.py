"""The lock of who writes an index on a server, over the client's local mode and over REST."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.fake_time import FakeTime
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.stores import describe
from support.waiting import PATIENCE

from articulado.config.settings import Settings
from articulado.store.generations import Generations
from articulado.store.opening import IndexBuilder
from articulado.store.registry import Registry
from articulado.store.server_collection import connect
from articulado.store.server_publication import LOCK, LOCK_SECONDS, RENEWALS, WriterLock
from articulado.store.server_writer import server_writer
from articulado.values.errors import StoreUnavailable


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with running_qdrant() as state:
        yield state


@pytest.fixture(params=["local", "rest"])
async def registry(request: pytest.FixtureRequest, qdrant: FakeQdrant) -> AsyncIterator[Registry]:
    client = AsyncQdrantClient(":memory:") if request.param == "local" else connect(settings(qdrant))
    registry = Registry(client, "laboral")
    await registry.create()
    yield registry
    await client.close()


def settings(qdrant: FakeQdrant) -> Settings:
    return Settings.read(None, store="server", qdrant_url=qdrant.url)


async def never(seconds: float) -> None:
    """Keep a holder from renewing, as if its machine had stopped."""
    await asyncio.Event().wait()


async def token(registry: Registry) -> str:
    return (await registry.read(LOCK))["token"]


async def test_a_free_lock_is_taken_and_given_back(registry: Registry, tmp_path: Path) -> None:
    lock = WriterLock(registry, tmp_path, pause=never)
    with pytest.raises(StoreUnavailable):
        lock.check()
    await lock.take()
    lock.check()
    held = await token(registry)
    assert held
    await lock.give_back()
    assert await token(registry) == ""
    with pytest.raises(StoreUnavailable, match=r"ha perdido su turno.*Repita la orden"):
        lock.check()
    other = WriterLock(registry, tmp_path / "otra", pause=never)
    await other.take()
    assert await token(registry) not in ("", held)
    await other.give_back()


async def test_a_waiting_writer_takes_over_an_expired_lock(registry: Registry, tmp_path: Path, caplog) -> None:
    stopped, time = FakeTime(), FakeTime()
    dead = WriterLock(registry, tmp_path / "una", clock=stopped.clock, pause=never)
    await dead.take()

    async def patience(seconds: float) -> None:
        await (time.sleep(seconds) if len(time.pauses) < RENEWALS else never(seconds))

    waiting = WriterLock(registry, tmp_path / "otra", clock=time.clock, pause=patience)
    began = time.now
    await waiting.take()
    assert time.now - began >= LOCK_SECONDS
    assert "Otra ingesta escribe este índice" in caplog.text
    assert str(tmp_path / "una") in caplog.text
    waiting.check()
    mine = await token(registry)
    await dead.give_back()
    assert await token(registry) == mine, "what is no longer its own it cannot give back"
    await waiting.give_back()


async def test_a_waiting_writer_respects_a_renewed_lock(registry: Registry, tmp_path: Path) -> None:
    time, turns = FakeTime(), 0
    holder = WriterLock(registry, tmp_path / "una", pause=never)
    await holder.take()

    async def renewed_meanwhile(seconds: float) -> None:
        nonlocal turns
        turns += 1
        await time.sleep(seconds)
        if turns > 12:
            await never(seconds)
        elif turns == 12:
            await holder.give_back()
        else:
            assert await holder._renew(expected=await token(registry))

    waiting = WriterLock(registry, tmp_path / "otra", clock=time.clock, pause=renewed_meanwhile)
    await waiting.take()
    assert turns >= 12, "three times as long as a lock lasts that nobody renews"
    await waiting.give_back()


async def test_a_lock_of_a_killed_process_on_this_machine_is_taken_over_at_once(
    registry: Registry, tmp_path: Path
) -> None:
    await WriterLock(registry, tmp_path, pause=never).take()
    again = WriterLock(registry, tmp_path, pause=never)
    await asyncio.wait_for(again.take(), PATIENCE)
    again.check()
    await again.give_back()


async def test_of_several_one_gets_it(registry: Registry, tmp_path: Path) -> None:
    locks = [WriterLock(registry, tmp_path / str(number), pause=never) for number in range(5)]
    assert sum(await asyncio.gather(*(lock._renew(expected="") for lock in locks))) == 1


async def test_a_late_renewal_loses_the_lock(registry: Registry, tmp_path: Path) -> None:
    time, go_on = FakeTime(), asyncio.Event()

    async def until_told(seconds: float) -> None:
        await go_on.wait()

    holder = WriterLock(registry, tmp_path / "una", clock=time.clock, pause=until_told)
    await holder.take()
    await registry.replace(LOCK, {"token": "ajeno", "owner": "otra"}, field="token", expected=await token(registry))
    holder.check()
    go_on.set()
    await holder._renewing  # type: ignore[misc]
    with pytest.raises(StoreUnavailable):
        holder.check()


async def test_a_writer_without_the_lock_neither_writes_nor_publishes(qdrant: FakeQdrant, tmp_path: Path) -> None:
    batch = Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])
    client = connect(settings(qdrant))
    registry = Registry(client, "laboral")

    async def lose_it_after(points: int) -> None:
        async with IndexBuilder(tmp_path, server_writer(settings(qdrant))) as builder:
            if points:
                await builder.add(batch.chunks, batch.dense, batch.sparse)
            builder._writer._lock._valid_until = 0.0  # type: ignore[attr-defined]
            await builder.add(batch.chunks, batch.dense, batch.sparse) if not points else None
            await builder.commit(describe())

    for points in (0, 1):
        with pytest.raises(StoreUnavailable, match="ha perdido su turno"):
            await lose_it_after(points)
        assert (await registry.served()).generation == ""
        assert qdrant.aliases == {}
        assert Generations(tmp_path).current() is None
    await client.close()
