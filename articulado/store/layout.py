"""Payload layout of chunks in a Qdrant collection, for both stores.

The layout is LangChain's, with two named vectors. The module converts chunks to payloads and back, names
the indexed fields, and orders chunks. ``agreements.json`` lists the collective agreements of a generation
with the scope of each. ``ChunkCache`` keeps the chunks read last.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, cast

from articulado.language.translation import translate
from articulado.legal.agreements.names import ended_note
from articulado.store.generations import INSPECTION_HINT, REBUILD_HINT, write_durably
from articulado.store.rrf import Ranked
from articulado.values.chunks import Agreement, Chunk, with_status_of
from articulado.values.errors import IndexMissing, StoreUnavailable
from articulado.values.protocols import Hit

DENSE = "text-dense"
SPARSE = "text-sparse"

CONTENT = "page_content"
METADATA = "metadata"

ATTRIBUTES = "attributes."
"""What stands before the name of an attribute in the path of its field."""

IndexKind = Literal["keyword", "datetime", "integer"]

INDEXED_FIELDS: Mapping[str, IndexKind] = {
    "law_id": "keyword",
    "provision_key": "keyword",
    "status": "keyword",
    "territory_ccaa": "keyword",
    "territory_municipio": "keyword",
    "valid_from": "datetime",
    "valid_to": "datetime",
    "refs": "integer",
    "chunk_type": "keyword",
    "topic": "keyword",
    "tier": "keyword",
    "provision": "keyword",
    "parent_id": "integer",
    "wording.last_day": "datetime",
}
"""Metadata fields that a filter or a look-up names; on a server each has a payload index, as have the attributes that
chunks have. Without them each search reads every payload (57 instead of 0.6 ms at 6,000 chunks), and a server in strict
mode (``unindexed_filtering_retrieve``) refuses it."""

PAGE_SIZE = 1_000
"""Chunks of one request of a look-up: more than almost any has to return, and about 3 MB."""

POINTS_PER_PARENT = 5
"""Points that are searched for each parent: several children of one parent may be among the best. It is what a parent
has on average; where a few long parents have all the points, a ranking has fewer parents than its limit."""

Payload = dict[str, Any]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+")


class StoredPoint(NamedTuple):
    """A point as a store holds it; the values of a vector that it lacks are ``None``."""

    id: int
    payload: Payload
    dense: Sequence[float] | None
    sparse: Sequence[float] | None

    def chunk(self) -> Chunk:
        """Return the chunk that the payload holds, with the status that it was written with.

        Raises:
            StoreUnavailable: it holds none.
        """
        return to_chunk(self.payload, date.min)

    @classmethod
    def of(cls, id: object, payload: Payload | None, vectors: object) -> "StoredPoint":
        """Return a point as an engine gives it, of which the sparse vector is an object that has ``values``."""
        named = vectors if isinstance(vectors, dict) else {}
        sparse = named.get(SPARSE)
        return cls(int(str(id)), payload or {}, named.get(DENSE), sparse.values if sparse else None)


def field_path(field: str) -> str:
    """Return the payload path of a chunk's field."""
    return f"{METADATA}.{field}"


def indexed_fields(attributes: Iterable[str]) -> dict[str, IndexKind]:
    """Return the fields to index, with the kind of each, where chunks have these attributes."""
    return {**INDEXED_FIELDS, **{f"{ATTRIBUTES}{name}": "keyword" for name in sorted(attributes)}}


def attributes_of(chunk: Chunk) -> set[str]:
    """Return the names of a chunk's attributes that a filter can name: those that are a plain part of a path."""
    return {name for name in chunk["attributes"] if _PLAIN_NAME.fullmatch(name)}


def to_payload(chunk: Chunk) -> Payload:
    """Return the payload of a chunk: its text as content, all else as metadata."""
    metadata = dict(chunk)
    return {CONTENT: metadata.pop("text"), METADATA: metadata}


def to_chunk(payload: Payload, today: date) -> Chunk:
    """Return the chunk that a payload holds, with the status that it has today; an agreement with the note on it.

    Raises:
        StoreUnavailable: it holds none: the store has lost it.
    """
    try:
        chunk = with_status_of(cast(Chunk, {**payload[METADATA], "text": payload[CONTENT]}), today)
    except (KeyError, TypeError) as error:
        raise StoreUnavailable(
            translate("store.payload_damaged", inspection=INSPECTION_HINT, command=REBUILD_HINT)
        ) from error
    note = ended_note(chunk["agreement"], today) if "agreement" in chunk else ""
    return {**chunk, "status_note": f"{chunk['status_note']} {note}".strip()} if note else chunk


def to_hits(ranking: Sequence[Ranked], chunks: Mapping[int, Chunk]) -> list[Hit]:
    """Return the hits of a fused ranking; a point that was deleted meanwhile is left out."""
    return [Hit(chunks[ranked.point], ranked.score, ranked.similarity) for ranked in ranking if ranked.point in chunks]


def order_articles(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return chunks by ascending ``law_id``, ``part`` and ``id``; see ``ChunkStore.select``."""
    return sorted(chunks, key=lambda chunk: (chunk["law_id"], chunk["part"], chunk["id"]))


def order_parts(chunks: Iterable[Chunk], day: date | None = None) -> list[Chunk]:
    """Return the parts of a provision, in order of part.

    Several provisions can share law and key: those of an approving decree and of the text that it approves, or
    successive wordings. They follow one another: first those of the day (today), then those to come, the next one
    first, then those that have ended, the last one first; of equals those with more text.
    """
    today = day or date.today()

    def identity(chunk: Chunk) -> tuple[str, ...]:
        fields = (chunk["collection"], chunk["provision"], chunk["breadcrumb"], chunk["title"])
        return (*fields, chunk["valid_from"] or "")

    def precedence(parts: list[Chunk]) -> tuple[int, int, int, int]:
        begins, ends = (_parse_day(parts[0][bound]) for bound in ("valid_from", "valid_to"))
        group, distance = (2, (today - ends).days) if ends and ends <= today else (0, 0)
        if begins and begins > today:
            group, distance = 1, (begins - today).days
        return group, distance, -sum(len(part["text"]) for part in parts), parts[0]["id"]

    by_identity = sorted(chunks, key=lambda chunk: (identity(chunk), chunk["part"]))
    provisions = sorted((list(parts) for _, parts in groupby(by_identity, identity)), key=precedence)
    return [part for parts in provisions for part in parts]


def order_by_ids(ids: Sequence[int], chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return the chunks in the order of the ids, each once; ids without a chunk are left out."""
    by_id = {chunk["id"]: chunk for chunk in chunks}
    return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


def _parse_day(written: str | None) -> date | None:
    return date.fromisoformat(written) if written else None


AGREEMENTS = "agreements.json"


@dataclass(frozen=True)
class IndexedAgreement:
    """An agreement of an index: its identifier, the name by which it is cited, and its scope."""

    law_id: str
    name: str
    scope: Agreement


def agreements_of(chunks: Iterable[Chunk]) -> tuple[IndexedAgreement, ...]:
    """Return the agreements that chunks are of, each once, by ascending identifier."""
    by_id = {
        chunk["law_id"]: IndexedAgreement(chunk["law_id"], chunk["law_name"], chunk["agreement"])
        for chunk in chunks
        if "agreement" in chunk
    }
    return tuple(agreement for _, agreement in sorted(by_id.items()))


def save_agreements(generation: Path, agreements: Iterable[IndexedAgreement]) -> None:
    """Write the agreements into the folder of a generation.

    Raises:
        ConfigurationError, StoreUnavailable: as ``Generations``.
    """
    listed = [asdict(agreement) for agreement in agreements]
    write_durably(generation / AGREEMENTS, json.dumps(listed, ensure_ascii=False, indent=1))


def load_agreements(generation: Path) -> tuple[IndexedAgreement, ...]:
    """Return the agreements of a generation; one that has none has no file.

    Raises:
        IndexMissing: the file is damaged.
    """
    path = generation / AGREEMENTS
    try:
        return tuple(IndexedAgreement(**agreement) for agreement in json.loads(path.read_bytes()))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        raise IndexMissing(translate("store.points_damaged", path=path, command=REBUILD_HINT)) from error


MAX_CHUNKS = 4_096
"""Chunks that are kept: about 40 MB; a question finds about a hundred."""


class ChunkCache:
    """The chunks of a generation that were read last, by id, as they are on one day; not to be changed by who has them.

    A generation never changes, but what a chunk says of its status does, with the day.
    """

    def __init__(self, capacity: int = MAX_CHUNKS) -> None:
        self._capacity = capacity
        self._chunks: OrderedDict[int, Chunk] = OrderedDict()
        self._day = date.min
        # Collections are searched in threads; a look-up moves the entry, so reading is a change too.
        self._lock = Lock()

    def get(self, ids: Sequence[int], day: date) -> dict[int, Chunk]:
        """Return those of some chunks that are kept, as they are on a day."""
        with self._lock:
            if day != self._day:
                self._chunks.clear()
                self._day = day
            known = {id: self._chunks[id] for id in ids if id in self._chunks}
            for id in known:
                self._chunks.move_to_end(id)
            return known

    def put(self, chunks: Iterable[Chunk], day: date) -> None:
        """Keep chunks as they are on a day; those used longest ago go where there is no room."""
        with self._lock:
            if day != self._day:
                return
            self._chunks.update((chunk["id"], chunk) for chunk in chunks)
            while len(self._chunks) > self._capacity:
                self._chunks.popitem(last=False)
