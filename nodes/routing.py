"""Routers of the conditional edges of all graphs: pure functions of the state.

The routers of a graph follow the order of its flow.
"""

from collections.abc import Callable
from typing import Literal

from articulado.config.settings import ChunkContext
from state.case import CaseState
from state.ingest import IngestState
from state.rag import RagState
from state.run import RetrievalState


def after_analysis(state: RagState) -> Literal["decompose", "lookup_records"]:
    """Search the index, or with retrieval switched off the packaged records."""
    return "decompose" if state["store"] == "index" else "lookup_records"


def to_retrieve(
    state: RetrievalState,
) -> list[Literal["embed_queries", "encode_sparse"]] | Literal["merge_candidates", "rerank"]:
    """Encode the searches in both spaces at once; skip that without searches, and merging, too, after a refetch."""
    if state["refetched"]:
        return "rerank"
    return ["embed_queries", "encode_sparse"] if state["searches"] else "merge_candidates"


def after_merge(state: RetrievalState) -> Literal["expand_references", "rerank", "nothing"]:
    """Follow the references of the candidates; a case is searched within its scope, and references lead out of it."""
    if state["scope"]:
        return "rerank"
    return "expand_references" if has_candidates(state) else "nothing"


def has_candidates(state: RetrievalState) -> bool:
    """Tell if anything was found, and not only other provisions than those that a look-up asks for."""
    missed = state["turn_question"]["is_lookup"] and not state["direct"] and state["store"] == "index"
    return bool(state["candidates"]) and not missed


def after_retrieve(state: RagState) -> Literal["judge_relevance", "abstain"]:
    """Judge the candidates if there are any, or passages of the document that the question comes with."""
    return "judge_relevance" if has_candidates(state) or state["own"] else "abstain"


def after_judgement(state: RagState) -> Literal["choose_cards", "abstain"]:
    """Go on to the answer, or say what there is instead of one."""
    return "choose_cards" if state["outcome"] == "answer" else "abstain"


def after_verify(state: RagState) -> Literal["refetch", "repair_marks", "close"]:
    """Fetch what the model lacks, the first time that it says so; have an answer marked that is to stay.

    No answer is written a third time. ``close`` is the check by a model if one is configured, else ``finalize``.
    """
    if state["needs"] and not state["retried"] and not state["rewritten"]:
        return "refetch"
    return _with_marks(state)


def after_refetch(state: RagState) -> Literal["rerank", "repair_marks", "close"]:
    """Answer again where there is something new to read."""
    return "rerank" if state["refetched"] else _with_marks(state)


def _with_marks(state: RagState) -> Literal["repair_marks", "close"]:
    """Ask for the markers of an answer that has none, once."""
    return "repair_marks" if state["unpinned"] and not state["rewritten"] else "close"


def after_select_required(state: CaseState) -> Literal["extract_fields", "close_required_data"]:
    """Ask the author only where there is something to read."""
    return "close_required_data" if state["failure"] else "extract_fields"


def after_type_data(state: CaseState) -> Literal["ask_missing", "select_tiers"]:
    """Ask for required data without a value, each once; what was left open is not asked for again."""
    return "ask_missing" if set(state["untyped"]) - set(state["left_open"]) else "select_tiers"


def after_ask_missing(state: CaseState) -> Literal["type_data", "select_tiers"]:
    """Read the data of the answer, if there are any."""
    return "type_data" if set(state["untyped"]) - set(state["left_open"]) else "select_tiers"


def after_select_tiers(state: CaseState) -> Literal["write_response", "close_response"]:
    """Ask the author only where there is something to answer from."""
    return "close_response" if state["failure"] else "write_response"


def after_accept(state: IngestState) -> Literal["download", "discover"]:
    """Ask the gazette only where something is asked of it."""
    request = state["request"]
    of_the_gazette = request.get("boe") or request.get("listing") or request.get("refresh")
    return "download" if of_the_gazette else "discover"


def after_read(state: IngestState) -> Literal["link", "summarize"]:
    """Leave the index alone where it has all this already."""
    return "link" if state["changed"] else "summarize"


def after_link(context: ChunkContext) -> Callable[[IngestState], Literal["contextualize", "write_index"]]:
    """Return the router that lets the reader model write context where the settings ask for it."""

    def after_link(state: IngestState) -> Literal["contextualize", "write_index"]:
        return "contextualize" if context == "reader" else "write_index"

    return after_link


def after_contextualize(state: IngestState) -> Literal["write_index", "summarize"]:
    """Leave the index alone where its cost was declined."""
    return "write_index" if state["changed"] else "summarize"


def after_write(state: IngestState) -> Literal["discover", "summarize"]:
    """Look again at what there is where another ingest has come between."""
    return "discover" if state["stale"] else "summarize"
