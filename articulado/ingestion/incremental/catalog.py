"""Catalogue of an index: an SQLite database of the documents of one generation, read on demand."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from articulado.ingestion.links.provision_index import SCHEMA as WORDINGS
from articulado.language.translation import translate
from articulado.store.generations import CATALOG
from articulado.store.layout import IndexedAgreement
from articulado.values.chunks import ProvisionRef
from articulado.values.documents import Source, SourceFile, StaleRecord, Unresolved
from articulado.values.errors import IndexMismatch, StoreUnavailable

VERSION = 1  # version of the tables; an older catalogue is not read

FILE, RECORD, DECISION, ARTICLE, GONE = "file", "record", "decision", "article", "gone"
"""Origins of a document: user files, or bundled; a document that is gone still has points in the index."""

BYTES_OF_ID = 8

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, root TEXT NOT NULL, digest TEXT NOT NULL,
    identity TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, position INTEGER NOT NULL, kind TEXT NOT NULL, collection TEXT NOT NULL,
    law_id TEXT NOT NULL, identity TEXT NOT NULL, staged TEXT NOT NULL, source TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', provisions INTEGER NOT NULL DEFAULT 0, parents INTEGER NOT NULL DEFAULT 0,
    characters INTEGER NOT NULL DEFAULT 0, last_change TEXT NOT NULL DEFAULT '', agreement TEXT NOT NULL DEFAULT '',
    refs TEXT NOT NULL DEFAULT '{{}}', resolved INTEGER NOT NULL DEFAULT 0, unresolved TEXT NOT NULL DEFAULT '{{}}',
    examples TEXT NOT NULL DEFAULT '[]', summaries INTEGER NOT NULL DEFAULT 0, stale TEXT NOT NULL DEFAULT '[]',
    points BLOB NOT NULL DEFAULT x'', words BLOB NOT NULL DEFAULT x'', dirty INTEGER NOT NULL DEFAULT 0,
    UNIQUE (collection, law_id)
);
CREATE INDEX IF NOT EXISTS documents_staged ON documents (staged);
CREATE INDEX IF NOT EXISTS documents_in_order ON documents (position);
CREATE INDEX IF NOT EXISTS documents_to_write ON documents (position) WHERE dirty;
CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, document INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS names_of_document ON names (document);
CREATE TABLE IF NOT EXISTS citations (
    law_id TEXT NOT NULL, key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (law_id, key, document)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS citations_of_document ON citations (document);
{WORDINGS}
"""
"""``points`` are the point ids of a document (int64), ``words`` its document frequency of each stem.

``citations`` lists the provisions that a document looks up (empty key: if a law has a text); its references depend
only on these.
"""


class Row(NamedTuple):
    """Document to be written: its number, origin, and stored data."""

    number: int
    kind: str
    collection: str
    law_id: str
    staged: str
    refs: str
    points: bytes
    words: bytes


class Links(NamedTuple):
    """References of a document by chunk, unresolved citations, and looked-up provisions."""

    refs: dict[int, list[int]]
    unresolved: dict[str, int]
    examples: list[Unresolved]
    summaries: int
    stale: list[StaleRecord]
    lookups: Collection[ProvisionRef]


class Catalog:
    """Documents of a generation, read on demand; close it, or use it as a context manager."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    @classmethod
    def empty(cls) -> Self:
        """Return the catalogue of an index without documents of its own: none, or the demo."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.executescript(SCHEMA)
        return cls(database)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def fact(self, name: str, default: str = "") -> str:
        row = self.database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    @property
    def made_with(self) -> str:
        """Digest of everything else that points depend on; "" if unknown."""
        return self.fact("made_with")

    @property
    def profile(self) -> str:
        return self.fact("profile")

    @property
    def packaged(self) -> bool:
        return self.fact("packaged", "yes") == "yes"

    @property
    def drift(self) -> int:
        """Number of points changed since the encoder was fitted to the texts."""
        return int(self.fact("drift", "0"))

    @property
    def record_laws(self) -> list[str]:
        return [str(row[0]) for row in self._ordered("law_id", "kind = ?", RECORD)]

    def sources(self) -> Iterator[Source]:
        for (source,) in self._ordered("source", "kind = ?", FILE):
            yield cast(Source, json.loads(source))

    def source_named(self, name: str) -> Source | None:
        """Return the document with this identity, or the path of one of its files."""
        query = "SELECT source FROM documents JOIN names ON document = documents.number WHERE name = ?"
        row = self.database.execute(query, (name,)).fetchone()
        return cast(Source, json.loads(row[0])) if row else None

    def source_of(self, law_id: str) -> Source | None:
        row = next(self._ordered("source", "kind = ? AND law_id = ?", FILE, law_id), None)
        return cast(Source, json.loads(row[0])) if row else None

    def provisions_of(self, law_id: str) -> list[str]:
        query = "SELECT DISTINCT provision_key FROM wordings WHERE law_id = ? AND alias = 0"
        return [str(key) for (key,) in self.database.execute(query, (law_id,))]

    def is_staged(self, key: str) -> bool:
        query = "SELECT 1 FROM documents WHERE staged = ? LIMIT 1"
        return self.database.execute(query, (key,)).fetchone() is not None

    def count(self) -> int:
        return self._sum("count(*)", FILE)

    def provisions(self) -> int:
        return self._sum("sum(provisions)", FILE)

    def points(self) -> tuple[int, int]:
        """Return the numbers of parents and of children of all documents."""
        query = "SELECT coalesce(sum(parents), 0), coalesce(sum(length(points)), 0) FROM documents WHERE kind != ?"
        parents, bytes_of_ids = self.database.execute(query, (GONE,)).fetchone()
        return int(parents), int(bytes_of_ids) // BYTES_OF_ID - int(parents)

    def titles(self) -> dict[str, str]:
        return dict(self._ordered("law_id, title", "kind = ? AND provisions", FILE))

    def changes(self) -> dict[str, str]:
        return dict(self._ordered("law_id, last_change", "kind = ? AND last_change != ''", FILE))

    def roots(self) -> Iterator[str]:
        for (root,) in self.database.execute("SELECT root FROM files GROUP BY root ORDER BY min(number)"):
            yield root

    def agreements(self) -> list[IndexedAgreement]:
        rows = self._ordered("agreement", "agreement != '' AND kind != ?", GONE)
        return [IndexedAgreement(**json.loads(agreement)) for (agreement,) in rows]

    def documents(self) -> dict[str, int]:
        query = "SELECT collection, count(*) FROM documents WHERE kind != ? AND parents GROUP BY collection ORDER BY 1"
        return dict(self.database.execute(query, (GONE,)))

    @property
    def resolved(self) -> int:
        return self._sum("sum(resolved)", FILE)

    @property
    def unresolved(self) -> dict[str, int]:
        query = (
            "SELECT each.key, sum(each.value) FROM documents, json_each(documents.unresolved) AS each"
            " WHERE documents.unresolved != '{}' GROUP BY 1 ORDER BY min(position)"
        )
        return dict(self.database.execute(query))

    def examples(self, limit: int) -> list[Unresolved]:
        """Return up to ``limit`` unresolved citations, in the order of the documents."""
        found: list[Unresolved] = []
        for (examples,) in self._ordered("examples", "examples != '[]' AND kind = ?", FILE):
            found += json.loads(examples)
            if len(found) >= limit:
                break
        return found[:limit]

    @property
    def summaries(self) -> int:
        return self._sum("sum(summaries)", FILE)

    @property
    def stale(self) -> list[StaleRecord]:
        rows = self._ordered("stale", "stale != '[]' AND kind = ?", FILE)
        return [record for (stale,) in rows for record in json.loads(stale)]

    def _ordered(self, columns: str, where: str, *values: str) -> Iterator[Any]:
        yield from self.database.execute(f"SELECT {columns} FROM documents WHERE {where} ORDER BY position", values)

    def _sum(self, expression: str, kind: str) -> int:
        [value] = self.database.execute(f"SELECT {expression} FROM documents WHERE kind = ?", (kind,)).fetchone()
        return int(value or 0)


def read_catalog(generation: Path) -> Catalog:
    """Open the catalogue of a generation, empty for the demo; raise ``IndexMismatch`` if it is unreadable."""
    file = generation / CATALOG
    if not file.is_file():
        return Catalog.empty()
    with explained(generation):
        database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        try:
            [version] = database.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                raise sqlite3.DatabaseError(f"version {version}")
            database.execute("SELECT count(*) FROM facts").fetchone()
        except BaseException:
            database.close()
            raise
    return Catalog(database)


@contextmanager
def explained(generation: Path) -> Iterator[None]:
    """Raise ``IndexMismatch`` for a damaged database, and ``StoreUnavailable`` for an error of the disk."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise StoreUnavailable(translate("store.not_readable", folder=generation, reason=error)) from error
        raise IndexMismatch(translate("ingest.catalogue_damaged", generation=generation)) from error
    except sqlite3.DatabaseError as error:
        raise IndexMismatch(translate("ingest.catalogue_damaged", generation=generation)) from error


def titles_in(generation: Path) -> dict[str, str]:
    with read_catalog(generation) as catalog:
        return catalog.titles()


def changes_in(generation: Path) -> dict[str, str]:
    with read_catalog(generation) as catalog:
        return catalog.changes()


def names_of(identity: str, files: list[SourceFile]) -> list[str]:
    """Return the names of a document: its identity, and the paths of its equal files."""
    return list(dict.fromkeys([identity, *(file["path"] for file in files if file["identity"] == file["path"])]))
