"""Draft of the next catalogue, edited by the stages of an ingest and committed at the end.

The draft is a file beside the staged documents. Each stage changes it in one transaction: a killed stage leaves it
unchanged.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path
from typing import Self, cast
from uuid import uuid4

from articulado.ingestion.incremental.catalog import (
    FILE,
    GONE,
    SCHEMA,
    VERSION,
    Catalog,
    Links,
    Row,
    explained,
    names_of,
)
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.store.files import copy_file
from articulado.store.generations import CATALOG, translate_disk_errors
from articulado.store.layout import IndexedAgreement
from articulado.values.chunks import ProvisionRef
from articulado.values.documents import Source, SourceFile

SUFFIX = ".draft"

EARLIER = "catalog.json"  # catalogue of an older format: its documents are imported, its points are not

_PLAN = """
DROP TABLE IF EXISTS plan;
CREATE TABLE plan (
    position INTEGER PRIMARY KEY, staged TEXT NOT NULL, source TEXT NOT NULL, collection TEXT, law_id TEXT,
    taken INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX planned ON plan (collection, law_id) WHERE taken;
"""
"""Documents of files that the index will hold, in the order of reading; several may turn out to be the same."""

CHANGED, RELINK, LEFT = 1, 2, 3
"""Why a document differs from its points (0: it does not): changed, to be relinked, or left to another ingest."""

_PAGE = 256
_CACHE = "PRAGMA cache_size = -16384"


class Draft(Catalog):
    """Catalogue being changed; leaving it without an error commits.

    The plan lists the documents of the files; an ingest takes those that are unchanged or that it has read.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with explained(file):
            database = sqlite3.connect(file, check_same_thread=False)
            database.execute("PRAGMA synchronous = OFF")  # a draft needs no durability before its commit
            database.execute(_CACHE)
            database.execute("BEGIN")
        super().__init__(database)

    @classmethod
    @asynccontextmanager
    async def opened(cls, file: Path) -> AsyncIterator[Self]:
        """Open a draft without blocking the event loop."""
        draft = await asyncio.to_thread(cls, file)
        try:
            yield draft
        except BaseException as error:
            await asyncio.to_thread(draft.__exit__, type(error), error, None)
            raise
        await asyncio.to_thread(draft.__exit__, None, None, None)

    @classmethod
    def begin(cls, folder: Path, generation: Path | None) -> Path:
        """Begin a draft in a folder, from the catalogue of a generation if there is one; return its file."""
        file = folder / f"{uuid4().hex}{SUFFIX}"
        with translate_disk_errors(folder.parent):
            folder.mkdir(parents=True, exist_ok=True)
            earlier = generation / CATALOG if generation else None
            if earlier and earlier.is_file():
                copy_file(earlier, file)
        with explained(file):
            database = sqlite3.connect(file)
            database.executescript(f"{SCHEMA}{_PLAN}PRAGMA user_version = {VERSION};")
            database.execute(f"UPDATE documents SET dirty = {RELINK} WHERE dirty")
            database.commit()
            database.close()
        if generation and not (generation / CATALOG).is_file() and (generation / EARLIER).is_file():
            with cls(file) as draft:
                draft._take_over(json.loads((generation / EARLIER).read_bytes()))
        return file

    def __exit__(self, *error: object) -> None:
        with explained(self.file):
            if error[0] is None:
                self.database.commit()
            else:
                self.database.rollback()
            self.database.close()

    def note(self, **facts: str) -> None:
        self.database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    # Files, and the documents that they are of

    def paths(self) -> Iterator[tuple[str, str]]:
        yield from self.database.execute("SELECT path, identity FROM files ORDER BY number").fetchall()

    def drop_files(self, paths: Iterable[str]) -> None:
        self.database.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])

    def put_files(self, files: Iterable[SourceFile]) -> None:
        self.database.executemany(
            "INSERT INTO files (path, root, digest, identity) VALUES (:path, :root, :digest, :identity) ON CONFLICT"
            " (path) DO UPDATE SET root = excluded.root, digest = excluded.digest, identity = excluded.identity",
            files,
        )

    def groups(self) -> Iterator[list[SourceFile]]:
        """Yield the files of each document in the given order; loose files of equal content are one document."""
        query = (
            "SELECT min(number) OVER (PARTITION BY document) AS first, path, root, digest, identity FROM"
            " (SELECT *, CASE WHEN identity = path THEN digest ELSE identity END AS document FROM files)"
            " ORDER BY first, number"
        )
        for _, rows in groupby(self.database.execute(query), lambda row: row[0]):
            yield [{"path": row[1], "root": row[2], "digest": row[3], "identity": row[4]} for row in rows]

    def has_file(self, path: str) -> bool:
        query = "SELECT 1 FROM files WHERE path = ? AND identity = path"
        return self.database.execute(query, (path,)).fetchone() is not None

    # The plan

    def plan(self, sources: Iterable[Source]) -> None:
        rows = ((source["staged"], json.dumps(source, ensure_ascii=False)) for source in sources)
        self.database.executemany("INSERT INTO plan (staged, source) VALUES (?, ?)", rows)

    def planned(self, *, taken: bool = False) -> Iterator[tuple[int, Source]]:
        """Yield the planned documents, or only those taken, each with its position."""
        last = 0
        query = f"SELECT position, source FROM plan WHERE position > ? {'AND taken' if taken else ''}"
        query += f" ORDER BY position LIMIT {_PAGE}"
        while rows := self.database.execute(query, (last,)).fetchall():
            for last, source in rows:
                yield last, cast(Source, json.loads(source))

    def planned_at(self, position: int) -> Source:
        [source] = self.database.execute("SELECT source FROM plan WHERE position = ?", (position,)).fetchone()
        return cast(Source, json.loads(source))

    def planned_count(self) -> int:
        return int(self.database.execute("SELECT count(*) FROM plan").fetchone()[0])

    def taken(self, collection: str, law_id: str) -> tuple[int, Source] | None:
        query = "SELECT position, source FROM plan WHERE taken AND collection = ? AND law_id = ?"
        row = self.database.execute(query, (collection, law_id)).fetchone()
        return (row[0], cast(Source, json.loads(row[1]))) if row else None

    def take(self, position: int, source: Source) -> None:
        """Take a planned document, with its data after reading, into the index."""
        values = source["staged"], json.dumps(source, ensure_ascii=False), source["collection"], source["law_id"]
        query = "UPDATE plan SET staged = ?, source = ?, collection = ?, law_id = ?, taken = 1 WHERE position = ?"
        self.database.execute(query, (*values, position))

    def untake(self, position: int) -> None:
        self.database.execute("UPDATE plan SET taken = 0 WHERE position = ?", (position,))

    # The documents

    @property
    def index(self) -> ProvisionIndex:
        return ProvisionIndex(self.database)

    def forget_documents(self) -> None:
        for table in ("documents", "names", "citations", "wordings"):
            self.database.execute(f"DELETE FROM {table}")

    def number_of(self, collection: str, law_id: str) -> tuple[int, str, str] | None:
        query = "SELECT number, kind, staged FROM documents WHERE collection = ? AND law_id = ?"
        row = self.database.execute(query, (collection, law_id)).fetchone()
        return (row[0], row[1], row[2]) if row else None

    def put_document(
        self,
        position: int,
        kind: str,
        source: Source,
        *,
        characters: int,
        agreement: IndexedAgreement | None = None,
    ) -> int:
        """Insert or replace a document that must be linked and written; return its number."""
        values = {
            "position": position,
            "kind": kind,
            "collection": source["collection"],
            "law_id": source["law_id"],
            "identity": source["identity"],
            "staged": source["staged"],
            "source": json.dumps(source, ensure_ascii=False),
            "title": source["title"],
            "provisions": source["provisions"],
            "parents": source["parents"],
            "last_change": source.get("last_change") or "",
            "characters": characters,
            "agreement": json.dumps(agreement.__dict__, ensure_ascii=False) if agreement else "",
            "dirty": CHANGED,
        }
        updates = ", ".join(f"{name} = excluded.{name}" for name in values)
        [number] = self.database.execute(
            f"INSERT INTO documents ({', '.join(values)}) VALUES ({', '.join(':' + name for name in values)})"
            f" ON CONFLICT (collection, law_id) DO UPDATE SET {updates} RETURNING number",
            values,
        ).fetchone()
        self._put_names(number, source)
        return int(number)

    def keep_document(self, number: int, position: int, source: Source) -> None:
        """Update position and source of a document whose points stay as they are."""
        stored = json.dumps(source, ensure_ascii=False)
        self.database.execute(
            "UPDATE documents SET position = ?, source = ?, identity = ?"
            " WHERE number = ? AND (position, source) != (?, ?)",
            (position, stored, source["identity"], number, position, stored),
        )
        self._put_names(number, source)

    def _put_names(self, number: int, source: Source) -> None:
        names = names_of(source["identity"], source["files"])
        stored = {name for (name,) in self.database.execute("SELECT name FROM names WHERE document = ?", (number,))}
        if stored != set(names):
            self.database.execute("DELETE FROM names WHERE document = ?", (number,))
            rows = [(name, number) for name in names]
            self.database.executemany("INSERT OR REPLACE INTO names VALUES (?, ?)", rows)

    def unplanned(self) -> list[tuple[int, str]]:
        """Return number and law id of the documents of files that the plan has not taken."""
        query = (
            "SELECT number, law_id FROM documents WHERE kind = ? AND NOT EXISTS (SELECT 1 FROM plan WHERE taken"
            " AND plan.collection = documents.collection AND plan.law_id = documents.law_id)"
        )
        return self.database.execute(query, (FILE,)).fetchall()

    def brought(self) -> dict[tuple[str, str], tuple[int, str, str]]:
        """Return number, kind and staged key of the bundled documents, by collection and id."""
        query = "SELECT collection, law_id, number, kind, staged FROM documents WHERE kind NOT IN (?, ?)"
        return {(row[0], row[1]): (row[2], row[3], row[4]) for row in self.database.execute(query, (FILE, GONE))}

    def has_law(self, law_id: str) -> bool:
        return self.source_of(law_id) is not None

    def drop_document(self, number: int) -> None:
        self.database.execute("DELETE FROM names WHERE document = ?", (number,))
        self.database.execute("DELETE FROM citations WHERE document = ?", (number,))
        self.database.execute(
            "UPDATE documents SET kind = ?, dirty = ?, refs = '{}', resolved = 0, unresolved = '{}', stale = '[]' WHERE"
            " number = ?",
            (GONE, CHANGED, number),
        )

    def mark_for_relinking(self, changed: Iterable[ProvisionRef]) -> None:
        """Mark every document that cites a changed provision so that its references are resolved again."""
        asking = "SELECT document FROM citations WHERE law_id = ? AND key = ?"
        query = f"UPDATE documents SET dirty = {RELINK} WHERE dirty != {CHANGED} AND number IN ({asking})"
        self.database.executemany(query, changed)

    def mark_all_for_relinking(self) -> None:
        self.database.execute(f"UPDATE documents SET dirty = {RELINK} WHERE dirty != {CHANGED}")

    def mark_document_for_relinking(self, number: int) -> None:
        query = f"UPDATE documents SET dirty = {RELINK} WHERE dirty != {CHANGED} AND number = ?"
        self.database.execute(query, (number,))

    def to_relink(self) -> list[tuple[int, str, str]]:
        """Return number, collection and staged key of the documents of files that only need relinking."""
        query = "SELECT number, collection, staged FROM documents WHERE dirty = ? AND kind = ? ORDER BY position"
        return self.database.execute(query, (RELINK, FILE)).fetchall()

    def leave(self, numbers: Iterable[int]) -> None:
        """Postpone the relinking of documents to another ingest."""
        query = f"UPDATE documents SET dirty = {LEFT} WHERE dirty = {RELINK} AND number = ?"
        self.database.executemany(query, [(number,) for number in numbers])

    def left(self) -> int:
        """Return the number of documents that still wait for relinking by another ingest."""
        [count] = self.database.execute(f"SELECT count(*) FROM documents WHERE dirty = {LEFT}").fetchone()
        return int(count)

    def to_write(self) -> Iterator[Row]:
        """Yield the documents to be linked and written: those that are gone first, then in order."""
        columns = ", ".join(Row._fields)
        for gone in (1, 0):
            last = (-1, -1)
            query = (
                f"SELECT position, {columns} FROM documents WHERE dirty AND dirty != {LEFT} AND (kind = '{GONE}') = ?"
                f" AND (position, number) > (?, ?) ORDER BY position, number LIMIT {_PAGE}"
            )
            while rows := self.database.execute(query, (gone, *last)).fetchall():
                for row in rows:
                    last = row[0], row[1]
                    yield Row(*row[1:])

    def characters_to_write(self) -> int:
        [total] = self.database.execute(
            f"SELECT sum(characters) FROM documents WHERE dirty AND dirty != {LEFT}"
        ).fetchone()
        return int(total or 0)

    def all_points(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and points of each document."""
        last = 0
        query = f"SELECT number, points FROM documents WHERE number > ? ORDER BY number LIMIT {_PAGE}"
        while rows := self.database.execute(query, (last,)).fetchall():
            for last, points in rows:
                yield last, points

    def put_links(self, number: int, links: Links) -> None:
        """Store the references of a document and the provisions that it looked up."""
        self.database.execute(
            "UPDATE documents SET refs = ?, resolved = ?, unresolved = ?, examples = ?, summaries = ?, stale = ? WHERE"
            " number = ?",
            (
                json.dumps({str(id): refs for id, refs in links.refs.items() if refs}),
                sum(map(len, links.refs.values())),
                json.dumps(links.unresolved),
                json.dumps(links.examples, ensure_ascii=False),
                links.summaries,
                json.dumps(links.stale, ensure_ascii=False),
                number,
            ),
        )
        self.database.execute("DELETE FROM citations WHERE document = ?", (number,))
        rows = [(law_id, key, number) for law_id, key in links.lookups]
        self.database.executemany("INSERT INTO citations VALUES (?, ?, ?)", rows)

    def put_points(self, number: int, points: bytes, words: bytes) -> None:
        query = "UPDATE documents SET points = ?, words = ?, dirty = 0 WHERE number = ?"
        self.database.execute(query, (points, words, number))

    def forget_gone(self) -> None:
        self.database.execute("DELETE FROM documents WHERE kind = ?", (GONE,))

    def finish(self) -> None:
        self.database.execute("DROP TABLE plan")

    def _take_over(self, earlier: dict[str, object]) -> None:
        self.note(packaged="yes" if earlier.get("packaged", True) else "no")
        for position, source in enumerate(cast(Sequence[Source], earlier.get("sources", [])), start=1):
            self.put_files(source["files"])
            self.put_document(position, FILE, source, characters=0)
