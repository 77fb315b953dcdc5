"""The demo index: built from the packaged corpus the first time that nothing else is there."""

from ingestion.build import write_chunks
from ingestion.packaged import packaged_corpus
from services.errors import IndexMissing
from services.factory import expected_fingerprints, writer_factory
from services.index import open_index, open_or_build
from services.settings import Settings
from services.store.builder import IndexBuilder
from services.store.manifest import Description, Index


async def open_configured(settings: Settings) -> Index:
    """Open the index that the settings name, or the default one, which is built from the demo corpus on first use.

    A demo index that other settings or another corpus have made is built again; any other index never is.

    Raises:
        IndexMissing: the settings name a folder without an index.
        IndexMismatch: the index was built with other settings.
    """
    expected = expected_fingerprints(settings)
    if settings.index is not None:
        return open_index(settings.index, None if _is_demo(settings) else expected)
    try:
        if not _is_demo(settings):
            return open_index(settings.index_folder, expected)
    except IndexMissing:
        pass
    return await build_demo(settings)


async def build_demo(settings: Settings) -> Index:
    """Open the demo index in the settings' folder, building it where it is missing or out of date."""
    corpus = packaged_corpus()
    chunker = f"packaged:{corpus.digest}"

    async def build(builder: IndexBuilder) -> Description:
        return await write_chunks(
            builder,
            corpus.chunks,
            settings,
            source="resúmenes en lenguaje claro incluidos en articulado",
            extra_text=corpus.search_text,
            chunker=chunker,
            demo=True,
        )

    return await open_or_build(
        settings.index_folder,
        expected_fingerprints(settings, chunker),
        writer=writer_factory(settings),
        build=build,
    )


def _is_demo(settings: Settings) -> bool:
    return open_index(settings.index_folder).manifest.demo
