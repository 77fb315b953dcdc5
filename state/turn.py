"""The keys that belong to one turn, and their values when it begins."""

from typing_extensions import TypedDict

from state.chunks import Candidate
from state.values import Citation, Message, Need, Verdict


class Turn(TypedDict):
    """Every per-turn key of the answering graph.

    Left out are what outlives a turn (``turn``, ``transcript``, ``context_chunk_ids``), what load_carryover writes
    beside the node that opens the turn (``carried``, ``missing_carried``), and ``usage``, whose reducer starts anew
    with each turn. ``meant`` is the question as its conversation makes it complete; empty where nothing reads it so.
    ``queries`` are what the reader makes of it, ``searches`` the texts that are searched for: those, and it may be the
    question's own words. ``lexical_only`` is set where they have no dense vectors, because the embedder failed.
    """

    meant: str
    queries: list[str]
    searches: list[str]
    answer: str
    citations: list[Citation]
    used_chunk_ids: list[int]
    dropped_chunk_ids: list[int]
    needs: list[Need]
    retried: bool
    abstained: bool
    verdicts: list[Verdict]
    warnings: list[str]
    conversation: list[Message]
    lexical_only: bool
    direct: list[Candidate]
    found: list[Candidate]
    candidates: list[Candidate]
    context: list[Candidate]
    draft: str
    draft_chunk_ids: list[int]
    refetched: bool


def fresh_turn() -> Turn:
    """Return every per-turn key at rest, so that nothing of the thread's last turn shows through."""
    return {
        "meant": "",
        "queries": [],
        "searches": [],
        "answer": "",
        "citations": [],
        "used_chunk_ids": [],
        "dropped_chunk_ids": [],
        "needs": [],
        "retried": False,
        "abstained": False,
        "verdicts": [],
        "warnings": [],
        "conversation": [],
        "lexical_only": False,
        "direct": [],
        "found": [],
        "candidates": [],
        "context": [],
        "draft": "",
        "draft_chunk_ids": [],
        "refetched": False,
    }
