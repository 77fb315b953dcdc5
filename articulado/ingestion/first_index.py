"""First index of a profile: find it or build it from the bundled documents."""

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from articulado.config.files import DEFAULT_PROFILE
from articulado.config.profile import Profile
from articulado.config.settings import Settings
from articulado.ingestion.incremental.base import chunker_of, profile_digest
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.ingestion.index_models import CHUNKER, IndexModels, check_models, expected_fingerprints, has_meaning_of
from articulado.language.translation import translate
from articulado.store.builder import IndexBuilder
from articulado.store.generations import Description, Generations, Index, is_of_earlier_version
from articulado.store.opening import open_index, open_or_build
from articulado.store.writer import WriterFactory
from articulado.values.errors import IndexMismatch, IndexMissing

if TYPE_CHECKING:
    from articulado.ingestion.bundled import ArticleFile
    from articulado.ingestion.incremental.base import IndexBase


def find_configured(settings: Settings, profile: Profile) -> Index | None:
    """Return the configured index without building it; ``None`` if ``open_configured`` would build the first.

    Raises ``IndexMissing`` if the settings name a folder without an index or the profile has no bundled documents,
    ``IndexMismatch`` if the index was built with other settings or belongs to another profile.
    """
    try:
        index = open_index(settings.index_folder, profile=profile.name)
    except IndexMissing:
        if settings.index is not None:
            raise
        if not (profile.features.records or profile.articles):
            raise IndexMissing(
                translate(
                    "ingest.nothing_brought", name=profile.name, folder=settings.index_folder, profile=settings.profile
                )
            ) from None
        return None
    except IndexMismatch:
        current = Generations(settings.index_folder).current()
        if settings.index is None and current is not None and is_of_earlier_version(current, profile.name):
            return None
        raise
    manifest = index.manifest
    if manifest.demo and settings.index is None:
        expected = expected_fingerprints(settings, profile, chunker_of(profile))
        is_current = manifest.fingerprints == expected and has_meaning_of(manifest, settings, profile)
        return index if is_current else None
    # A demo's chunker depends on the corpus of its package version, not on a setting.
    chunker = manifest.fingerprints.chunker if manifest.demo else CHUNKER
    manifest.check(expected_fingerprints(settings, profile, chunker), settings.index_folder)
    return index


def renewal_command(settings: Settings) -> str:
    """Return the command that rebuilds an index from its documents and the bundled ones."""
    profile = f" --profile {settings.profile}" if settings.profile != DEFAULT_PROFILE else ""
    index = f" --index {settings.index}" if settings.index is not None else ""
    return f"articulado ingest{profile}{index}"


def follows_profile(base: "IndexBase") -> bool:
    """Tell if the index in use matches the profile and its bundled documents."""
    generation = base.generation()
    if generation is None or not base.is_ingested():
        return True  # a first index renews itself
    with read_catalog(generation) as catalog:
        return catalog.profile == profile_digest(base.profile)


def nothing_to_renew(base: "IndexBase") -> str:
    """Return the advice for an ingest without arguments before anything was ingested."""
    profile, command = base.profile, renewal_command(base.settings)
    initial = (translate("ingest.first_index_renews", name=profile.name)) * bool(
        profile.features.records or profile.articles
    )
    return translate(
        "ingest.nothing_to_renew", initial=initial, command=command, gazette=command.replace("ingest", "ingest boe", 1)
    )


def how_to_remove(article: "ArticleFile", base: "IndexBase") -> str:
    """Return the advice on removing an article that belongs to the profile."""
    command = renewal_command(base.settings)
    renewed = (
        translate("ingest.renewed_by", command=command) if base.is_ingested() else translate("ingest.renews_itself")
    )
    return translate(
        "ingest.article_of_profile", id=article.id, name=base.profile.name, file=article.file, renewed=renewed
    )


async def build_first(models: IndexModels, writer: WriterFactory) -> Index:
    """Open the first index in the settings' folder; build it if it is missing or out of date."""
    # Imported here: questions to an existing index do not need the builder.
    from articulado.ingestion.bundled import bundled_chunks
    from articulado.ingestion.indexing.build import describe, write_entries
    from articulado.ingestion.indexing.changes import entries_of

    settings, profile = models.settings, models.profile
    bundled = await asyncio.to_thread(bundled_chunks, profile)
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
    articles = [f"artículos del perfil «{profile.name}»"] if profile.articles else []
    records = ["resúmenes en lenguaje claro incluidos en articulado"] if profile.features.records else []
    return " y ".join([*records, *articles])
