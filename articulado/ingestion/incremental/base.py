"""Starting point of an ingest: current index, catalogue, workspace and model fingerprints.

``IndexBase.made_with`` is a digest of all that points depend on besides documents: code, context, profile
and packaged records. ``open`` returns ``None`` for a demo index and for an index of another configuration,
whose points are rebuilt from the documents. ``context_cache`` opens the cache of paid context sentences.
"""

import asyncio
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from articulado.config.profile import Profile
from articulado.config.settings import Settings
from articulado.ingestion.context.paid_cache import ContextCache
from articulado.ingestion.incremental.catalog import Catalog, read_catalog
from articulado.ingestion.incremental.draft import EARLIER, Draft
from articulado.ingestion.incremental.workspace import Workspace, code_digest, corpus_digest, key_of, profile_digest
from articulado.ingestion.index_models import CHUNKER, expected_fingerprints, has_meaning_of
from articulado.store.generations import CATALOG, Fingerprints, Generations, Index, read_manifest
from articulado.store.opening import check_profile, open_index
from articulado.store.replica import bring_up_to_date, missing_collections
from articulado.values.documents import IngestRequest
from articulado.values.errors import IndexMismatch, IndexMissing


@dataclass(frozen=True)
class IndexBase:
    """The index that settings and a profile lead to, as an ingest finds it: documents, points and staged work."""

    settings: Settings
    profile: Profile

    @property
    def workspace(self) -> Workspace:
        """The folder where the stages of an ingest leave what they have made."""
        return Workspace(self.drafts)

    @property
    def fingerprints(self) -> Fingerprints:
        """The models and the chunker that its points must have been made with.

        Raises:
            ConfigurationError: the dimensions of the embedder are not known.
        """
        return expected_fingerprints(self.settings, self.profile)

    async def bring_up_to_date(self, *, or_go_on: bool = False, rebuild: bool = False) -> None:
        """Copy the served generation, which another machine may have made; a rebuild needs no intact copy.

        Raises:
            StoreUnavailable, ConfigurationError, IndexMismatch: as ``bring_up_to_date``.
        """
        with suppress(IndexMismatch) if rebuild else nullcontext():
            await bring_up_to_date(self.settings, self.profile.name, or_go_on=or_go_on)

    async def lost_collections(self) -> list[str]:
        """Return the collections of the index in use that its server has no more: they must be written anew."""
        index = await asyncio.to_thread(self.open)
        return await missing_collections(self.settings, index) if index else []

    def generation(self) -> Path | None:
        """Return the folder of the generation in use, whatever it was made with; ``None`` without one."""
        return Generations(self.settings.index_folder).current()

    def catalog(self, request: IngestRequest) -> Catalog:
        """Open the catalogue of the generation in use: its documents count, whatever becomes of its points.

        A catalogue that is damaged counts as empty for a rebuild that names its documents.

        Raises:
            IndexMismatch: it cannot be read, or the index is of another profile.
        """
        generation = self._readable_generation(request)
        return read_catalog(generation) if generation else Catalog.empty()

    def begin_draft(self, request: IngestRequest) -> Path:
        """Begin the draft of the next catalogue from that of the generation in use; return its file.

        Raises:
            IndexMismatch: as ``catalog``.
        """
        return Draft.begin(self.drafts, self._readable_generation(request))

    @property
    def drafts(self) -> Path:
        """The folder of drafts: that of what was staged."""
        return self.settings.index_folder / "documents"

    def is_ingested(self) -> bool:
        """Tell whether the index in use was made by an ingest: the first index of a profile has no catalogue."""
        generation = self.generation()
        return generation is not None and any((generation / name).is_file() for name in (CATALOG, EARLIER))

    def _readable_generation(self, request: IngestRequest) -> Path | None:
        """Return the generation in use, if it has a catalogue that can be read."""
        generation = self.generation()
        if generation is None:
            return None
        self._check_profile(generation)
        try:
            read_catalog(generation).close()
        except IndexMismatch:
            if request.get("rebuild") and (request.get("paths") or request.get("boe") or request.get("listing")):
                return None
            raise
        return generation

    def open(self) -> Index | None:
        """Return the index; ``None`` where there is none, it is the demo, or its points are of no use.

        Those of another configuration, or of another version of articulado, are made anew from the documents.
        """
        try:
            index = open_index(self.settings.index_folder, self.fingerprints, profile=self.profile.name)
        except (IndexMissing, IndexMismatch):
            return None
        continues = not index.manifest.demo and has_meaning_of(index.manifest, self.settings, self.profile)
        return index if continues else None

    def made_with(self) -> str:
        """Return a digest of what points depend on beside documents: code, context, profile and packaged records."""
        context = self.settings.chunk_context
        reader = self.settings.reader.model if context == "reader" else ""
        return key_of(CHUNKER, code_digest(), context, reader, corpus_digest(), profile_digest(self.profile))

    def _check_profile(self, generation: Path) -> None:
        """Refuse an index of another profile; one whose manifest cannot be read is made anew from its documents."""
        try:
            manifest = read_manifest(generation)
        except (FileNotFoundError, IndexMismatch):
            return
        check_profile(manifest, self.profile.name, self.settings.index_folder)


def context_cache(settings: Settings) -> ContextCache:
    """Open the cache of context sentences, which were paid for and are kept whatever becomes of an index.

    Raises:
        ConfigurationError: its file cannot be used.
    """
    return ContextCache(settings.home / "contexts.sqlite")
