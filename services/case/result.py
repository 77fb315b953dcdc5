"""What the author of a case is given, and what the result says of itself: both read off the state."""

from collections.abc import Callable, Sequence

from services.case.author import CaseMaterial
from services.case.collected import conflicting, missing, unreadable
from services.case.context import article_title, render
from state.articles import FieldSpec, details_of
from state.case import CaseMetadata, CaseState, Source
from state.chunks import Chunk


def known_data(state: CaseState) -> dict[str, str]:
    """Return all data of a case: what was collected, and the filter fields, which may be data that it needs."""
    return {**state["filters"], **state["collected"]}


def material_of(state: CaseState, answer_tokens: int, wanted: Sequence[FieldSpec] = ()) -> CaseMaterial:
    """Return what the state holds of a case, for an author; ``wanted`` is what the case needs."""
    chunks = [found["chunk"] for found in state["context"]]
    article = state["article_id"]
    return CaseMaterial(
        inquiry=state["inquiry"],
        chunks=chunks,
        context=render(chunks),
        article_id=article,
        article_title=next((article_title(chunk) for chunk in chunks if chunk["law_id"] == article), article),
        answer_tokens=answer_tokens,
        filters={**state["assumed"], **state["filters"]},
        collected=state["collected"],
        missing=missing(wanted, known_data(state)),
    )


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
