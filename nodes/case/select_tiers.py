"""Select the context of a response: every critical chunk, then the other chunks tier by tier."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.budget import (
    budget_shares,
    check_critical,
    check_enough,
    essential_chunks,
    fit_chunks,
    least_for_answer,
    least_max_tokens,
    tokens_up_to,
)
from articulado.cases.choice import found_by, of_article, order_by_tier, with_article
from articulado.cases.confidence import raw_confidence
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.retrieval.fusion import candidate
from articulado.values.cases import CaseFailure, LeftOut
from articulado.values.chunks import Candidate, Chunk
from articulado.values.errors import InsufficientContext
from articulado.values.protocols import TokenCounter
from nodes.case.result import left_out_of, titles_of
from state.case import CaseState
from state.context import ResolvedContext

CRITICAL_SCORE = 1.0
"""Score of critical chunks, which the search did not rank."""


class SelectTiersUpdate(TypedDict, total=False):
    """The context with its raw confidence, or the failure that leaves it empty."""

    context: list[Candidate]
    context_tokens: int
    essential_tokens: int
    left_out: list[LeftOut]
    warnings: list[str]
    raw_confidence: float
    failure: CaseFailure | None


async def select_tiers(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    counter: TokenCounter,
    language: Language,
) -> SelectTiersUpdate:
    """Keep all critical chunks, those of the article first, then the others by tier within the token budget.

    Reads ``critical``, ``of_article``, ``candidates``, ``found``, ``inquiry``, ``budget``, ``article_id`` and
    ``failure``.
    """
    critical = _critical(state, profile.case.tiers.critical)
    raw = raw_confidence(
        of_article(found_by(state["found"], state["inquiry"]), state["article_id"]),
        of_article(state["candidates"], state["article_id"]),
        len(critical),
    )
    if state["failure"]:
        return {"raw_confidence": raw, "context": []}
    candidates = with_article(state["candidates"], state["of_article"])
    others = order_by_tier(candidates, state["article_id"], profile.case.tiers.types)
    own = [chunk for chunk in [*critical, *others] if chunk["law_id"] == state["article_id"]]
    essential_tokens = tokens_up_to(critical, others, essential_chunks(own), counter)
    update: SelectTiersUpdate = {"raw_confidence": raw, "essential_tokens": essential_tokens, "context": []}
    try:
        with _advice(own, essential_tokens, counter, language):
            check_critical(critical, state["budget"], counter, language)
        chunks, tokens = fit_chunks(critical, others, budget_shares(state["budget"])[0], counter)
        check_enough(tokens, profile.case.min_context_tokens, language)
    except InsufficientContext as error:
        return {**update, "failure": {"error": "InsufficientContext", "message": str(error)}}
    left_out = [chunk for chunk in own if chunk not in chunks]
    by_id = {candidate["chunk"]["id"]: candidate for candidate in candidates}
    return {
        **update,
        "context": [by_id.get(chunk["id"]) or candidate(chunk, CRITICAL_SCORE, "direct") for chunk in chunks],
        "context_tokens": tokens,
        "left_out": left_out_of(left_out),
        "warnings": _warnings(critical, others, left_out, counter, language),
    }


@contextmanager
def _advice(
    article: Sequence[Chunk], essential_tokens: int, counter: TokenCounter, language: Language
) -> Iterator[None]:
    """Add to the error the budget for a whole answer: room for critical chunks may leave none for steps."""
    try:
        yield
    except InsufficientContext as error:
        least = least_for_answer(article, essential_tokens, counter)
        raise InsufficientContext(language.translate("case_least_for_answer", short=error, least=least)) from error


def _critical(state: CaseState, types: Sequence[str]) -> list[Chunk]:
    order = {name: position for position, name in enumerate(types)}
    return sorted(
        state["critical"],
        key=lambda chunk: (
            chunk["law_id"] != state["article_id"],
            chunk["law_id"],
            order.get(chunk["chunk_type"], len(order)),
            chunk["part"],
        ),
    )


def _warnings(
    critical: Sequence[Chunk],
    others: Sequence[Chunk],
    left_out: Sequence[Chunk],
    counter: TokenCounter,
    language: Language,
) -> list[str]:
    if not left_out:
        return []
    least = least_max_tokens(tokens_up_to(critical, others, left_out, counter), 0)
    return [language.translate("case_left_out", parts=titles_of(left_out), least=least)]
