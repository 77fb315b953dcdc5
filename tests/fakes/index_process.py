"""A process of its own that builds or reads an index, for tests that kill it or run several.

``python index_process.py hang FOLDER``      add chunks, say "added", never commit
``python index_process.py build FOLDER``     open or build; say the generation, and whether it was built here
``python index_process.py read FOLDER``      search, over and over, until the standard input closes; say how often
"""

import asyncio
import sys
import threading
from pathlib import Path

from fakes.chunks import NO_TERMS, Batch, make_chunk, unit
from fakes.stores import FINGERPRINTS, describe

from services.index import IndexBuilder, open_index, open_or_build
from services.protocols import HybridQuery, SearchFilter
from services.store.edge import EdgeStore
from services.store.edge_writer import EdgeWriter
from services.store.manifest import Description


def labelled(label: str, count: int = 5) -> Batch:
    """Chunks that all carry the label, so that a mixture of two generations would show."""
    return Batch([make_chunk(id, text=label) for id in range(1, count + 1)], [unit(1, 0)] * count, [NO_TERMS] * count)


async def read_once(folder: Path) -> None:
    index = await asyncio.to_thread(open_index, folder, FINGERPRINTS)
    store = EdgeStore(index.folder, list(index.manifest.collections))
    for _ in range(3):
        query = HybridQuery(unit(1, 0), NO_TERMS)
        [hits] = await store.search("normativa", [query], limit=9, prefetch=9, where=SearchFilter())
        assert [hit.chunk["text"] for hit in hits] == [index.manifest.source] * 5, "a mixture of generations"
    await store.close()


async def hang(folder: Path) -> None:
    batch = labelled("a medias")
    async with IndexBuilder(folder, EdgeWriter) as builder:
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
    index = await open_or_build(folder, FINGERPRINTS, writer=EdgeWriter, build=fill)
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


if __name__ == "__main__":
    asyncio.run({"hang": hang, "build": build, "read": read}[sys.argv[1]](Path(sys.argv[2])))
