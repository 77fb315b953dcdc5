"""Payloads of chunks in a Qdrant collection (LangChain's layout, two named vectors), and orders of chunks."""

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

ATTRIBUTES = "attributes."  # prefix of an attribute in a field path

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
"""Metadata fields used by filters; without a payload index a server reads every payload, or refuses (strict mode)."""

PAGE_SIZE = 1_000  # chunks of one look-up request, about 3 MB

POINTS_PER_PARENT = 5  # points searched for each wanted parent: the average number of a parent's points

Payload = dict[str, Any]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+")


class StoredPoint(NamedTuple):
    """A point as a store holds it; a missing vector is ``None``."""

    id: int
    payload: Payload
    dense: Sequence[float] | None
    sparse: Sequence[float] | None

    def chunk(self) -> Chunk:
        """Return the chunk with its stored status; raise ``StoreUnavailable`` if the payload is damaged."""
        return to_chunk(self.payload, date.min)

    @classmethod
    def of(cls, id: object, payload: Payload | None, vectors: object) -> "StoredPoint":
        named = vectors if isinstance(vectors, dict) else {}
        sparse = named.get(SPARSE)
        return cls(int(str(id)), payload or {}, named.get(DENSE), sparse.values if sparse else None)


def field_path(field: str) -> str:
    return f"{METADATA}.{field}"


def indexed_fields(attributes: Iterable[str]) -> dict[str, IndexKind]:
    return {**INDEXED_FIELDS, **{f"{ATTRIBUTES}{name}": "keyword" for name in sorted(attributes)}}


def attributes_of(chunk: Chunk) -> set[str]:
    """Return the names of attributes that a filter can use in a path."""
    return {name for name in chunk["attributes"] if _PLAIN_NAME.fullmatch(name)}


def to_payload(chunk: Chunk) -> Payload:
    metadata = dict(chunk)
    return {CONTENT: metadata.pop("text"), METADATA: metadata}


def to_chunk(payload: Payload, today: date) -> Chunk:
    """Return the chunk of a payload as of a day; raise ``StoreUnavailable`` if the payload is damaged."""
    try:
        chunk = with_status_of(cast(Chunk, {**payload[METADATA], "text": payload[CONTENT]}), today)
    except (KeyError, TypeError) as error:
        raise StoreUnavailable(
            translate("store.payload_damaged", inspection=INSPECTION_HINT, command=REBUILD_HINT)
        ) from error
    note = ended_note(chunk["agreement"], today) if "agreement" in chunk else ""
    return {**chunk, "status_note": f"{chunk['status_note']} {note}".strip()} if note else chunk


def to_hits(ranking: Sequence[Ranked], chunks: Mapping[int, Chunk]) -> list[Hit]:
    return [Hit(chunks[ranked.point], ranked.score, ranked.similarity) for ranked in ranking if ranked.point in chunks]


def order_articles(chunks: Iterable[Chunk]) -> list[Chunk]:
    return sorted(chunks, key=lambda chunk: (chunk["law_id"], chunk["part"], chunk["id"]))


def order_parts(chunks: Iterable[Chunk], day: date | None = None) -> list[Chunk]:
    """Return the parts of provisions that share law and key, in force first, then to come, then ended.

    Such provisions are a decree and the text that it approves, or successive wordings; the nearest in time come first,
    ties by longer text.
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
    by_id = {chunk["id"]: chunk for chunk in chunks}
    return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


def _parse_day(written: str | None) -> date | None:
    return date.fromisoformat(written) if written else None


AGREEMENTS = "agreements.json"


@dataclass(frozen=True)
class IndexedAgreement:
    """An agreement of an index: identifier, citation name, and scope."""

    law_id: str
    name: str
    scope: Agreement


def save_agreements(generation: Path, agreements: Iterable[IndexedAgreement]) -> None:
    listed = [asdict(agreement) for agreement in agreements]
    write_durably(generation / AGREEMENTS, json.dumps(listed, ensure_ascii=False, indent=1))


def load_agreements(generation: Path) -> tuple[IndexedAgreement, ...]:
    """Return the agreements of a generation, if any; raise ``IndexMissing`` if the file is damaged."""
    path = generation / AGREEMENTS
    try:
        return tuple(IndexedAgreement(**agreement) for agreement in json.loads(path.read_bytes()))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        raise IndexMissing(translate("store.points_damaged", path=path, command=REBUILD_HINT)) from error


MAX_CHUNKS = 4_096  # cached chunks, about 40 MB; a question needs about a hundred


class ChunkCache:
    """Chunks read last, by id, with their status on one day; callers must not change them."""

    def __init__(self, capacity: int = MAX_CHUNKS) -> None:
        self._capacity = capacity
        self._chunks: OrderedDict[int, Chunk] = OrderedDict()
        self._day = date.min
        # Collections are searched in threads; a look-up moves the entry, so reading is a change too.
        self._lock = Lock()

    def get(self, ids: Sequence[int], day: date) -> dict[int, Chunk]:
        """Return the cached ones of some chunks; a new day empties the cache."""
        with self._lock:
            if day != self._day:
                self._chunks.clear()
                self._day = day
            known = {id: self._chunks[id] for id in ids if id in self._chunks}
            for id in known:
                self._chunks.move_to_end(id)
            return known

    def put(self, chunks: Iterable[Chunk], day: date) -> None:
        """Add chunks; drop the least recently used ones of a full cache."""
        with self._lock:
            if day != self._day:
                return
            self._chunks.update((chunk["id"], chunk) for chunk in chunks)
            while len(self._chunks) > self._capacity:
                self._chunks.popitem(last=False)
