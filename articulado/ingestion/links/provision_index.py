"""SQLite index of citable provisions: the wording in force on a given day. Days are ISO 8601."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple, Self

from articulado.legal.laws.mentions import current_law
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk, ProvisionRef

SCHEMA = """
CREATE TABLE IF NOT EXISTS wordings (
    law_id TEXT NOT NULL, asked TEXT NOT NULL, alias INTEGER NOT NULL, valid_from TEXT NOT NULL, part INTEGER NOT NULL,
    id INTEGER NOT NULL, provision_key TEXT NOT NULL, valid_to TEXT, apartados TEXT NOT NULL,
    official INTEGER NOT NULL, document INTEGER NOT NULL,
    PRIMARY KEY (law_id, asked, alias, valid_from, part, id)
) WITHOUT ROWID;
"""
"""A row per part of each wording and key that it answers for; ``alias`` is 0 for its own key."""

_FOREVER = "9999"
_CACHED = 4_096
_BEGINS = re.compile(r"(?:^|\n\n)(\w{1,15}(?: \w{1,15})?)(?:\.º|\.ª|\.) ")


class Part(NamedTuple):
    """Part of a wording that a citation can lead to; days are ISO 8601, an unknown ``valid_from`` is empty."""

    id: int
    law_id: str
    provision_key: str
    part: int
    valid_from: str
    valid_to: str | None
    apartados: str

    def has_apartado(self, apartado: str) -> bool:
        """Tell if an apartado ("2 bis") begins in the part."""
        return f"|{apartado}|" in self.apartados

    def in_force(self, day: str) -> bool:
        return self.valid_from <= day < (self.valid_to or _FOREVER)


class ProvisionIndex:
    """Citable provisions by law and key; ``lookups`` records those asked for, whose change triggers a new link."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows = lru_cache(maxsize=_CACHED)(self._read_rows)
        self.lookups: set[ProvisionRef] = set()

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Self:
        """Return an index of chunks, in memory."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.executescript(SCHEMA)
        index = cls(database)
        index.put(0, list(chunks))
        return index

    def put(self, document: int, chunks: Sequence[Chunk]) -> set[ProvisionRef]:
        """Replace the citable provisions of a document; return law and key of those changed."""
        rows = {(law_id, asked): parts for law_id, asked, parts in _rows_of(document, chunks)}
        changed: set[ProvisionRef] = set()
        for law_id in {chunk["law_id"] for chunk in chunks}:
            before = self._of_document(law_id, document)
            after = {asked: parts for (law, asked), parts in rows.items() if law == law_id}
            differing = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
            changed.update((law_id, key) for key in differing)
            if _has_text(before.values()) != _has_text(after.values()):
                changed.add((law_id, ""))
            self._delete(law_id, differing, document)
            self._database.executemany(
                "INSERT OR REPLACE INTO wordings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [row for key in differing for row in after.get(key, [])],
            )
        self._rows.cache_clear()
        return changed

    def remove(self, document: int, law_id: str) -> set[ProvisionRef]:
        """Remove a document; return law and key of its provisions."""
        before = self._of_document(law_id, document)
        self._delete(law_id, before, document)
        self._rows.cache_clear()
        return {(law_id, key) for key in [*before, *([""] if before else [])]}

    def has_text(self, law_id: str) -> bool:
        """Tell if any provision of a law is indexed with its own text, instead of packaged records."""
        self.lookups.add((law_id, ""))
        query = "SELECT 1 FROM wordings WHERE law_id = ? AND official LIMIT 1"
        return self._database.execute(query, (law_id,)).fetchone() is not None

    def has(self, law_id: str | None, key: str) -> bool:
        return bool(self._asked(law_id or "", key))

    def has_itself(self, law_id: str, key: str) -> bool:
        """Tell if a provision with this key is indexed, instead of another that answers for it."""
        return any(part.provision_key == key for part in self._asked(law_id, key))

    def wording_on(self, law_id: str, key: str, day: str) -> list[Part]:
        """Return the parts of the wording in force on a day, else of the last before, else of the first after."""
        wordings = [list(parts) for _, parts in groupby(self._asked(law_id, key), lambda part: part.valid_from)]
        begun = [parts for parts in wordings if parts[0].valid_from <= day]
        return begun[-1] if begun else wordings[0] if wordings else []

    def wording_or_successor(self, law_id: str, key: str, day: str) -> list[Part]:
        """Return ``wording_on``, or that of a successor with the same numbers if only this is in force on the day."""
        parts = self.wording_on(law_id, key, day)
        known = known_laws().get(law_id)
        if known is None or (parts and parts[0].in_force(day)):
            return parts
        successors = self.wording_on(current_law(known).id, key, day)
        return successors if successors and successors[0].in_force(day) else parts

    def turned_between(self, day: str, today: str) -> Iterator[ProvisionRef]:
        """Yield law and key of the wordings that began or ended after ``day`` up to ``today``."""
        query = (
            "SELECT DISTINCT law_id, asked FROM wordings"
            " WHERE (valid_from > ?1 AND valid_from <= ?2) OR (valid_to > ?1 AND valid_to <= ?2)"
        )
        yield from self._database.execute(query, (day, today))

    def _asked(self, law_id: str, key: str) -> tuple[Part, ...]:
        self.lookups.add((law_id, key))
        return self._rows(law_id, key)

    def _read_rows(self, law_id: str, key: str) -> tuple[Part, ...]:
        query = (
            "SELECT alias, id, law_id, provision_key, part, valid_from, valid_to, apartados FROM wordings"
            " WHERE law_id = ? AND asked = ? ORDER BY alias, valid_from, part"
        )
        rows = self._database.execute(query, (law_id, key)).fetchall()
        return tuple(Part(*row[1:]) for row in takewhile(lambda row: row[0] == rows[0][0], rows))

    def _of_document(self, law_id: str, document: int) -> dict[str, list[tuple[object, ...]]]:
        query = "SELECT * FROM wordings WHERE law_id = ? AND document = ? ORDER BY asked, alias, valid_from, part, id"
        rows = self._database.execute(query, (law_id, document))
        return {asked: list(group) for asked, group in groupby(rows, lambda row: row[1])}

    def _delete(self, law_id: str, keys: Collection[str], document: int) -> None:
        self._database.executemany(
            "DELETE FROM wordings WHERE law_id = ? AND asked = ? AND document = ?",
            [(law_id, key, document) for key in keys],
        )


class OwnProvisions:
    """Wordings and neighbouring provisions of the citing texts."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._wordings: dict[ProvisionRef, dict[str, list[Chunk]]] = {}
        rows: dict[tuple[str, str, str], dict[str, int]] = {}
        for chunk in chunks:
            law_id, key = chunk["law_id"], chunk["provision_key"]
            self._wordings.setdefault((law_id, key), {}).setdefault(chunk["valid_from"] or "", []).append(chunk)
            row = rows.setdefault((law_id, key.partition(":")[0], key.partition("~")[2]), {})
            row.setdefault(key, len(row))
        for parts in (parts for wordings in self._wordings.values() for parts in wordings.values()):
            parts.sort(key=lambda part: part["part"])
        self._rows = {of: (list(row), row) for of, row in rows.items()}

    def parts(self, chunk: Chunk) -> list[Chunk]:
        return self._wordings[chunk["law_id"], chunk["provision_key"]][chunk["valid_from"] or ""]

    def neighbours(self, chunk: Chunk) -> tuple[str | None, str | None]:
        """Return the keys of the same-kind provisions before and after a chunk's, on its first day."""
        law_id, key, day = chunk["law_id"], chunk["provision_key"], chunk["valid_from"] or ""
        row, places = self._rows[law_id, key.partition(":")[0], key.partition("~")[2]]
        at = places[key]
        before = (row[place] for place in range(at - 1, -1, -1) if self._existed(law_id, row[place], day))
        after = (row[place] for place in range(at + 1, len(row)) if self._existed(law_id, row[place], day))
        return next(before, None), next(after, None)

    def _existed(self, law_id: str, key: str, day: str) -> bool:
        wordings = self._wordings[law_id, key].values()
        return not day or any(
            (parts[0]["valid_from"] or "") <= day < (parts[0]["valid_to"] or _FOREVER) for parts in wordings
        )


def _rows_of(document: int, chunks: Sequence[Chunk]) -> Iterator[tuple[str, str, list[tuple[object, ...]]]]:
    """Yield law, key and rows; a range ("art:93-97") and a duplicate ("art:5~2") answer for keys without their own."""
    by_provision: dict[ProvisionRef, list[Chunk]] = {}
    for chunk in chunks:
        by_provision.setdefault((chunk["law_id"], chunk["provision_key"]), []).append(chunk)
    rows: dict[ProvisionRef, list[tuple[object, ...]]] = {}
    for number, ((law_id, key), parts) in enumerate(by_provision.items(), start=1):
        for alias, asked in ((0, key), *((number, other) for other in _answers_for(key))):
            rows.setdefault((law_id, asked), []).extend(_row(document, asked, alias, part) for part in parts)
    for (law_id, asked), of_key in rows.items():
        yield law_id, asked, sorted(of_key, key=lambda row: row[2:6])


def _answers_for(key: str) -> list[str]:
    kind, _, number = key.partition(":")
    low, _, high = number.partition("-")
    inside = range(int(low), int(high) + 1) if low.isdigit() and high.isdigit() else ()
    plain = key.partition("~")[0]
    return [*(f"{kind}:{number}" for number in inside), *([plain] if plain != key else [])]


def _row(document: int, asked: str, alias: int, chunk: Chunk) -> tuple[object, ...]:
    begun = dict.fromkeys(_BEGINS.findall(chunk["text"]))
    return (
        chunk["law_id"],
        asked,
        alias,
        chunk["valid_from"] or "",
        chunk["part"],
        chunk["id"],
        chunk["provision_key"],
        chunk["valid_to"],
        f"|{'|'.join(begun)}|" if begun else "",
        int(chunk["source"] == "official"),
        document,
    )


def _has_text(rows: Iterable[list[tuple[object, ...]]]) -> bool:
    return any(row[9] for of_key in rows for row in of_key)
