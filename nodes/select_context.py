"""Choose the chunks that the principal will read."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.prompting.fragments import SEPARATOR, render
from services.protocols import TokenCounter
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState

EXTRA_AFTER_REFETCH = 5


class SelectContextUpdate(TypedDict):
    """What the principal will read, in its order."""

    context: list[Candidate]


async def select_context(
    state: RagState, runtime: Runtime[ResolvedContext], *, counter: TokenCounter, context_tokens: int
) -> SelectContextUpdate:
    """Keep the best chunks, whole, within their number and the token budget; the best one always fits.

    What the model asked for (``need``) is let in before the caps are reached: it was fetched for that.
    """
    limit = runtime.context.max_chunks_in_prompt + (EXTRA_AFTER_REFETCH if state["refetched"] else 0)
    ranked = sorted(state["candidates"], key=preference)
    needed_first = sorted(ranked, key=lambda candidate: "need" not in candidate["origins"])
    separator = counter.count(f"\n{SEPARATOR}\n")
    chosen: set[int] = set()
    spent = 0
    for candidate in needed_first:
        cost = counter.count(render([candidate])) + separator
        if len(chosen) < limit and (not chosen or spent + cost <= context_tokens):
            chosen.add(candidate["chunk"]["id"])
            spent += cost
    return {"context": [candidate for candidate in ranked if candidate["chunk"]["id"] in chosen]}


def preference(candidate: Candidate) -> tuple[bool, float, float, str, str, int, int]:
    """Sort key: the final score decides, candidates without one come after, then the search score.

    Ties: the parts of a provision together and in their order, then by id.
    """
    score, chunk = candidate.get("final_score"), candidate["chunk"]
    tie_break = (chunk["law_id"], chunk["provision_key"], chunk["part"], chunk["id"])
    return score is None, -(score or 0.0), -candidate["score"], *tie_break
