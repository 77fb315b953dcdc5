"""A process of its own on a disk that runs full: ``python full_disk.py FOLDER``, an empty folder on a small disk.

A line for each step: what became of it.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable
from pathlib import Path

from support.index_process import labelled, read_once
from support.stores import build, describe, update

from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.opening import IndexBuilder, open_index
from articulado.values.errors import ArticuladoError

LEFT = 1 << 20


def fill(disk: Path) -> None:
    left = os.statvfs(disk)
    with (disk / "filler").open("ab") as file:
        file.write(bytes(max(0, left.f_bavail * left.f_frsize - LEFT)))


async def full_midway(folder: Path, disk: Path) -> None:
    batch = labelled("c")
    async with IndexBuilder(folder, EmbeddedWriter) as builder:
        await builder.add(batch.chunks[:2], batch.dense[:2], batch.sparse[:2])
        fill(disk)
        await builder.add(batch.chunks[2:], batch.dense[2:], batch.sparse[2:])
        await builder.commit(describe("c"))


async def step(name: str, work: Awaitable[object]) -> None:
    try:
        await work
        print(name, "done", flush=True)
    except ArticuladoError as error:
        print(name, type(error).__name__, error, flush=True)


async def main(disk: Path) -> None:
    folder = disk / "index"
    await step("build", build(folder, [labelled("a")], source="a"))
    await step("midway", full_midway(folder, disk))
    fill(disk)  # what was given up is room again
    await step("read", read_once(folder))
    await step("update", update(folder, open_index(folder), [labelled("b")]))
    (disk / "filler").unlink()
    await step("read", read_once(folder))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
