"""What the result of a case says of itself."""

from collections.abc import Callable

from nodes.case.material import known_data
from services.case.collected import conflicting, missing, unreadable
from services.case.context import article_title
from state.articles import details_of
from state.case import CaseMetadata, CaseState, Source
from state.chunks import Chunk


def metadata_of(state: CaseState, answer_tokens: int) -> CaseMetadata:
    """Return the account of a case; ``answer_tokens`` is what its answer counts."""
    return {
        "article_id": state["article_id"],
        "token_count": state["context_tokens"] + answer_tokens,
        "context_tokens": state["context_tokens"],
        "answer_tokens": answer_tokens,
        "chunks_used": len(state["context"]),
        "chunk_ids": [found["chunk"]["id"] for found in state["context"]],
        "raw_confidence": state["raw_confidence"],
        "missing_data": missing(state["wanted"], known_data(state)),
        "unreadable_data": unreadable(state["wanted"], known_data(state)),
        "conflicting_data": conflicting(state["wanted"], known_data(state)),
        "dropped_items": state["dropped_items"],
    }


def sources_of(state: CaseState, tier_of: Callable[[Chunk], str] = lambda chunk: chunk["tier"]) -> list[Source]:
    """Return the chunks that the author was shown, in their order; ``tier_of`` says what each was there."""
    return [_source(found["chunk"], tier_of(found["chunk"])) for found in state["context"]]


def _source(chunk: Chunk, tier: str) -> Source:
    return {
        "chunk_id": chunk["id"],
        "article_id": chunk["law_id"],
        "article_title": article_title(chunk),
        "title": chunk["title"],
        "chunk_type": chunk["chunk_type"],
        "tier": tier,
        "provisions": details_of(chunk).get("provisions", []),
        "url": chunk["url"],
    }
