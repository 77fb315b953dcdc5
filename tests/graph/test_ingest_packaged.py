"""What articulado brings along stays in an index beside what is ingested, law by law."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.ingesting import ingest, opened_ingest
from support.small_corpus import CRITERION, ET, LGSS, RULING, record, small_corpus
from support.small_laws import write_law

from articulado.config.settings import Settings
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.legal.wordings import wording_hash
from articulado.store.generations import CATALOG, MANIFEST
from articulado.store.opening import open_index
from articulado.store.records.schema import Corpus
from articulado.store.writer import Points
from articulado.values.chunks import Chunk
from articulado.values.errors import InvalidInput
from articulado.values.protocols import ChunkStore
from graph.compose import open_services

TEXT = "Los trabajadores descansarán treinta días."
Bring = Callable[[Corpus], None]


@pytest.fixture(autouse=True)
def corpus(bring_along: Bring) -> None:
    bring_along(small_corpus(wording_hash(TEXT)))


@pytest.fixture
def configured(tmp_path: Path) -> Settings:
    return Settings.read(env_file=None, index=tmp_path / "indice", home=tmp_path / "home")


def points(configured: Settings) -> dict[int, int]:
    return {point.id: point.digest for point in Points.load(open_index(configured.index_folder).folder)}


@asynccontextmanager
async def opened(configured: Settings) -> AsyncIterator[ChunkStore]:
    services = await open_services(configured)
    try:
        yield services.store
    finally:
        await services.close()


async def found(store: ChunkStore, *provisions: tuple[str, str]) -> list[Chunk]:
    """Return all chunks of provisions."""
    return [chunk for provision in provisions for chunk in await store.find(*provision)]


async def cited(store: ChunkStore, law_id: str, key: str) -> list[tuple[str, str, str]]:
    """Return law, provision and origin of all that a provision leads to."""
    [citing] = await store.find(law_id, key)
    chunks = await store.fetch(citing["refs"])
    return [(chunk["law_id"], chunk["provision_key"], chunk["source"]) for chunk in chunks]


def laws(report: Any) -> tuple[int, int]:
    """Return how many laws have their text, and how many our records alone."""
    return report["official_laws"], report["record_laws"]


async def test_packaged_records_give_way_to_their_law_and_return(tmp_path: Path, configured: Settings) -> None:
    (tmp_path / "guia.txt").write_text("Rigen el artículo 1 del ET y el artículo 77 de la LGSS.")
    first = await ingest([tmp_path / "guia.txt"], configured)
    assert first["documents"] == {"normativa": 2, "sentencias": 1, "criterios_inss": 1, "documentos": 1}
    # The text of the LGSS may have an article 77, of which there is no record.
    assert (laws(first), first["resolved"], first["unresolved"]) == ((0, 2), 1, {"law not held": 1})
    before = points(configured)
    [guide] = first["added"]
    async with opened(configured) as store:
        records = await found(store, (ET, "art:1"), (ET, "art:9"))
        assert [chunk["source"] for chunk in records] == ["plain_language"] * 2
        for citing in ((LGSS, "art:1"), (RULING.id, RULING.id)):
            assert await cited(store, *citing) == [(ET, "art:1", "plain_language")]

    write_law(tmp_path / "et.md", ET, TEXT, *(f"Asunto {number}: véase el artículo 1 de la LGSS." for number in (2, 3)))
    law = await ingest([tmp_path / "et.md"], configured)
    assert (laws(law), law["summaries"], law["documents"]["normativa"]) == ((1, 1), 1, 2)
    async with opened(configured) as store:
        [official] = await found(store, (ET, "art:1"))
        assert (official["source"], official["summary"]) == ("official", "Nuestro resumen de Artículo 1.")
        assert await found(store, (ET, "art:9")) == [], "a record without a text in its law is of another wording"
        assert len(await found(store, (LGSS, "art:1"), (RULING.id, RULING.id), (CRITERION.id, CRITERION.id))) == 3
        for citing in ((LGSS, "art:1"), (RULING.id, RULING.id)):
            assert await cited(store, *citing) == [(ET, "art:1", "official")]
        assert await cited(store, ET, "art:2") == [(LGSS, "art:1", "plain_language")]

    again = await ingest([tmp_path / "et.md"], configured)
    assert (again["written"], again["generation"], laws(again)) == (0, law["generation"], (1, 1))
    removed = await ingest([], configured, remove=["ET"])
    assert (laws(removed), guide not in removed["removed"]) == ((0, 2), True)
    assert points(configured) == before


async def test_other_packaged_records_stay_unchanged(tmp_path: Path, configured: Settings, bring_along: Bring) -> None:
    more = [record(LGSS, f"Artículo {number}") for number in range(2, 40)]
    bring_along(Corpus((*small_corpus().provisions, *more), (), (RULING,), (CRITERION,)))
    (tmp_path / "guia.txt").write_text("Nada que citar.")
    await ingest([tmp_path / "guia.txt"], configured)
    before = points(configured)
    report = await ingest([write_law(tmp_path / "et.md", ET, TEXT)], configured)
    after = points(configured)
    # Each record of the ET is a parent, a piece of text and one of how people ask.
    assert len(before.keys() - after.keys()) == report["deleted"] == 6
    # Of the law the same three; the record of the LGSS and the ruling now lead to it, with all their pieces.
    assert len(after.keys() - before.keys()) == 3
    assert report["written"] == sum(before.get(point) != digest for point, digest in after.items()) < 12


async def test_an_index_of_before_gets_its_records_with_the_next_ingest(tmp_path: Path, configured: Settings) -> None:
    (tmp_path / "guia.txt").write_text("Nada que citar.")
    await ingest([tmp_path / "guia.txt"], configured, packaged=False)
    folder = open_index(configured.index_folder).folder
    with read_catalog(folder) as catalog:
        sources = list(catalog.sources())
    (folder / CATALOG).unlink()
    (folder / "catalog.json").write_text(json.dumps({"made_with": "x", "sources": sources}))
    manifest = folder / MANIFEST
    manifest.write_text(manifest.read_text().replace('"format": 5', '"format": 4'))
    report = await ingest([], configured)
    assert (laws(report), report["unchanged"]) == ((0, 2), 1)


async def test_packaged_false_is_remembered(tmp_path: Path, configured: Settings) -> None:
    law = write_law(tmp_path / "et.md", ET, TEXT)
    whole = await ingest([law], configured)
    assert whole["documents"] == {"normativa": 2, "sentencias": 1, "criterios_inss": 1}
    without = await ingest([], configured, packaged=False)
    assert (without["documents"], laws(without)) == ({"normativa": 1}, (1, 0))
    async with opened(configured) as store:
        [official] = await found(store, (ET, "art:1"))
    assert official["summary"] == "Nuestro resumen de Artículo 1.", "beside its text"
    again = await ingest([law], configured, rebuild=True)
    assert again["documents"] == {"normativa": 1}
    back = await ingest([law], configured, packaged=True)
    assert back["documents"] == whole["documents"]
    with pytest.raises(InvalidInput, match="«packaged» debe ser true o false"):
        await ingest([law], configured, packaged="no")
    async with opened_ingest(configured) as graph:
        assert "packaged" in graph.get_input_jsonschema()["properties"]
