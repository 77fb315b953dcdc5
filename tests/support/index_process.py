"""A process of its own that builds or reads an index, for tests that kill it or run several.

``python index_process.py hang FOLDER``      add chunks, say "added", never commit
``python index_process.py build FOLDER``     open or build; say the generation, and whether it was built here
``python index_process.py read FOLDER``      search, over and over, until the standard input closes; say how often
``python index_process.py update FOLDER URL``  continue the index on a server: say "ready", wait, make it ``wanted()``
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.paths import REPOSITORY
from support.stores import FINGERPRINTS, describe

from articulado.config.settings import Settings
from articulado.store.builder import digest
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Description, Index
from articulado.store.opening import IndexBuilder, open_index, open_or_build, open_served
from articulado.store.server_writer import server_writer
from articulado.store.writer import WriterFactory
from articulado.values.protocols import HybridQuery, SearchFilter


def labelled(label: str, count: int = 5) -> Batch:
    """Chunks that all carry the label, so that a mixture of two generations would show."""
    return Batch([make_chunk(id, text=label) for id in range(1, count + 1)], [unit(1, 0)] * count, [NO_TERMS] * count)


def family(id: int, child: int, text: str, collection: str = "normativa") -> Batch:
    """A parent that is found by words and a child that is found by meaning, with hashes of what they are."""
    parent = make_chunk(id, text=text, content_hash=text, collection=collection)
    chunks = [parent, make_child(child, parent, content_hash=f"{child} de {text}")]
    return Batch(chunks, [None, unit(1, 0)], [terms({1: 1.0}), NO_TERMS])


def served() -> list[Batch]:
    """What an index on a server holds before an update."""
    return [family(2, 12, "antes 2"), family(1, 11, "antes 1"), family(3, 13, "antes 3")]


def wanted() -> list[Batch]:
    """What it shall hold then: 1 as it was; 2 changed, with another child; 3 gone; a ruling, and its child."""
    return [family(1, 11, "antes 1"), family(2, 22, "después 2"), family(7, 17, "después 7", "sentencias")]


async def make_wanted(folder: Path, writer: WriterFactory) -> tuple[Index, dict[int, int]]:
    """Bring an index up to date as an ingest does; return it, and the digests that the builder began with."""
    async with IndexBuilder(folder, writer) as builder:
        held = dict(await builder.continue_from(await asyncio.to_thread(open_index, folder)))
        chunks = {chunk["id"]: digest(chunk) for batch in wanted() for chunk in batch.chunks}
        await builder.remove(held.keys() - chunks.keys())
        for batch in wanted():
            rows = zip(batch.chunks, batch.dense, batch.sparse, strict=True)
            if new := [row for row in rows if held.get(row[0]["id"]) != chunks[row[0]["id"]]]:
                await builder.add(*zip(*new, strict=True))
        return await builder.commit(describe("después")), held


async def change(folder: Path, url: str) -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await make_wanted(folder, server_writer(Settings.read(None, store="server", qdrant_url=url)))


async def read_once(folder: Path) -> None:
    index, store = await asyncio.to_thread(open_served, Settings.read(None, index=folder), FINGERPRINTS)
    for _ in range(3):
        query = HybridQuery(unit(1, 0), NO_TERMS)
        [hits] = await store.search("normativa", [query], limit=9, prefetch=9, where=SearchFilter())
        assert [hit.chunk["text"] for hit in hits] == [index.manifest.source] * 5, "a mixture of generations"
    await store.close()


async def hang(folder: Path) -> None:
    batch = labelled("a medias")
    async with IndexBuilder(folder, EmbeddedWriter) as builder:
        (builder.models / "a-medias.bin").write_bytes(b"x")
        await builder.add(batch.chunks, batch.dense, batch.sparse)
        print("added", flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def build(folder: Path) -> None:
    built = False

    async def fill(builder: IndexBuilder) -> Description:
        nonlocal built
        built = True
        batch = labelled("demo")
        await builder.add(batch.chunks, batch.dense, batch.sparse)
        return describe("demo")

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    index = await open_or_build(folder, FINGERPRINTS, writer=EmbeddedWriter, build=fill)
    await read_once(folder)
    print(index.manifest.generation, built, flush=True)


async def read(folder: Path) -> None:
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    times = 0
    while not closed.is_set():
        await read_once(folder)
        times += 1
        if times == 1:
            print("reading", flush=True)
    print(times, flush=True)


@contextmanager
def running(task: str, folder: Path, says: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Run a task in a process of its own, from when it says that it has begun."""
    process = subprocess.Popen(
        [sys.executable, __file__, task, str(folder), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env={"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}"},
    )
    try:
        assert process.stdout.readline().strip() == says
        yield process
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    task, folder, *more = sys.argv[1:]
    asyncio.run({"hang": hang, "build": build, "read": read, "update": change}[task](Path(folder), *more))
