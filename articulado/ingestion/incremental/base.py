"""Starting point of an ingest: current index, catalogue, staged documents and model fingerprints.

``IndexBase.made_with`` is a digest of all that points depend on besides documents: code, context, profile
and packaged records. ``open`` returns ``None`` for a demo index and for an index of another configuration,
whose points are rebuilt from the documents. ``context_cache`` opens the cache of paid context sentences.

``Workspace`` keeps staged documents in files named by a digest of their inputs. A killed run resumes from these files,
which are written in one step and never changed. Unused files are removed after 24 hours. ``code_digest``,
``corpus_digest`` and ``profile_digest`` identify the inputs besides the documents.
"""

import asyncio
import fcntl
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from uuid import uuid4

from articulado.config.profile import Profile
from articulado.config.settings import Settings
from articulado.ingestion.context.paid_cache import ContextCache
from articulado.ingestion.files.header import is_article
from articulado.ingestion.incremental.catalog import Catalog, read_catalog
from articulado.ingestion.incremental.draft import EARLIER, SUFFIX, Draft
from articulado.ingestion.index_models import CHUNKER, expected_fingerprints, has_meaning_of
from articulado.language.translation import translate
from articulado.store.generations import CATALOG, Fingerprints, Generations, Index, read_manifest, translate_disk_errors
from articulado.store.opening import check_profile, open_index
from articulado.store.replica import bring_up_to_date, missing_collections
from articulado.values.chunks import Chunk
from articulado.values.documents import Failure, IngestRequest
from articulado.values.errors import IndexMismatch, IndexMissing, StoreUnavailable

KEPT_SECONDS = 24 * 3600
"""Seconds for which an unused file is kept: another ingest may be about to use it."""


@dataclass(frozen=True)
class Staged:
    """A document, read and cut: its parents, their references still open.

    ``interprets`` are law id and provision key of each provision that a ruling or a criterion interprets. ``skipped``
    are files of it that were left out, ``warnings`` tell what of the others was not read. ``spoken`` are the lay
    phrasings of parents, by id. Fields are named as they are stored.
    """

    collection: str
    law_id: str
    title: str
    provisions: int
    parents: list[Chunk]
    interprets: list[tuple[str, str]]
    skipped: list[Failure]
    warnings: list[str] = field(default_factory=list)
    spoken: dict[int, str] = field(default_factory=dict)


class Workspace:
    """A folder, in that of the index, of files that are written in one step and never changed.

    Raises (from every method): ConfigurationError, where the folder cannot be used; StoreUnavailable, where its disk
    is full or fails.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def staged(self, key: str) -> Staged | None:
        """Return a document that was staged; ``None`` if it was not, or the file is damaged."""
        content = self._read(f"{key}.document.json")
        try:
            staged = Staged(**content) if isinstance(content, dict) else None
        except TypeError:
            staged = None
        if staged is None:
            # Half of a file is none: so it is read again, and not taken to be there.
            with translate_disk_errors(self._folder.parent):
                (self._folder / f"{key}.document.json").unlink(missing_ok=True)
            return None
        interprets = [(law_id, provision_key) for law_id, provision_key in staged.interprets]
        spoken = {int(chunk_id): phrasings for chunk_id, phrasings in staged.spoken.items()}
        return replace(staged, interprets=interprets, spoken=spoken)

    def document(self, key: str) -> Staged:
        """Return a document that an earlier stage has staged.

        Raises:
            StoreUnavailable: it has vanished since.
        """
        staged = self.staged(key)
        if staged is None:
            raise StoreUnavailable(translate("ingest.workspace_gone", folder=self._folder))
        return staged

    def stage(self, key: str, document: Staged) -> None:
        """Keep a document under a key."""
        self._write(f"{key}.document.json", asdict(document))

    def has(self, key: str) -> bool:
        """Tell whether a document is staged, as far as can be told without reading it."""
        return (self._folder / f"{key}.document.json").is_file()

    def clean(self, is_used: Callable[[str], bool]) -> None:
        """Remove what was not made of late, drafts included, but for what ``is_used`` names by its key."""
        oldest = time.time() - KEPT_SECONDS
        with os.scandir(self._folder) as files:
            for file in files:
                if file.stat().st_mtime < oldest and not is_used(file.name.partition(".")[0]):
                    Path(file).unlink(missing_ok=True)

    def _read(self, name: str) -> object:
        with translate_disk_errors(self._folder.parent):
            try:
                return json.loads((self._folder / name).read_bytes())
            except FileNotFoundError:
                return None
            except ValueError:  # half of a file, from a disk that was full
                return None

    def _write(self, name: str, content: object) -> None:
        partial = self._folder / f"{name}.{uuid4().hex}.partial"
        with translate_disk_errors(self._folder.parent):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("w", encoding="utf-8") as stream:
                    json.dump(content, stream, ensure_ascii=False)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(partial, self._folder / name)
            except OSError:
                partial.unlink(missing_ok=True)
                raise


def key_of(*parts: object) -> str:
    """Return the key of what is made from these parts: 32 hexadecimal digits."""
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


_SUFFIXES = (".py", ".toml", ".txt", ".md", ".jsonl")


@cache
def code_digest() -> str:
    """Return the digest of what decides how documents are read, cut and linked; where it changes, all are read anew."""
    return _digest(
        "articulado/language", "articulado/legal", "articulado/ingestion", "articulado/guides", "nodes/ingest"
    )


@cache
def corpus_digest() -> str:
    """Return the digest of the packaged records, and of the code and the data that make points of them."""
    records = [f"corpus/{folder}" for folder in ("normativa", "sin_contenido", "sentencias", "criterios_inss")]
    code = (
        "articulado/store/records",
        "articulado/ingestion/bundled.py",
        "articulado/ingestion/links",
        "articulado/ingestion/indexing",
        "articulado/guides",
    )
    return _digest("articulado/language", "articulado/legal", *records, *code)


def profile_digest(profile: Profile) -> str:
    """Return the digest of what a profile says and of its articles.

    Where its file is does not count, nor how it is searched: no index depends on these.
    """
    hashed = blake2b(profile.model_dump_json(exclude={"folder", "search"}).encode(), digest_size=16)
    folder = profile.articles
    for file in sorted(filter(is_article, folder.iterdir())) if folder and folder.is_dir() else ():
        hashed.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()


def _digest(*names: str) -> str:
    """Return 32 hexadecimal digits for files and all files below folders, each named from its top-level package on."""
    hashed = blake2b(digest_size=16)
    for name in names:
        package, _, rest = name.partition("/")
        root = Path(str(resources.files(package)))
        path = root / rest
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES)
        for file in files:
            hashed.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return hashed.hexdigest()


def chunker_of(profile: Profile) -> str:
    """Return the fingerprint of how a first index is made: by the code, of what the package and the profile bring."""
    return f"{CHUNKER}:{corpus_digest()}:{profile_digest(profile)}"


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

        Drafts of processes that have ended are removed.

        Raises:
            IndexMismatch: as ``catalog``.
        """
        generation = self._readable_generation(request)
        with translate_disk_errors(self.drafts.parent):
            self.drafts.mkdir(parents=True, exist_ok=True)
            # One at a time: a draft that nobody holds yet would pass for an abandoned one.
            with (self.drafts / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                _remove_abandoned(self.drafts)
                file = Draft.begin(self.drafts, generation)
                _hold(file)
        return file

    @asynccontextmanager
    async def draft(self, name: str) -> AsyncIterator[Draft]:
        """Open a draft for one stage; it is removed if the stage fails or is interrupted."""
        try:
            async with Draft.opened(self.drafts / name) as draft:
                yield draft
        except BaseException:
            await asyncio.to_thread(self.discard_draft, name)
            raise

    def discard_draft(self, name: str) -> None:
        """Remove a draft, if it is there, with the journal that SQLite keeps beside it."""
        file = self.drafts / name
        if (held := _held.pop(str(file), None)) is not None:
            os.close(held)
        for path in (file, file.with_name(f"{name}-journal")):
            path.unlink(missing_ok=True)

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


_held: dict[str, int] = {}
"""File descriptors of the drafts of this process; the system lets go of their locks when the process ends."""


def _hold(draft: Path) -> None:
    held = os.open(draft, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held[str(draft)] = held


def _remove_abandoned(folder: Path) -> None:
    """Remove the drafts that no process holds: their ingests were killed."""
    for draft in folder.glob(f"*{SUFFIX}"):
        if str(draft) not in _held:
            with suppress(OSError), draft.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
                draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)


def context_cache(settings: Settings) -> ContextCache:
    """Open the cache of context sentences, which were paid for and are kept whatever becomes of an index.

    Raises:
        ConfigurationError: its file cannot be used.
    """
    return ContextCache(settings.home / "contexts.sqlite")
