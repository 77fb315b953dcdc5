"""Routers of the conditional edges, in the order of each flow: pure functions of the state."""

from collections.abc import Callable
from typing import Literal

from articulado.config.settings import ChunkContext
from state.case import CaseState
from state.ingest import IngestState
from state.rag import RagState
from state.run import RetrievalState


def after_analysis(state: RagState) -> Literal["decompose", "lookup_records"]:
    return "decompose" if state["store"] == "index" else "lookup_records"


def to_retrieve(
    state: RetrievalState,
) -> list[Literal["embed_queries", "encode_sparse"]] | Literal["merge_candidates", "rerank"]:
    """Encode the searches in both spaces at once; rerank directly after a refetch."""
    if state["refetched"]:
        return "rerank"
    return ["embed_queries", "encode_sparse"] if state["searches"] else "merge_candidates"


def after_merge(state: RetrievalState) -> Literal["expand_references", "rerank", "nothing"]:
    """Follow the references of the candidates, except for a case: they would leave its scope."""
    if state["scope"]:
        return "rerank"
    return "expand_references" if has_candidates(state) else "nothing"


def has_candidates(state: RetrievalState) -> bool:
    """Tell if there are candidates and, for a lookup, the requested provision is among them."""
    missed = state["turn_question"]["is_lookup"] and not state["direct"] and state["store"] == "index"
    return bool(state["candidates"]) and not missed


def after_retrieve(state: RagState) -> Literal["judge_relevance", "abstain"]:
    return "judge_relevance" if has_candidates(state) or state["own"] else "abstain"


def after_judgement(state: RagState) -> Literal["choose_cards", "abstain"]:
    return "choose_cards" if state["outcome"] == "answer" else "abstain"


def after_verify(state: RagState) -> Literal["refetch", "repair_marks", "close"]:
    """Refetch at the model's first request, else repair missing markers; nothing is written a third time."""
    if state["needs"] and not state["retried"] and not state["rewritten"]:
        return "refetch"
    return _with_marks(state)


def after_refetch(state: RagState) -> Literal["rerank", "repair_marks", "close"]:
    return "rerank" if state["refetched"] else _with_marks(state)


def _with_marks(state: RagState) -> Literal["repair_marks", "close"]:
    return "repair_marks" if state["unpinned"] and not state["rewritten"] else "close"


def after_select_required(state: CaseState) -> Literal["extract_fields", "close_required_data"]:
    return "close_required_data" if state["failure"] else "extract_fields"


def after_type_data(state: CaseState) -> Literal["ask_missing", "select_tiers"]:
    """Ask for required data without a value, each field once."""
    return "ask_missing" if set(state["untyped"]) - set(state["left_open"]) else "select_tiers"


def after_ask_missing(state: CaseState) -> Literal["type_data", "select_tiers"]:
    return "type_data" if set(state["untyped"]) - set(state["left_open"]) else "select_tiers"


def after_select_tiers(state: CaseState) -> Literal["write_response", "close_response"]:
    return "close_response" if state["failure"] else "write_response"


def after_accept(state: IngestState) -> Literal["download", "discover"]:
    request = state["request"]
    of_the_gazette = request.get("boe") or request.get("listing") or request.get("refresh")
    return "download" if of_the_gazette else "discover"


def after_read(state: IngestState) -> Literal["link", "summarize"]:
    """Skip writing if the index is up to date."""
    return "link" if state["changed"] else "summarize"


def after_link(context: ChunkContext) -> Callable[[IngestState], Literal["contextualize", "write_index"]]:
    """Return the router to ``contextualize`` if the settings ask for context sentences."""

    def after_link(state: IngestState) -> Literal["contextualize", "write_index"]:
        return "contextualize" if context == "reader" else "write_index"

    return after_link


def after_contextualize(state: IngestState) -> Literal["write_index", "summarize"]:
    """Skip writing if the user declined the cost."""
    return "write_index" if state["changed"] else "summarize"


def after_write(state: IngestState) -> Literal["discover", "summarize"]:
    """Examine the documents again if another ingest has published meanwhile."""
    return "discover" if state["stale"] else "summarize"
