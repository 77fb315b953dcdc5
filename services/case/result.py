"""Read off the state of a case what its author works from, and what its result says of itself."""

from collections.abc import Callable, Sequence

from services.case.author import CaseMaterial
from services.case.collected import conflicting_fields, missing_fields, unreadable_fields
from services.case.context import article_title, render
from state.articles import FieldSpec, details_of
from state.case import CaseMetadata, CaseState, Source
from state.chunks import Chunk


def case_data(state: CaseState) -> dict[str, str]:
    """Return all data of a case: what was collected, and the filter fields, which may be data that it needs."""
    return {**state["filters"], **state["collected"]}


def case_material(state: CaseState, answer_tokens: int, specs: Sequence[FieldSpec] = ()) -> CaseMaterial:
    """Return what an author works from; ``specs`` are the fields that the case needs."""
    chunks = [candidate["chunk"] for candidate in state["context"]]
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
        missing=missing_fields(specs, case_data(state)),
    )


def case_metadata(state: CaseState, answer_tokens: int) -> CaseMetadata:
    """Return the metadata of a case; ``answer_tokens`` are those of its answer."""
    return {
        "article_id": state["article_id"],
        "token_count": state["context_tokens"] + answer_tokens,
        "context_tokens": state["context_tokens"],
        "answer_tokens": answer_tokens,
        "chunks_used": len(state["context"]),
        "chunk_ids": [candidate["chunk"]["id"] for candidate in state["context"]],
        "raw_confidence": state["raw_confidence"],
        "missing_data": missing_fields(state["wanted"], case_data(state)),
        "unreadable_data": unreadable_fields(state["wanted"], case_data(state)),
        "conflicting_data": conflicting_fields(state["wanted"], case_data(state)),
        "dropped_items": state["dropped_items"],
    }


def case_sources(state: CaseState, tier_of: Callable[[Chunk], str] = lambda chunk: chunk["tier"]) -> list[Source]:
    """Return the chunks that the author was shown, in their order; ``tier_of`` returns the tier that each had there."""
    return [_source(candidate["chunk"], tier_of(candidate["chunk"])) for candidate in state["context"]]


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
