"""Keep what a provider was paid for in one SQLite file, so that nothing is paid for twice."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import ClassVar, Self

from articulado.language.translation import reason, translate
from articulado.values.errors import ConfigurationError

BUSY_TIMEOUT = 30.0
"""Seconds to wait for another process that writes."""

_REASONS = {
    sqlite3.SQLITE_BUSY: "system.busy",
    sqlite3.SQLITE_LOCKED: "system.busy",
    sqlite3.SQLITE_FULL: "system.disk_full",
    sqlite3.SQLITE_READONLY: "system.not_permitted",
    sqlite3.SQLITE_PERM: "system.not_permitted",
    sqlite3.SQLITE_CANTOPEN: "system.not_opened",
    sqlite3.SQLITE_IOERR: "system.disk_fails",
}


class PaidCache:
    """Values by key, durable from the moment that ``put_many`` returns, even if the process is killed.

    Write-ahead log with ``synchronous=NORMAL``: a power cut may cost the last values, never the file. Other
    processes may read and write at the same time, and other threads of this one.
    """

    contents: ClassVar[str]
    """What is in the file: the key of how messages call it."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            ConfigurationError: it is damaged, is something else, or the system refuses it.
        """
        self._path = path
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(reason(error)) from error
        with self._explained():
            self._connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
            )
        try:
            with self._explained():
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS paid (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
                )
        except ConfigurationError:
            self._connection.close()
            raise

    def _get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        query = "SELECT key, value FROM paid WHERE key IN (SELECT value FROM json_each(?))"
        with self._lock, self._explained():
            return dict(self._connection.execute(query, (json.dumps(list(keys)),)))

    def _put_many(self, values: Mapping[str, bytes]) -> None:
        with self._lock, self._explained():
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO paid VALUES (?, ?)", values.items())
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.ProgrammingError):  # a mistake of ours, not the file's
                raise
            # The low byte is the primary code; what stands above it tells cases apart that the user need not.
            if why := _REASONS.get(error.sqlite_errorcode & 0xFF):
                raise self._unusable(translate(why)) from error
            raise ConfigurationError(
                translate("ingest.cache_damaged", contents=translate(self.contents), path=self._path, error=error)
            ) from error

    def _unusable(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            translate("ingest.cache_unusable", contents=translate(self.contents), path=self._path, why=why)
        )


class ContextCache(PaidCache):
    """The context sentences of the reader model, by the key of the request."""

    contents = "ingest.kind_sentences"

    def get_many(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the sentences of those keys that have one; an empty one is none.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        return {key: sentence.decode() for key, sentence in self._get_many(keys).items() if sentence}

    def put(self, key: str, sentence: str) -> None:
        """Keep a sentence; the last one of a key counts.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        self._put_many({key: sentence.encode()})
