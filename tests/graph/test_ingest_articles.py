"""Knowledge-base articles through the ingestion graph: beside other documents, and beside those of the profile."""

import re
from pathlib import Path

import pytest
from support.ingesting import ingest
from support.small_articles import BRINGS_ALONG, decision_guide, guardrails, required_data, write_article, write_profile
from support.small_laws import write_law

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.ingestion.first_index import follows_profile
from articulado.ingestion.incremental.base import IndexBase
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.store.opening import open_index
from articulado.store.writer import Points
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMismatch, InvalidInput
from graph.compose import open_services


def settings(folder: Path, profile: str, **more: object) -> Settings:
    return Settings.read(env_file=None, index=folder / "indice", home=folder / "home", profile=profile, **more)


def base_of(configured: Settings) -> IndexBase:
    return IndexBase(configured, load_profile(configured.profile))


async def chunk(configured: Settings, article: str, number: int = 1) -> Chunk | None:
    services = await open_services(configured)
    try:
        found = await services.store.find(article, f"{article}#{number}")
        return found[0] if found else None
    finally:
        await services.close()


def point_ids(configured: Settings) -> dict[int, int]:
    return {one.id: one.digest for one in Points.load(open_index(configured.index_folder).folder)}


@pytest.fixture
def garden(tmp_path: Path) -> Settings:
    """A profile that brings one article along."""
    profile = write_profile(tmp_path, BRINGS_ALONG)
    write_article(tmp_path / "garden" / "articles" / "bundled.article.yaml", id="bundled", title="What comes along")
    return settings(tmp_path, str(profile))


async def test_a_folder_has_articles_beside_other_documents(tmp_path: Path, garden: Settings) -> None:
    folder = tmp_path / "docs"
    write_article(folder / "roses.article.yaml")
    (folder / "guide.txt").write_text("Lavender is planted in spring.")
    (folder / "guide.yaml").write_text("title: A guide to lavender\n")
    broken = write_article(folder / "broken.article.yaml", id="broken", climate="Moon")
    report = await ingest([folder], garden)
    assert report["added"] == ["A guide to lavender", "Pruning roses in the dry zone"]
    assert [(one["source"], "climate: “Moon” is not known" in one["reason"]) for one in report["failures"]] == [
        (str(broken), True)
    ]
    assert report["documents"] == {"guides": 3}, "the profile's own, the article, and the text"
    found = await chunk(garden, "dry-zone-pruning")
    assert found is not None
    assert found["details"]["fields"][0]["field"] == "plant_age"
    assert found["attributes"]["climate"] == "Dry zone"
    again = await ingest([folder], garden)
    assert (again["unchanged"], again["written"], again["generation"]) == (2, 0, report["generation"])


async def test_only_what_has_changed_of_an_article_is_written(tmp_path: Path, garden: Settings) -> None:
    file = write_article(tmp_path / "docs" / "roses.article.yaml")
    write_article(tmp_path / "docs" / "ponds.article.yaml", id="ponds", title="Ponds")
    await ingest([file.parent], garden)
    before = point_ids(garden)
    write_article(file, chunks=[required_data(description="Years"), decision_guide(), guardrails()])
    report = await ingest([file.parent], garden)
    after = point_ids(garden)
    changed = {one for one, digest in after.items() if before.get(one) != digest}
    assert report["updated"] == ["Pruning roses in the dry zone"]
    # The chunk, its only child, and that with how people ask, which stands in it.
    assert len(changed) == report["written"] == 3
    file.unlink()
    assert (await ingest([file.parent], garden))["removed"] == ["Pruning roses in the dry zone"]
    assert await chunk(garden, "dry-zone-pruning") is None
    assert await chunk(garden, "bundled") is not None


async def test_a_document_of_the_same_name_wins_over_what_comes_along(tmp_path: Path, garden: Settings) -> None:
    await ingest([write_article(tmp_path / "own.article.yaml", id="bundled", title="Our own")], garden)
    found = await chunk(garden, "bundled")
    assert found is not None
    assert found["law_name"] == "Our own"
    assert open_index(garden.index_folder).manifest.documents == {"guides": 1}


async def test_phrasings_survive_staging(tmp_path: Path, garden: Settings) -> None:
    await ingest([write_article(tmp_path / "roses.article.yaml")], garden)
    with read_catalog(open_index(garden.index_folder).folder) as catalog:
        [source] = catalog.sources()
    staged = base_of(garden).workspace.document(source["staged"])
    assert staged.spoken == {one["id"]: "When do I cut my roses back?" for one in staged.parents}
    before = point_ids(garden)
    report = await ingest([], garden, rebuild=True)
    assert (report["unchanged"], point_ids(garden)) == (1, before)


async def test_packaged_documents_are_updated_beside_unchanged_ones(tmp_path: Path, garden: Settings) -> None:
    text = tmp_path / "guide.txt"
    text.write_text("Lavender is planted in spring, and cut in August.")
    await ingest([text], garden)
    write_article(tmp_path / "garden" / "articles" / "bundled.article.yaml", id="bundled", title="Mended")
    report = await ingest([text], garden)
    assert (report["unchanged"], report["updated"]) == (1, [])
    found = await chunk(garden, "bundled")
    assert found is not None
    assert found["law_name"] == "Mended"
    assert (await ingest([text], garden))["written"] == 0


async def test_an_ingest_of_nothing_follows_the_articles_of_the_profile(tmp_path: Path, garden: Settings) -> None:
    text = tmp_path / "guide.txt"
    text.write_text("Lavender is planted in spring, and cut in August.")
    await ingest([text], garden)
    assert follows_profile(base_of(garden))
    articles = tmp_path / "garden" / "articles"
    write_article(articles / "bundled.article.yaml", id="bundled", title="Mended")
    write_article(articles / "another.article.yaml", id="another", title="Another")
    assert not follows_profile(base_of(garden))
    report = await ingest([], garden)
    assert (report["unchanged"], report["removed"], report["documents"]) == (1, [], {"guides": 3})
    found = await chunk(garden, "bundled")
    assert found is not None
    assert found["law_name"] == "Mended"
    assert await chunk(garden, "another") is not None
    assert follows_profile(base_of(garden))
    again = await ingest([], garden)
    assert (again["written"], again["generation"]) == (0, report["generation"])


async def test_an_index_whose_documents_are_all_out_still_follows_the_profile(tmp_path: Path, garden: Settings) -> None:
    await ingest([write_article(tmp_path / "roses.article.yaml")], garden)
    await ingest([], garden, remove=["dry-zone-pruning"])
    write_article(tmp_path / "garden" / "articles" / "bundled.article.yaml", id="bundled", title="Mended")
    assert (await ingest([], garden))["documents"] == {"guides": 1}
    found = await chunk(garden, "bundled")
    assert found is not None
    assert found["law_name"] == "Mended"


async def test_an_article_of_the_profile_is_removed_with_its_file(tmp_path: Path, garden: Settings) -> None:
    file = tmp_path / "garden" / "articles" / "bundled.article.yaml"
    said = f"“bundled” was not ingested: it belongs to the profile “jardin”.*delete its file, {re.escape(str(file))}"
    for name in ("bundled", "what comes along", "bundled.article.yaml"):
        with pytest.raises(InvalidInput, match=f"{said}; the first index is renewed by itself"):
            await ingest([], garden, remove=[name])
    await ingest([write_article(tmp_path / "roses.article.yaml")], garden)
    command = f"articulado ingest --profile {garden.profile} --index {garden.index}"
    with pytest.raises(InvalidInput, match=f"{said} and repeat {re.escape(command)}\\."):
        await ingest([], garden, remove=["bundled"])
    assert await chunk(garden, "bundled") is not None
    file.unlink()
    assert (await ingest([], garden))["documents"] == {"guides": 1}
    assert await chunk(garden, "bundled") is None


async def test_a_changed_profile_changes_the_index(tmp_path: Path, garden: Settings) -> None:
    file = write_article(tmp_path / "roses.article.yaml")
    await ingest([file], garden)
    write_profile(tmp_path, BRINGS_ALONG + "\n[ranks]\narticle = 2\n")
    assert (await ingest([file], garden))["updated"] == ["Pruning roses in the dry zone"]
    found = await chunk(garden, "dry-zone-pruning")
    assert found is not None
    assert found["rank"] == 2
    assert (await ingest([file], garden))["written"] == 0


async def test_a_chunk_leads_to_the_provisions_that_it_rests_on(tmp_path: Path) -> None:
    own = {**guardrails(), "provisions": ["BOE-A-2015-11430#Artículo 2"]}
    law = write_law(tmp_path / "ley.md", "BOE-A-2015-11430", "Uno.", "Dos.")
    article = write_article(
        tmp_path / "a.article.yaml",
        climate=None,
        topic="finiquito",
        provisions=["BOE-A-2015-11430#Artículo 1", "BOE-A-1990-1#Artículo 9"],
        chunks=[required_data(), own],
    )
    configured = settings(tmp_path, "laboral")
    await ingest([article, law], configured, packaged=False)
    services = await open_services(configured)
    try:
        ids = {key: (await services.store.find("BOE-A-2015-11430", key))[0]["id"] for key in ("art:1", "art:2")}
        cited = [(await services.store.find("dry-zone-pruning", f"dry-zone-pruning#{n}"))[0]["refs"] for n in (1, 2)]
    finally:
        await services.close()
    assert cited == [[ids["art:1"]], [ids["art:2"]]]


async def test_only_a_profile_with_records_has_packaged_decisions(tmp_path: Path, garden: Settings) -> None:
    law = write_law(tmp_path / "ley.md", "BOE-A-2015-11430", "See the artículo 2.", "Dos.")
    report = await ingest([law], garden)
    assert (report["failures"], report["summaries"], report["unresolved"], report["resolved"]) == ([], 0, {}, 0)
    assert report["documents"] == {"guides": 2}


async def test_an_index_of_another_profile_is_left_alone(tmp_path: Path, garden: Settings) -> None:
    write_law(tmp_path / "ley.md", "BOE-A-2015-11430")
    law = settings(tmp_path, "laboral")
    await ingest([tmp_path / "ley.md"], law, packaged=False)
    before = (garden.index_folder / "current").read_text()
    said = r"is of the profile “laboral”, and the profile “jardin” was asked for.*--profile laboral.*--profile jardin"
    with pytest.raises(IndexMismatch, match=said):
        await ingest([tmp_path / "ley.md"], garden)
    with pytest.raises(IndexMismatch, match=said):
        await ingest([], garden, rebuild=True)
    with pytest.raises(IndexMismatch, match=said):
        await open_services(garden)
    assert (garden.index_folder / "current").read_text() == before
