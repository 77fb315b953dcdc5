"""How chunks lie in a Qdrant collection, in both stores: LangChain's layout, with two named vectors."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, cast

from services.protocols import Hit
from services.store.rrf import Scored
from state.chunks import Chunk

DENSE = "text-dense"
SPARSE = "text-sparse"

CONTENT = "page_content"
METADATA = "metadata"

INDEXED_FIELDS: Mapping[str, Literal["keyword", "datetime"]] = {
    "law_id": "keyword",
    "provision_key": "keyword",
    "status": "keyword",
    "territory_ccaa": "keyword",
    "territory_municipio": "keyword",
    "valid_from": "datetime",
    "valid_to": "datetime",
}
"""Metadata fields with a payload index: those that a filter or a look-up names. Without them each search reads every
payload (57 instead of 0.6 ms at 6,000 chunks)."""

MAX_PARTS = 1_000
"""More chunks than one provision can have: a look-up needs no second page."""

Payload = dict[str, Any]


def field_path(field: str) -> str:
    """Return the payload path of a chunk's field."""
    return f"{METADATA}.{field}"


def to_payload(chunk: Chunk) -> Payload:
    """Return the payload of a chunk: its text as content, all else as metadata."""
    metadata = dict(chunk)
    return {CONTENT: metadata.pop("text"), METADATA: metadata}


def to_chunk(payload: Payload) -> Chunk:
    """Return the chunk that a payload holds."""
    return cast(Chunk, {**payload[METADATA], "text": payload[CONTENT]})


def to_hits(ranking: Sequence[Scored], payloads: Mapping[int, Payload]) -> list[Hit]:
    """Return the hits of a fused ranking."""
    return [Hit(to_chunk(payloads[point]), score) for point, score in ranking]


def parts_in_order(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return the parts of a provision, in order of part; children of a part are left out.

    Several provisions can share law and key: those of an approving decree and of the text that it approves, or
    successive wordings. They follow one another: first those still valid, then those with more text.
    """

    def identity(chunk: Chunk) -> tuple[str, ...]:
        fields = (chunk["collection"], chunk["provision"], chunk["breadcrumb"], chunk["title"])
        return (*fields, chunk["valid_from"] or "")

    def precedence(parts: list[Chunk]) -> tuple[bool, int, int]:
        return parts[0]["valid_to"] is not None, -sum(len(part["text"]) for part in parts), parts[0]["id"]

    whole = sorted((chunk for chunk in chunks if chunk["parent_id"] is None), key=lambda c: (identity(c), c["part"]))
    provisions = sorted((list(parts) for _, parts in groupby(whole, identity)), key=precedence)
    return [part for parts in provisions for part in parts]


def in_order(ids: Sequence[int], found: Iterable[Chunk]) -> list[Chunk]:
    """Return the chunks in the order of the ids, each once; ids that were not found are left out."""
    by_id = {chunk["id"]: chunk for chunk in found}
    return [by_id[point] for point in dict.fromkeys(ids) if point in by_id]
