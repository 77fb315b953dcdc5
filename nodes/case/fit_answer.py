"""Keep the answer within its tokens."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.case.budget import budget_shares
from services.case.items import shorten_answer
from services.case.schema import Answer
from services.protocols import TokenCounter
from state.case import CaseState, Response
from state.context import ResolvedContext


class FitAnswerUpdate(TypedDict):
    """The answer, and the items that had no room in it."""

    response: Response
    dropped_items: list[str]


async def fit_answer(state: CaseState, runtime: Runtime[ResolvedContext], *, counter: TokenCounter) -> FitAnswerUpdate:
    """Drop whole items until the answer has no more than 30 % of the budget: not every model takes a limit."""
    _, tokens = budget_shares(state["budget"])
    # Off the event loop: a model may have written a book.
    answer, dropped = await asyncio.to_thread(shorten_answer, Answer.model_validate(state["response"]), tokens, counter)
    return {"response": answer.model_dump(), "dropped_items": dropped}  # type: ignore[typeddict-item]
