"""Build the first index of a profile from what it brings along."""

import asyncio
from collections import Counter

from articulado.config.profile import Profile
from articulado.store.builder import IndexBuilder
from articulado.store.generations import Description, Index
from articulado.store.opening import open_or_build
from articulado.store.writer import WriterFactory
from ingestion.bundled import bundled_chunks
from ingestion.fingerprints import expected_fingerprints
from ingestion.incremental.digests import chunker_of
from ingestion.indexing.build import describe, write_entries
from ingestion.indexing.entries import entries_of
from ingestion.indexing.models import IndexModels
from services.models.check import check_models


async def build_first(models: IndexModels, writer: WriterFactory) -> Index:
    """Open the first index in the settings' folder, building it where it is missing or out of date.

    Raises:
        ConfigurationError: what comes along breaks its schema.
    """
    settings, profile = models.settings, models.profile
    bundled = await asyncio.to_thread(bundled_chunks, [], profile)
    chunker = await asyncio.to_thread(chunker_of, profile)
    expected = await asyncio.to_thread(expected_fingerprints, settings, profile, chunker)

    async def build(builder: IndexBuilder) -> Description:
        check_models(settings)
        offline = settings.embedder.provider == "offline"
        entries = list(entries_of(bundled.chunks, bundled.lay_phrasings, "breadcrumb", {}, in_whole=offline))
        await write_entries(builder, entries, models)
        ids = {(chunk["collection"], chunk["law_id"]) for chunk in bundled.chunks}
        documents = Counter(collection for collection, _ in ids)
        return describe(
            settings, profile, source=_origin(profile), documents=dict(documents), chunker=chunker, demo=True
        )

    return await open_or_build(settings.index_folder, expected, writer=writer, build=build)


def _origin(profile: Profile) -> str:
    """Return what the first index of a profile is made of."""
    articles = [f"artículos del perfil «{profile.name}»"] if profile.articles else []
    records = ["resúmenes en lenguaje claro incluidos en articulado"] if profile.features.records else []
    return " y ".join([*records, *articles])
