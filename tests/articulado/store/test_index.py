"""Opening an index and building its generations, in one process."""

import asyncio
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_chunk, terms, unit
from support.index_process import labelled, read_once
from support.stores import FINGERPRINTS, build, describe

from articulado.store.embedded import EmbeddedStore
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Description
from articulado.store.opening import IndexBuilder, open_index, open_or_build
from articulado.values.errors import ArticuladoError, IndexMismatch, IndexMissing, InvalidInput
from articulado.values.protocols import HybridQuery, SearchFilter


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "generations").iterdir())


async def test_a_build_is_described_by_its_manifest(tmp_path: Path) -> None:
    other = Batch([make_chunk(9, collection="sentencias")], [None], [terms({1: 1.0})])
    async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
        (builder.models / "lsa.npz").write_bytes(b"modelo")
        for batch in (labelled("a"), other):
            await builder.add(batch.chunks, batch.dense, batch.sparse)
        committed = await builder.commit(describe("66 leyes"))
    index = open_index(tmp_path, FINGERPRINTS)
    assert index == committed
    assert (index.models / "lsa.npz").read_bytes() == b"modelo"
    manifest = index.manifest
    assert manifest.collections == {"normativa": 5, "sentencias": 1}
    assert (manifest.dimensions, manifest.format, manifest.demo) == (2, 5, False)
    assert (manifest.profile, manifest.language, manifest.source) == ("laboral", "es", "66 leyes")
    assert manifest.generation == index.folder.name
    assert manifest.created.utcoffset().total_seconds() == 0


def test_a_missing_index_names_folder_and_command(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="articulado ingest") as raised:
        open_index(tmp_path / "nada")
    assert str(tmp_path / "nada") in str(raised.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 20, b"\xff\xfe", b"2024", b"../../etc", b"20240101T000000000000", "２０２４".encode()],
)
async def test_a_pointer_to_a_missing_generation_names_the_others(tmp_path: Path, content: bytes) -> None:
    index = await build(tmp_path, [labelled("a")])
    (tmp_path / "current").write_bytes(content)
    with pytest.raises(IndexMismatch, match=index.folder.name) as raised:
        open_index(tmp_path)
    assert str(tmp_path / "current") in str(raised.value)
    (tmp_path / "current").write_text(index.folder.name + "\n")
    assert open_index(tmp_path) == index


@pytest.mark.parametrize(
    ("part", "named"),
    [("embedder", "los vectores densos"), ("sparse", "los pesos BM25"), ("chunker", "la división en fragmentos")],
)
async def test_a_mismatch_names_the_differing_parts(tmp_path: Path, part: str, named: str) -> None:
    await build(tmp_path, [labelled("a")])
    expected = FINGERPRINTS.model_copy(update={part: "otro:2"})
    with pytest.raises(IndexMismatch, match="articulado ingest") as raised:
        open_index(tmp_path, expected)
    assert f"{named} (índice: {getattr(FINGERPRINTS, part)}; configuración: otro:2)" in str(raised.value)
    assert str(raised.value).count("configuración: ") == 1
    assert open_index(tmp_path).manifest.fingerprints == FINGERPRINTS


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": 1}'])
async def test_a_damaged_manifest(tmp_path: Path, damage: str) -> None:
    index = await build(tmp_path, [labelled("a")])
    (index.folder / "manifest.json").write_text(damage)
    with pytest.raises(IndexMismatch, match="dañado"):
        open_index(tmp_path)


async def test_a_manifest_of_another_format(tmp_path: Path) -> None:
    index = await build(tmp_path, [labelled("a")])
    file = index.folder / "manifest.json"
    file.write_text(file.read_text().replace('"format": 5', '"format": 4'))
    with pytest.raises(IndexMismatch, match="otra versión"):
        open_index(tmp_path)


async def test_a_failed_build_changes_nothing(tmp_path: Path) -> None:
    before = await build(tmp_path, [labelled("a")], source="a")
    batch = labelled("b")

    async def fail() -> None:
        async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
            await builder.add(batch.chunks, batch.dense, batch.sparse)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
        await builder.add(batch.chunks, batch.dense, batch.sparse)
    assert open_index(tmp_path) == before
    assert generations(tmp_path) == [before.folder.name]
    await read_once(tmp_path)


async def test_invalid_batches_are_refused(tmp_path: Path) -> None:
    twice = Batch([make_chunk(1), make_chunk(1)], [unit(1, 0)] * 2, [NO_TERMS] * 2)
    with pytest.raises(InvalidInput, match="comparten"):
        await build(tmp_path, [twice])
    with pytest.raises(InvalidInput, match="comparten"):
        await build(tmp_path, [labelled("a"), labelled("a")])
    with pytest.raises(InvalidInput, match="vector denso"):
        await build(tmp_path, [Batch([make_chunk(1)], [None], [NO_TERMS])])
    with pytest.raises(InvalidInput, match="ningún fragmento"):
        await build(tmp_path, [])
    with pytest.raises(IndexMissing):
        open_index(tmp_path)


class Forgetful(EmbeddedWriter):
    """A writer whose store has lost a chunk."""

    async def finish(self) -> dict[str, int]:
        return {name: count - 1 for name, count in (await super().finish()).items()}


async def test_a_build_that_lost_chunks_is_not_served(tmp_path: Path) -> None:
    before = await build(tmp_path, [labelled("a")])
    with pytest.raises(IndexMismatch, match=r"5 fragmentos .* devuelve 4.*El índice anterior sigue en uso"):
        await build(tmp_path, [labelled("b")], Forgetful)
    assert open_index(tmp_path) == before


async def test_where_the_switch_fails_the_old_generation_serves(tmp_path: Path) -> None:
    before = await build(tmp_path, [labelled("a")], source="a")
    obstacle = tmp_path / "current.partial"
    obstacle.mkdir()
    with pytest.raises(ArticuladoError):
        await build(tmp_path, [labelled("b")], source="b")
    assert open_index(tmp_path) == before
    await read_once(tmp_path)
    obstacle.rmdir()
    after = await build(tmp_path, [labelled("c")], source="c")
    assert generations(tmp_path) == [before.folder.name, after.folder.name]
    await read_once(tmp_path)


async def test_the_served_and_the_last_generation_stay(tmp_path: Path) -> None:
    built = [(await build(tmp_path, [labelled(label)], source=label)).folder.name for label in "abc"]
    assert generations(tmp_path) == built[1:]
    assert open_index(tmp_path).manifest.source == "c"


async def test_a_reader_keeps_the_generation_that_it_opened(tmp_path: Path) -> None:
    first = await build(tmp_path, [labelled("a")], source="a")
    store = EmbeddedStore(first.folder, ["normativa"])
    query = HybridQuery(unit(1, 0), NO_TERMS)
    before = await store.search("normativa", [query], limit=9, prefetch=9, where=SearchFilter())
    for label in "bcd":
        await build(tmp_path, [labelled(label)], source=label)
        assert await store.search("normativa", [query], limit=9, prefetch=9, where=SearchFilter()) == before
        assert [chunk["text"] for chunk in await store.fetch([3])] == ["a"]
    await store.close()
    assert open_index(tmp_path).manifest.source == "d"


async def test_a_second_build_waits_for_the_first(tmp_path: Path) -> None:
    batch = labelled("b")
    events = []

    async def second() -> None:
        async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
            events.append("second begins")
            await builder.add(batch.chunks, batch.dense, batch.sparse)
            await builder.commit(describe("b"))

    async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
        waiting = asyncio.create_task(second())
        first = labelled("a")
        await builder.add(first.chunks, first.dense, first.sparse)
        await builder.commit(describe("a"))
        assert not events
        events.append("first ends")
    await waiting
    assert events == ["first ends", "second begins"]
    assert open_index(tmp_path).manifest.source == "b"


async def test_open_or_build_builds_only_what_is_missing_or_different(tmp_path: Path) -> None:
    built = []

    async def open_with(fingerprints) -> str:
        async def fill(builder: IndexBuilder) -> Description:
            batch = labelled("demo")
            await builder.add(batch.chunks, batch.dense, batch.sparse)
            built.append(fingerprints.chunker)
            return describe("demo", fingerprints)

        index = await open_or_build(tmp_path, fingerprints, writer=EmbeddedWriter, build=fill)
        return index.manifest.fingerprints.chunker

    newer = FINGERPRINTS.model_copy(update={"chunker": "parts:2"})
    assert [await open_with(f) for f in (FINGERPRINTS, FINGERPRINTS, newer, newer)] == ["parts:1"] * 2 + ["parts:2"] * 2
    assert built == ["parts:1", "parts:2"]
