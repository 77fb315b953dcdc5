"""The generation that an ingest begins from, and what all of its points depend on."""

from ingestion.context.cache import ContextCache
from ingestion.packaged import packaged_corpus
from ingestion.workspace import Workspace, key_of
from services.errors import IndexMismatch, IndexMissing
from services.factory import CHUNKER, expected_fingerprints
from services.index import open_index
from services.settings import Settings
from services.store.manifest import Index


def open_base(settings: Settings) -> Index | None:
    """Return the index whose documents are kept; ``None`` where there is none, or only the demo.

    One of another configuration, or of another version of articulado, is built anew from its documents: its catalogue
    counts, its points do not (``continues``).
    """
    try:
        index = open_index(settings.index_folder)
    except (IndexMissing, IndexMismatch):
        return None
    return None if index.manifest.demo else index


def continues(index: Index, settings: Settings) -> bool:
    """Tell whether the points of an index can stay beside those that these settings make."""
    return index.manifest.fingerprints == expected_fingerprints(settings)


def made_with(settings: Settings) -> str:
    """Name what points depend on beside documents: context, and the packaged words of people and decisions."""
    return key_of(CHUNKER, settings.chunk_context, settings.reader.model, packaged_corpus().digest)


def workspace_of(settings: Settings) -> Workspace:
    """Return where the stages of this index leave what they have made."""
    return Workspace(settings.index_folder / "documents")


def context_cache(settings: Settings) -> ContextCache:
    """Open the sentences that were paid for, which are kept whatever becomes of an index.

    Raises:
        ConfigurationError: their file cannot be used.
    """
    return ContextCache(settings.home / "contexts.sqlite")
