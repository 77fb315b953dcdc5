"""The first index of a profile: built from what comes along, the first time that nothing else is there."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ingestion.articles.bundled import bundled_articles
from ingestion.beside import articles_of
from ingestion.digests import corpus_digest, profile_digest
from ingestion.indexing.build import describe, write_entries
from ingestion.indexing.entries import entries_of
from ingestion.packaged import PackagedCorpus, packaged_corpus
from services.factory import CHUNKER, build_ingest_services, check_models, expected_fingerprints
from services.profile.profile import Profile
from services.settings import Settings
from services.store.builder import IndexBuilder
from services.store.index import open_index, open_or_build
from services.store.manifest import Description, Index
from state.errors import IndexMissing

Announce = Callable[[Settings, Profile], AbstractContextManager[object]]
"""Surrounds the building of a first index, to tell whoever waits for it."""


async def open_configured(settings: Settings, profile: Profile, *, announce: Announce | None = None) -> Index:
    """Open the index that the settings name, or that of the profile, which is built from what it brings on first use.

    Such a first index in the default folder that other settings, another corpus or other articles have made is built
    again; any other index never is.

    Raises:
        IndexMissing: the settings name a folder without an index, or the profile brings nothing along.
        IndexMismatch: the index was built with other settings, or is of another profile.
    """
    index = find_configured(settings, profile)
    if index is not None:
        return index
    with announce(settings, profile) if announce else nullcontext():
        return await _build_first(settings, profile)


def find_configured(settings: Settings, profile: Profile) -> Index | None:
    """Return the index that ``open_configured`` opens, and build nothing: ``None`` where it would build the first one.

    Raises:
        IndexMissing: the settings name a folder without an index, or the profile brings nothing along.
        IndexMismatch: the index was built with other settings, or is of another profile.
    """
    try:
        index = open_index(settings.index_folder, profile=profile.name)
    except IndexMissing:
        if settings.index is not None:
            raise
        if not (profile.features.records or profile.articles):
            raise IndexMissing(
                f"El perfil «{profile.name}» no trae nada consigo y no tiene ningún índice en {settings.index_folder}. "
                f"Constrúyalo: articulado ingest --profile {settings.profile} RUTA…"
            ) from None
        return None
    manifest = index.manifest
    if manifest.demo and settings.index is None:
        wanted = expected_fingerprints(settings, profile, _chunker(profile))
        return index if manifest.fingerprints == wanted else None
    # What a demo was cut from is the corpus of its version of the package, and no setting.
    chunker = manifest.fingerprints.chunker if manifest.demo else CHUNKER
    manifest.check(expected_fingerprints(settings, profile, chunker), settings.index_folder)
    return index


async def _build_first(settings: Settings, profile: Profile) -> Index:
    """Open the first index in the settings' folder, building it where it is missing or out of date.

    Raises:
        ConfigurationError: what comes along breaks its schema.
    """
    corpus = _brought_along(profile)
    chunker = _chunker(profile)

    async with build_ingest_services(settings, profile) as services:

        async def build(builder: IndexBuilder) -> Description:
            check_models(settings)
            offline = settings.embedder.provider == "offline"
            entries = list(entries_of(corpus.chunks, corpus.search_text, "breadcrumb", {}, in_whole=offline))
            await write_entries(builder, entries, services)
            documents = Counter(name for name, _ in {(one["collection"], one["law_id"]) for one in corpus.chunks})
            return describe(
                settings, profile, source=_source(profile), documents=dict(documents), chunker=chunker, demo=True
            )

        return await open_or_build(
            settings.index_folder,
            expected_fingerprints(settings, profile, chunker),
            writer=services.writer,
            build=build,
        )


def _brought_along(profile: Profile) -> PackagedCorpus:
    records = packaged_corpus() if profile.features.records else PackagedCorpus([], {})
    articles = articles_of(bundled_articles(profile), records.chunks)
    return PackagedCorpus([*records.chunks, *articles.chunks], records.search_text | articles.spoken)


def _source(profile: Profile) -> str:
    """Say what the index was made of."""
    articles = [f"artículos del perfil «{profile.name}»"] if profile.articles else []
    records = ["resúmenes en lenguaje claro incluidos en articulado"] if profile.features.records else []
    return " y ".join([*records, *articles])


def _chunker(profile: Profile) -> str:
    return f"{CHUNKER}:{corpus_digest()}:{profile_digest(profile)}"
