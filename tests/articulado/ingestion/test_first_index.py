"""Which index the settings lead to, and when the demo is built."""

from pathlib import Path

import pytest
from support.index_process import labelled
from support.laboral import write_laboral
from support.openai_server import running_server
from support.small_articles import BRINGS_ALONG, write_article, write_profile

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.ingestion.first_index import find_configured
from articulado.ingestion.index_models import CHUNKER, expected_fingerprints
from articulado.store.builder import IndexBuilder
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Description, Fingerprints, Index
from articulado.values.errors import ConfigurationError, IndexMismatch, IndexMissing
from graph.compose import open_configured

AS_CONFIGURED = expected_fingerprints(Settings.read(None), load_profile("laboral"), "packaged:0123")


async def an_index(folder: Path, fingerprints: Fingerprints = AS_CONFIGURED, *, demo: bool) -> Index:
    batch = labelled("a")
    async with IndexBuilder(folder, EmbeddedWriter) as builder:
        await builder.add(batch.chunks, batch.dense, batch.sparse)
        return await builder.commit(
            Description(fingerprints=fingerprints, profile="laboral", language="es", source="a", demo=demo)
        )


async def opened(settings: Settings) -> Index:
    return await open_configured(settings, load_profile(settings.profile))


def naming(folder: Path, **more: object) -> Settings:
    return Settings.read(None, index=folder, **more)


async def test_a_named_demo_may_hold_another_corpus(tmp_path: Path) -> None:
    demo = await an_index(tmp_path, demo=True)
    assert await opened(naming(tmp_path)) == demo


@pytest.mark.parametrize(
    "other",
    [
        {"offline_dimensions": 64},
        {"embedder": ModelSettings(provider="openai", model="text-embedding-3-small")},
    ],
)
async def test_a_named_demo_of_another_embedder_is_refused(tmp_path: Path, other: dict[str, object]) -> None:
    demo = await an_index(tmp_path, demo=True)
    with pytest.raises(IndexMismatch, match=r"Difieren: los vectores densos \(\S+ \S+ \S+ \S+\)\. .*articulado ingest"):
        await opened(naming(tmp_path, **other))
    assert await opened(naming(tmp_path)) == demo, "nothing was rebuilt"


async def test_a_named_demo_of_other_weights_is_refused(tmp_path: Path) -> None:
    await an_index(tmp_path, AS_CONFIGURED.model_copy(update={"sparse": "bm25:0"}), demo=True)
    with pytest.raises(IndexMismatch, match=r"Difieren: los pesos BM25 \(\S+ \S+ \S+ \S+\)\. "):
        await opened(naming(tmp_path))


@pytest.mark.parametrize("named", [True, False])
async def test_an_index_of_laws_is_checked_whole_and_never_rebuilt(tmp_path: Path, named: bool) -> None:
    settings = naming(tmp_path / "index") if named else Settings.read(None, home=tmp_path)
    await an_index(settings.index_folder, demo=False)
    with pytest.raises(IndexMismatch, match="la división en fragmentos"):
        await opened(settings)
    laws = await an_index(settings.index_folder, AS_CONFIGURED.model_copy(update={"chunker": CHUNKER}), demo=False)
    assert await opened(settings) == laws


async def test_a_named_folder_without_an_index_stays_empty(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="articulado ingest"):
        await opened(naming(tmp_path / "nada"))
    assert not (tmp_path / "nada").exists()


async def test_the_default_demo_holds_every_collection_of_the_corpus(demo_index: Path) -> None:
    demo = await opened(Settings.read(None))
    assert demo.folder.is_relative_to(demo_index)
    assert demo.manifest.demo
    assert demo.manifest.collections.keys() == {"normativa", "sentencias", "criterios_inss", "fichas", "casos"}


async def test_the_default_demo_is_built_once_and_again_for_other_settings(tmp_path: Path) -> None:
    profile = write_laboral(tmp_path, articles=True)
    settings = Settings.read(None, home=tmp_path, profile=profile, offline_dimensions=16)
    built = await opened(settings)
    assert built.manifest.demo
    assert await opened(settings) == built
    other = Settings.read(None, home=tmp_path, profile=profile, offline_dimensions=8)
    rebuilt = await opened(other)
    assert rebuilt.folder != built.folder
    chunker = built.manifest.fingerprints.chunker
    assert rebuilt.manifest.fingerprints == expected_fingerprints(other, load_profile("laboral"), chunker)


async def test_a_missing_key_is_told_before_the_demo_is_embedded(tmp_path: Path) -> None:
    with running_server() as server:
        embedder = ModelSettings(provider="compatible", base_url=server.url, model="vectores", dimensions=8)
        reader = ModelSettings(provider="openai", model="gpt-5-nano")
        with pytest.raises(ConfigurationError, match="ARTICULADO_READER_API_KEY"):
            await opened(Settings.read(None, home=tmp_path, embedder=embedder, reader=reader))
        assert server.requests == []


def test_every_profile_has_an_index_of_its_own(tmp_path: Path) -> None:
    def folder(**more: object) -> Path:
        return Settings.read(None, home=tmp_path, **more).index_folder

    assert folder() == tmp_path / "index"
    assert folder(profile="plan_401k") == tmp_path / "index-plan_401k"
    assert folder(profile=str(write_profile(tmp_path / "p"))) == tmp_path / "index-jardin"
    assert folder(profile="plan_401k", index=tmp_path / "x") == tmp_path / "x"


async def test_the_first_index_of_a_profile_has_its_articles_and_follows_them(tmp_path: Path) -> None:
    profile = write_profile(tmp_path, BRINGS_ALONG)
    file = write_article(tmp_path / "garden" / "articles" / "a.article.yaml")
    settings = Settings.read(None, home=tmp_path / "home", profile=str(profile))
    built = await opened(settings)
    manifest = built.manifest
    assert (manifest.demo, manifest.profile, manifest.documents) == (True, "jardin", {"guides": 1})
    assert manifest.source == "artículos del perfil «jardin»"
    # Three chunks, each with a child of its text and one of how people ask.
    assert manifest.collections == {"guides": 9}
    assert await opened(settings) == built
    write_article(file, inquiries=[])
    rebuilt = await opened(settings)
    assert (rebuilt.folder == built.folder, rebuilt.manifest.collections) == (False, {"guides": 6})
    write_profile(tmp_path, BRINGS_ALONG + "\n[ranks]\narticle = 2\n")
    assert find_configured(settings, load_profile(settings.profile)) is None, "it is built again"


async def test_a_profile_that_brings_nothing_along_says_what_to_run(tmp_path: Path) -> None:
    profile = write_profile(tmp_path)
    with pytest.raises(
        IndexMissing, match=r"«jardin» no trae nada consigo .*articulado ingest --profile \S+garden.toml"
    ):
        await opened(Settings.read(None, home=tmp_path / "home", profile=str(profile)))


async def test_an_index_of_another_profile_is_not_opened(tmp_path: Path) -> None:
    await an_index(tmp_path, demo=True)
    said = "es del perfil «laboral», y se ha pedido el perfil «plan_401k»"
    with pytest.raises(IndexMismatch, match=said):
        await opened(naming(tmp_path, profile="plan_401k"))
