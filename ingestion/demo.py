"""The demo index: built from the packaged corpus the first time that nothing else is there."""

from collections import Counter

from ingestion.digests import corpus_digest
from ingestion.indexing.build import describe, write_entries
from ingestion.indexing.entries import entries_of
from ingestion.packaged import packaged_corpus
from services.errors import IndexMissing
from services.factory import CHUNKER, check_models, expected_fingerprints, writer_factory
from services.index import open_index, open_or_build
from services.settings import Settings
from services.store.builder import IndexBuilder
from services.store.manifest import Description, Index


async def open_configured(settings: Settings) -> Index:
    """Open the index that the settings name, or the default one, which is built from the demo corpus on first use.

    A demo index in the default folder that other settings or another corpus have made is built again; any other index
    never is.

    Raises:
        IndexMissing: the settings name a folder without an index.
        IndexMismatch: the index was built with other settings.
    """
    return find_configured(settings) or await build_demo(settings)


def find_configured(settings: Settings) -> Index | None:
    """Return the index that ``open_configured`` opens, and build nothing: ``None`` where it would build the demo one.

    Raises:
        IndexMissing: the settings name a folder without an index.
        IndexMismatch: the index was built with other settings.
    """
    try:
        index = open_index(settings.index_folder)
    except IndexMissing:
        if settings.index is not None:
            raise
        return None
    manifest = index.manifest
    if manifest.demo and settings.index is None:
        wanted = expected_fingerprints(settings, _chunker())
        return index if manifest.fingerprints == wanted else None
    # What a demo was cut from is the corpus of its version of the package, and no setting.
    chunker = manifest.fingerprints.chunker if manifest.demo else CHUNKER
    manifest.check(expected_fingerprints(settings, chunker), settings.index_folder)
    return index


async def build_demo(settings: Settings) -> Index:
    """Open the demo index in the settings' folder, building it where it is missing or out of date."""
    corpus = packaged_corpus()
    chunker = _chunker()

    async def build(builder: IndexBuilder) -> Description:
        check_models(settings)
        offline = settings.embedder.provider == "offline"
        entries = list(entries_of(corpus.chunks, corpus.search_text, "breadcrumb", {}, in_whole=offline))
        await write_entries(builder, entries, settings)
        return describe(
            settings,
            source="resúmenes en lenguaje claro incluidos en articulado",
            documents=dict(Counter(name for name, _ in {(one["collection"], one["law_id"]) for one in corpus.chunks})),
            chunker=chunker,
            demo=True,
        )

    return await open_or_build(
        settings.index_folder,
        expected_fingerprints(settings, chunker),
        writer=writer_factory(settings),
        build=build,
    )


def _chunker() -> str:
    return f"{CHUNKER}:{corpus_digest()}"
