"""Fit the answer into its token budget, and report the parts of the article that it lacks."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.author import Answer
from articulado.cases.budget import budget_shares, find_shortfall, fit_calculations, shorten_answer
from articulado.values.cases import Response, Shortfall
from articulado.values.protocols import TokenCounter
from state.case import CaseState
from state.context import ResolvedContext


class FitAnswerUpdate(TypedDict):
    """The answer, the dropped items, and the missing parts of the article."""

    response: Response
    dropped_items: list[str]
    shortfall: Shortfall


async def fit_answer(state: CaseState, runtime: Runtime[ResolvedContext], *, counter: TokenCounter) -> FitAnswerUpdate:
    """Put worked calculations first, and drop whole items until the answer has at most 30 % of the budget.

    Reads ``response``, ``worked``, ``budget``, ``context``, ``critical``, ``of_article`` and ``article_id``.
    """
    _, tokens = budget_shares(state["budget"])
    # Off the event loop: a model may have written a book.
    written = Answer.model_validate(state["response"])
    draft, cut = await asyncio.to_thread(fit_calculations, state["worked"], written, tokens, counter)
    answer, dropped = await asyncio.to_thread(shorten_answer, draft, tokens, counter)
    article = [chunk for chunk in [*state["critical"], *state["of_article"]] if chunk["law_id"] == state["article_id"]]
    shown = {candidate["chunk"]["id"] for candidate in state["context"]}
    shortfall = await asyncio.to_thread(
        find_shortfall,
        draft,
        answer,
        article,
        [chunk for chunk in article if chunk["id"] in shown],
        state["essential_tokens"],
        counter,
    )
    return {
        "response": answer.model_dump(),  # type: ignore[typeddict-item]
        "dropped_items": [*cut, *dropped],
        "shortfall": shortfall,
    }
