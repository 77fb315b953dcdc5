"""Keep what the stages of an ingest make, in files named by what it was made from, so that a killed run resumes."""

import json
import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from uuid import uuid4

from language.current import say
from services.store.generations import translate_disk_errors
from state.chunks import Chunk
from state.errors import StoreUnavailable
from state.ingest import Failure

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
        if not isinstance(content, dict):
            return None
        try:
            staged = Staged(**content)
        except TypeError:
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
            raise StoreUnavailable(say("ingest.workspace_gone", folder=self._folder))
        return staged

    def stage(self, key: str, document: Staged) -> None:
        """Keep a document under a key."""
        self._write(f"{key}.document.json", asdict(document))

    def links(self, key: str) -> dict[int, list[int]]:
        """Return the references that ``link`` kept under a key, by the id of the citing chunk."""
        content = self._read(f"{key}.links.json")
        return {int(chunk_id): refs for chunk_id, refs in content.items()} if isinstance(content, dict) else {}

    def link(self, key: str, refs: Mapping[int, Sequence[int]]) -> None:
        """Keep under a key the references of chunks, by the id of the citing one."""
        self._write(f"{key}.links.json", {str(chunk_id): list(cited) for chunk_id, cited in refs.items() if cited})

    def clean(self, used: Collection[str]) -> None:
        """Remove what was not made or used of late, but for the keys in ``used``."""
        oldest = time.time() - KEPT_SECONDS
        for file in self._folder.glob("*.json*"):
            if file.name.partition(".")[0] not in used and file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

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
