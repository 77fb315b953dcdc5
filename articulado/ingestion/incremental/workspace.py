"""Store for staged documents, in files named by a digest of their inputs.

A killed run resumes from these files, which are written in one step and never changed. Unused files are
removed after 24 hours. ``code_digest``, ``corpus_digest`` and ``profile_digest`` identify the inputs
besides the documents. Methods raise ``ConfigurationError`` or ``StoreUnavailable``.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from uuid import uuid4

from articulado.config.profile import Profile
from articulado.ingestion.files.header import is_article
from articulado.ingestion.index_models import CHUNKER
from articulado.language.translation import translate
from articulado.store.generations import translate_disk_errors
from articulado.values.chunks import Chunk
from articulado.values.documents import Failure
from articulado.values.errors import StoreUnavailable

KEPT_SECONDS = 24 * 3600
"""How long a file that nobody uses is kept: another ingest may be about to use it."""


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
