"""The generation that an ingest begins from, and what all of its points depend on."""

from pathlib import Path

from ingestion.catalog import CATALOG, Catalog, read_catalog
from ingestion.context.cache import ContextCache
from ingestion.digests import code_digest, corpus_digest, profile_digest
from ingestion.workspace import Workspace, key_of
from services.errors import IndexMismatch, IndexMissing
from services.factory import CHUNKER, expected_fingerprints
from services.index import check_profile, open_index
from services.profile import load_profile
from services.settings import Settings
from services.store.generations import Generations
from services.store.manifest import Index, read_manifest
from state.ingest import IngestRequest


def served_generation(settings: Settings) -> Path | None:
    """Return the folder of the generation that is served, whatever it was made with; ``None`` where there is none."""
    return Generations(settings.index_folder).current()


def held_catalog(settings: Settings, request: IngestRequest) -> Catalog:
    """Return the catalogue of the generation that is served: its documents count, whatever becomes of its points.

    A catalogue that is damaged counts as empty for a rebuild that names what to hold.

    Raises:
        IndexMismatch: it cannot be read, or the index is of another profile.
    """
    generation = served_generation(settings)
    if generation is None:
        return Catalog(made_with="")
    _check_profile(generation, settings)
    try:
        return read_catalog(generation)
    except IndexMismatch:
        if request.get("rebuild") and (request.get("paths") or request.get("boe") or request.get("listing")):
            return Catalog(made_with="")
        raise


def is_ingested(settings: Settings) -> bool:
    """Tell whether the index that is served was made by an ingest: the first one of a profile has no catalogue."""
    generation = served_generation(settings)
    return generation is not None and (generation / CATALOG).is_file()


def _check_profile(generation: Path, settings: Settings) -> None:
    """Refuse an index of another profile; one whose manifest cannot be read is made anew from its documents."""
    try:
        manifest = read_manifest(generation)
    except (FileNotFoundError, IndexMismatch):
        return
    check_profile(manifest, load_profile(settings.profile).name, settings.index_folder)


def open_base(settings: Settings) -> Index | None:
    """Return the index that is served; ``None`` where there is none, it is the demo, or its points are of no use.

    Those of another configuration, or of another version of articulado, are made anew from the documents.
    """
    try:
        profile = load_profile(settings.profile)
        index = open_index(settings.index_folder, expected_fingerprints(settings), profile=profile.name)
    except (IndexMissing, IndexMismatch):
        return None
    return None if index.manifest.demo else index


def made_with(settings: Settings) -> str:
    """Name what points depend on beside documents: code, context, the profile and all that comes with the package."""
    writer = settings.reader.model if settings.chunk_context == "reader" else ""
    profile = profile_digest(load_profile(settings.profile))
    return key_of(CHUNKER, code_digest(), settings.chunk_context, writer, corpus_digest(), profile)


def workspace_of(settings: Settings) -> Workspace:
    """Return where the stages of this index leave what they have made."""
    return Workspace(settings.index_folder / "documents")


def context_cache(settings: Settings) -> ContextCache:
    """Open the sentences that were paid for, which are kept whatever becomes of an index.

    Raises:
        ConfigurationError: their file cannot be used.
    """
    return ContextCache(settings.home / "contexts.sqlite")
