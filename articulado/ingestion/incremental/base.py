"""Starting point of an ingest: current index, catalogue, staged documents and model fingerprints."""

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

KEPT_SECONDS = 24 * 3600  # an unused file is kept this long: another ingest may be about to use it


@dataclass(frozen=True)
class Staged:
    """A document that was read and chunked; references of its parents are not resolved yet."""

    # The field names are stored.
    collection: str
    law_id: str
    title: str
    provisions: int
    parents: list[Chunk]
    interprets: list[tuple[str, str]]  # law id and key of the provisions that it interprets
    skipped: list[Failure]  # its omitted files
    warnings: list[str] = field(default_factory=list)  # content not read
    spoken: dict[int, str] = field(default_factory=dict)  # lay phrasings by id of parent


class Workspace:
    """Folder of staged documents inside that of the index; files are written atomically and never changed.

    A killed run resumes from them. Methods raise ``ConfigurationError`` if the folder cannot be used, and
    ``StoreUnavailable`` if its disk is full or fails.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def staged(self, key: str) -> Staged | None:
        """Return a staged document; ``None`` if there is none or the file is damaged."""
        with translate_disk_errors(self._folder.parent):
            try:
                staged = Staged(**json.loads(self._file(key).read_bytes()))
            except FileNotFoundError:
                return None
            except (ValueError, TypeError):  # truncated when the disk was full: the document is read again
                self._file(key).unlink(missing_ok=True)
                return None
        interprets = [(law_id, provision_key) for law_id, provision_key in staged.interprets]
        spoken = {int(chunk_id): phrasings for chunk_id, phrasings in staged.spoken.items()}
        return replace(staged, interprets=interprets, spoken=spoken)

    def document(self, key: str) -> Staged:
        """Return a staged document; raise ``StoreUnavailable`` if it has vanished."""
        staged = self.staged(key)
        if staged is None:
            raise StoreUnavailable(translate("ingest.workspace_gone", folder=self._folder))
        return staged

    def stage(self, key: str, document: Staged) -> None:
        """Write a document atomically."""
        partial = self._folder / f"{key}.{uuid4().hex}.partial"
        with translate_disk_errors(self._folder.parent):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("w", encoding="utf-8") as stream:
                    json.dump(asdict(document), stream, ensure_ascii=False)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(partial, self._file(key))
            except OSError:
                partial.unlink(missing_ok=True)
                raise

    def has(self, key: str) -> bool:
        return self._file(key).is_file()

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.document.json"

    def clean(self, is_used: Callable[[str], bool]) -> None:
        """Remove old files, including drafts, except those whose keys ``is_used``."""
        oldest = time.time() - KEPT_SECONDS
        with os.scandir(self._folder) as files:
            for file in files:
                if file.stat().st_mtime < oldest and not is_used(file.name.partition(".")[0]):
                    Path(file).unlink(missing_ok=True)


def key_of(*parts: object) -> str:
    """Return a key of 32 hexadecimal digits, the digest of the representations of the parts."""
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


_SUFFIXES = (".py", ".toml", ".txt", ".md", ".jsonl")


@cache
def code_digest() -> str:
    """Return the digest of the code that reads, chunks and links documents; a change means reading all again."""
    return _digest(
        "articulado/language", "articulado/legal", "articulado/ingestion", "articulado/guides", "nodes/ingest"
    )


@cache
def corpus_digest() -> str:
    """Return the digest of the packaged records and cards, and of the code and data that index them."""
    records = [
        f"corpus/{folder}" for folder in ("normativa", "sin_contenido", "sentencias", "criterios_inss", "fichas")
    ]
    code = (
        "articulado/store/records",
        "articulado/ingestion/bundled.py",
        "articulado/ingestion/links",
        "articulado/ingestion/indexing",
        "articulado/guides",
    )
    return _digest("articulado/language", "articulado/legal", *records, *code)


def profile_digest(profile: Profile) -> str:
    """Return the digest of a profile and its articles, without its folder and search settings."""
    hashed = blake2b(profile.model_dump_json(exclude={"folder", "search"}).encode(), digest_size=16)
    folder = profile.articles
    for file in sorted(filter(is_article, folder.iterdir())) if folder and folder.is_dir() else ():
        hashed.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()


def _digest(*names: str) -> str:
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
    """Return the fingerprint of a first index: of its code and bundled documents."""
    return f"{CHUNKER}:{corpus_digest()}:{profile_digest(profile)}"


@dataclass(frozen=True)
class IndexBase:
    """The index of settings and a profile before an ingest: documents, points and staged work."""

    settings: Settings
    profile: Profile

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.drafts)

    @property
    def fingerprints(self) -> Fingerprints:
        return expected_fingerprints(self.settings, self.profile)

    async def bring_up_to_date(self, *, or_go_on: bool = False, rebuild: bool = False) -> None:
        """Copy the served generation, which another machine may have made; a rebuild accepts a damaged copy."""
        with suppress(IndexMismatch) if rebuild else nullcontext():
            await bring_up_to_date(self.settings, self.profile.name, or_go_on=or_go_on)

    async def lost_collections(self) -> list[str]:
        """Return the collections that the server has lost and that must be written again."""
        index = await asyncio.to_thread(self.open)
        return await missing_collections(self.settings, index) if index else []

    def generation(self) -> Path | None:
        return Generations(self.settings.index_folder).current()

    def catalog(self, request: IngestRequest) -> Catalog:
        """Open the catalogue in use, even if its points are unusable; only a rebuild ignores a damaged one."""
        generation = self._readable_generation(request)
        return read_catalog(generation) if generation else Catalog.empty()

    def begin_draft(self, request: IngestRequest) -> Path:
        """Copy the catalogue in use to a new draft file, and remove drafts of ended processes."""
        generation = self._readable_generation(request)
        with translate_disk_errors(self.drafts.parent):
            self.drafts.mkdir(parents=True, exist_ok=True)
            # Locked: a draft not yet held would look abandoned.
            with (self.drafts / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                _remove_abandoned(self.drafts)
                file = Draft.begin(self.drafts, generation)
                _hold(file)
        return file

    @asynccontextmanager
    async def draft(self, name: str) -> AsyncIterator[Draft]:
        """Open a draft for one stage; remove it if the stage fails or is interrupted."""
        try:
            async with Draft.opened(self.drafts / name) as draft:
                yield draft
        except BaseException:
            await asyncio.to_thread(self.discard_draft, name)
            raise

    def discard_draft(self, name: str) -> None:
        """Remove a draft and SQLite's journal, if they exist."""
        file = self.drafts / name
        if (held := _held.pop(str(file), None)) is not None:
            os.close(held)
        for path in (file, file.with_name(f"{name}-journal")):
            path.unlink(missing_ok=True)

    @property
    def drafts(self) -> Path:
        return self.settings.index_folder / "documents"

    def is_ingested(self) -> bool:
        """Tell if an ingest made the index in use: the first index of a profile has no catalogue."""
        generation = self.generation()
        return generation is not None and any((generation / name).is_file() for name in (CATALOG, EARLIER))

    def _readable_generation(self, request: IngestRequest) -> Path | None:
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
        """Return the index; ``None`` if it is missing, the demo, or made with another configuration or version."""
        try:
            index = open_index(self.settings.index_folder, self.fingerprints, profile=self.profile.name)
        except (IndexMissing, IndexMismatch):
            return None
        continues = not index.manifest.demo and has_meaning_of(index.manifest, self.settings, self.profile)
        return index if continues else None

    def made_with(self) -> str:
        """Return a digest of the code, context, profile and packaged records that determine the points."""
        context = self.settings.chunk_context
        reader = self.settings.reader.model if context == "reader" else ""
        return key_of(CHUNKER, code_digest(), context, reader, corpus_digest(), profile_digest(self.profile))

    def _check_profile(self, generation: Path) -> None:
        try:
            manifest = read_manifest(generation)
        except (FileNotFoundError, IndexMismatch):
            return
        check_profile(manifest, self.profile.name, self.settings.index_folder)


_held: dict[str, int] = {}  # file descriptors of this process's drafts, whose locks end with the process


def _hold(draft: Path) -> None:
    held = os.open(draft, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held[str(draft)] = held


def _remove_abandoned(folder: Path) -> None:
    for draft in folder.glob(f"*{SUFFIX}"):
        if str(draft) not in _held:
            with suppress(OSError), draft.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
                draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)


def context_cache(settings: Settings) -> ContextCache:
    """Open the cache of paid context sentences, which outlive an index."""
    return ContextCache(settings.home / "contexts.sqlite")
