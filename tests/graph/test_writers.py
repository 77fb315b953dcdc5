"""Several machines ingest into one server: one at a time, and none loses another's work."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.ingesting import ingest
from support.laboral import NAME, write_laboral
from support.qdrant_rest import running_qdrant
from support.real_qdrant import REAL, real_server
from support.small_laws import write_law
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.ingestion.incremental.base import IndexBase
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.ingestion.incremental.indexed_laws import indexed_law
from articulado.store.opening import open_index, open_store
from articulado.store.replica import bring_up_to_date
from articulado.store.server_collection import connect
from articulado.store.server_writer import ServerWriter
from articulado.values.chunks import Chunk
from articulado.values.protocols import SearchFilter
from graph.factory import build_ingest_services
from graph.ingest import build_ingest
from state.ingest import IngestReport

Machine = Callable[[str], Settings]

STATUTE = "BOE-A-2015-11430"


@pytest.fixture(params=["rest", REAL])
async def machine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Machine]:
    """Makes the settings of machines that have one server in common, and a home of their own each."""
    async with AsyncExitStack() as stack:
        if request.param == "rest":
            qdrant = stack.enter_context(running_qdrant())
            server = Settings.read(None, store="server", qdrant_url=qdrant.url)
        else:
            server = await stack.enter_async_context(real_server())

        def make(name: str) -> Settings:
            home = tmp_path / name
            home.mkdir(exist_ok=True)
            return server.model_copy(update={"home": home, "profile": write_laboral(home)})

        yield make


class Held:
    """An ingest of one machine that stops when it has written its points, until it is let go on."""

    def __init__(self, settings: Settings, *paths: Path) -> None:
        self.written, self.go_on = asyncio.Event(), asyncio.Event()
        self.points: list[int] = []
        self.task = asyncio.create_task(ingesting(settings, self._writer(settings), *paths))

    def _writer(self, settings: Settings) -> Callable[[Path], ServerWriter]:
        outer = self

        class Stopping(ServerWriter):
            async def add(self, chunks: Any, *args: Any, **kwargs: Any) -> Any:
                outer.points += [chunk["id"] for chunk in chunks]
                return await super().add(chunks, *args, **kwargs)

            async def finish(self) -> dict[str, int]:
                outer.written.set()
                await outer.go_on.wait()
                return await super().finish()

        return lambda folder: Stopping(connect(settings), folder, profile=NAME, prefix=settings.qdrant_prefix)

    async def until_written(self) -> None:
        waiting = asyncio.create_task(self.written.wait())
        await asyncio.wait([waiting, self.task], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        assert self.written.is_set(), self.task.result()

    async def end(self) -> IngestReport:
        self.go_on.set()
        return await asyncio.wait_for(self.task, PATIENCE)


async def ingesting(settings: Settings, writer: Callable[[Path], ServerWriter], *paths: Path) -> IngestReport:
    async with build_ingest_services(settings, load_profile(settings.profile)) as services:
        graph = build_ingest(replace(services, writer=writer))
        return (await graph.ainvoke({"paths": [str(path) for path in paths]}))["report"]


def write_ruling(file: Path, number: int, text: str = "Largo descanso.") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\ncourt: TS\nnumber: STS {number}/2024\ndate: 2024-01-09\n---\n{text}\n")
    return file


async def held_by(settings: Settings) -> dict[str, list[Chunk]]:
    """What a machine that has the address alone finds on the server, by collection: the parents, by their law."""
    await bring_up_to_date(settings, NAME)
    index = open_index(settings.index_folder)
    store = open_store(settings, index)
    try:
        found = {name: await store.select([name], SearchFilter()) for name in index.manifest.collections}
        assert await store.counts() == index.manifest.collections
        assert not await store.is_being_updated()
    finally:
        await store.close()
    with read_catalog(index.folder) as catalog:
        assert sum(catalog.points()) == sum(index.manifest.collections.values())
    return {name: [chunk for chunk in chunks if chunk["parent_id"] is None] for name, chunks in found.items()}


def laws(chunks: list[Chunk]) -> list[str]:
    return sorted({chunk["law_id"] for chunk in chunks})


async def test_the_second_ingest_waits_and_says_for_whom(
    machine: Machine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = machine("a"), machine("b")
    await ingest([write_law(tmp_path / "una.md", "BOE-A-2000-1")], first)
    held = Held(first, write_law(tmp_path / "dos.md", "BOE-A-2000-2", "Otra."))
    await held.until_written()
    waits = asyncio.Event()

    async def pause(seconds: float) -> None:
        if waits.is_set():
            await asyncio.Event().wait()
        waits.set()
        await asyncio.wait([held.task])

    def writer(folder: Path) -> ServerWriter:
        prefix = second.qdrant_prefix
        return ServerWriter(connect(second), folder, profile=NAME, prefix=prefix, pause=pause)

    with caplog.at_level(logging.WARNING):
        ruling = write_ruling(tmp_path / "tres.txt", 1)
        waiting = asyncio.create_task(ingesting(second, writer, ruling))
        await asyncio.wait_for(waits.wait(), PATIENCE)
    assert "Otra ingesta escribe este índice" in caplog.text
    assert str(first.index_folder) in caplog.text
    await held.end()
    report = await asyncio.wait_for(waiting, PATIENCE)
    assert report["documents"] == {"normativa": 2, "sentencias": 1}
    assert laws((await held_by(machine("c")))["normativa"]) == ["BOE-A-2000-1", "BOE-A-2000-2"]


async def test_an_ingest_that_was_stopped_goes_on_where_it_stopped(machine: Machine, tmp_path: Path) -> None:
    """Another ingest meanwhile has removed the points of no document."""
    first, second = machine("a"), machine("b")
    await ingest([write_law(tmp_path / "una.md", "BOE-A-2000-1")], first)
    ruling = write_ruling(tmp_path / "dos.txt", 1)
    stopped = Held(first, ruling)
    await stopped.until_written()
    stopped.task.cancel()
    await asyncio.wait([stopped.task])
    await ingest([write_law(tmp_path / "tres.md", "BOE-A-2000-3", "Una más.")], second)
    again = Held(first, ruling)
    report = await again.end()
    assert report["documents"] == {"normativa": 2, "sentencias": 1}
    assert sorted(again.points) == sorted(stopped.points) != []
    assert laws((await held_by(machine("c")))["normativa"]) == ["BOE-A-2000-1", "BOE-A-2000-3"]


async def test_a_machine_goes_on_without_the_files_of_others_and_leaves_to_them_what_cites_its_own(
    machine: Machine, tmp_path: Path
) -> None:
    first, second = machine("a"), machine("b")
    law = write_law(tmp_path / "una.md", STATUTE, "Descanso.")
    ruling = write_ruling(tmp_path / "dos.txt", 1, "Se aplica el artículo 2 del Estatuto de los Trabajadores.")
    await ingest([law], first)
    await ingest([ruling], second)
    law.rename(tmp_path / "fuera.md")
    report = await ingest([write_ruling(tmp_path / "tres.txt", 2, "Otro asunto.")], second)
    assert (len(report["added"]), report["unchanged"], report["failures"]) == (1, 2, [])
    ruling.rename(tmp_path / "fuera.txt")
    report = await ingest([write_law(law, STATUTE, "Descanso.", "Salario.")], first)
    assert report["failures"] == []
    assert [warning for warning in report["warnings"] if "1 documentos citan algo que ha cambiado" in warning]
    found = await held_by(machine("c"))
    [salary] = [chunk["id"] for chunk in found["normativa"] if chunk["text"] == "Salario."]
    assert not [chunk for chunk in found["sentencias"] if chunk["refs"]]
    (tmp_path / "fuera.txt").rename(ruling)
    report = await ingest([], second)
    assert report["warnings"] == []
    found = await held_by(machine("c"))
    assert [chunk["refs"] for chunk in found["sentencias"] if chunk["refs"]] == [[salary]]
    again = await ingest([], second)
    assert again["generation"] == report["generation"], "nothing is left to be linked"


async def test_any_machine_lists_the_provisions_of_a_law(machine: Machine, tmp_path: Path) -> None:
    await ingest([write_law(tmp_path / "una.md", STATUTE, "Descanso.", "Salario.")], machine("a"))
    reading = machine("b")
    await bring_up_to_date(reading, NAME)
    law = indexed_law(IndexBase(reading, load_profile(reading.profile)), STATUTE)
    assert law is not None
    assert law.labels == {"art:1": "Artículo 1", "art:2": "Artículo 2"}


async def test_of_two_first_ingests_neither_is_lost(machine: Machine, tmp_path: Path) -> None:
    async def soon(seconds: float) -> None:
        await asyncio.sleep(0.05)

    def writer(settings: Settings) -> Callable[[Path], ServerWriter]:
        prefix = settings.qdrant_prefix
        return lambda folder: ServerWriter(connect(settings), folder, profile=NAME, prefix=prefix, pause=soon)

    first, second = machine("a"), machine("b")
    reports: list[Awaitable[IngestReport]] = [
        ingesting(first, writer(first), write_law(tmp_path / "una.md", "BOE-A-2000-1")),
        ingesting(second, writer(second), write_ruling(tmp_path / "dos.txt", 1)),
    ]
    await asyncio.wait_for(asyncio.gather(*reports), PATIENCE)
    found = await held_by(machine("c"))
    assert {name: len(laws(chunks)) for name, chunks in found.items()} == {"normativa": 1, "sentencias": 1}
