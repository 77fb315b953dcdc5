"""Which chunks go into the context of a case: whole ones, by tier, within a budget of tokens."""

from collections.abc import Sequence
from itertools import count

from articulado.language.languages import Language
from articulado.values.chunks import Chunk
from articulado.values.errors import InsufficientContext
from articulado.values.protocols import TokenCounter
from services.case.context import render

CONTEXT_SHARE = 0.7
"""Of ``max_tokens``; the rest is for the answer."""


def budget_shares(max_tokens: int) -> tuple[int, int]:
    """Return the tokens for context and answer, 70 % and 30 %; together they are ``max_tokens``.

    >>> budget_shares(3000)
    (2100, 900)
    """
    context = int(max_tokens * CONTEXT_SHARE)
    return context, max_tokens - context


def least_max_tokens(context: int, answer: int) -> int:
    """Return the least ``max_tokens`` whose shares hold a context and an answer of so many tokens.

    >>> least_max_tokens(700, 0), least_max_tokens(700, 600)
    (1000, 1997)
    """
    return next(
        tokens
        for tokens in count(context + answer)
        if all(share >= needed for share, needed in zip(budget_shares(tokens), (context, answer), strict=True))
    )


def fit_chunks(
    always: Sequence[Chunk], others: Sequence[Chunk], budget: int, counter: TokenCounter
) -> tuple[list[Chunk], int]:
    """Return ``always``, and after it those of the others, in their order, that fit the budget; and the tokens.

    The text is counted whole each time: tokens of parts need not add up to those of the whole. A chunk that is too
    long does not keep a shorter one after it out. ``always`` may exceed the budget by itself.
    """
    chosen = list(always)
    spent = counter.count(render(chosen))
    for chunk in others:
        if (tokens := counter.count(render([*chosen, chunk]))) <= budget:
            chosen.append(chunk)
            spent = tokens
    return chosen, spent


def tokens_up_to(
    always: Sequence[Chunk], others: Sequence[Chunk], wanted: Sequence[Chunk], counter: TokenCounter
) -> int:
    """Return the tokens of ``always`` and, after it, the others up to the last wanted one: a budget for these."""
    wanted_ids = {chunk["id"] for chunk in wanted}
    end = max((place for place, chunk in enumerate(others, start=1) if chunk["id"] in wanted_ids), default=0)
    return counter.count(render([*always, *others[:end]]))


def check_critical(critical: Sequence[Chunk], max_tokens: int, counter: TokenCounter, language: Language) -> None:
    """Check that the chunks that may not be left out fit the context's share.

    Raises:
        InsufficientContext: they do not; the message names their tokens, the share, and the minimum of ``max_tokens``.
    """
    budget, _ = budget_shares(max_tokens)
    needed = counter.count(render(critical))
    if needed > budget:
        least = least_max_tokens(needed, 0)
        raise InsufficientContext(
            language.translate(
                "case_critical_does_not_fit", needed=needed, budget=budget, maximum=max_tokens, least=least
            )
        )


def check_enough(tokens: int, minimum: int, language: Language) -> None:
    """Check that a context has enough text to be answered from.

    Raises:
        InsufficientContext: it has fewer tokens than the profile asks for.
    """
    if tokens < minimum:
        raise InsufficientContext(language.translate("case_insufficient_context", tokens=tokens, minimum=minimum))
