"""Stable identifiers of chunks."""

from hashlib import blake2b

from state.chunks import MAX_CHUNK_ID


def chunk_id(collection: str, law_id: str, label: str, valid_from: str | None, part: int, child: int = 0) -> int:
    """Return the id of a chunk: 53 bits of BLAKE2b over what it is, the same in every build.

    ``label`` tells the provisions of a law apart: the canonical key, so that all sources of a law agree.
    ``part`` counts from 1; ``child`` is 0 for a parent.
    """
    name = "\x1f".join((collection, law_id, label, valid_from or "", str(part), str(child)))
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") & MAX_CHUNK_ID
