"""Which chunks go into the context of a case: whole ones, by tier, within a budget of tokens."""

from collections.abc import Sequence

from language.languages import Language
from services.case.context import render
from services.protocols import TokenCounter
from state.chunks import Chunk
from state.errors import InsufficientContext

CONTEXT_SHARE = 0.7
"""Of ``max_tokens``; the rest is for the answer."""


def budget_shares(max_tokens: int) -> tuple[int, int]:
    """Return the tokens for context and answer, 70 % and 30 %; together they are ``max_tokens``.

    >>> budget_shares(3000)
    (2100, 900)
    """
    context = int(max_tokens * CONTEXT_SHARE)
    return context, max_tokens - context


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


def check_critical(critical: Sequence[Chunk], max_tokens: int, counter: TokenCounter, language: Language) -> None:
    """Check that the chunks that may not be left out fit the context's share.

    Raises:
        InsufficientContext: they do not; the message names their tokens, the share, and the minimum of ``max_tokens``.
    """
    budget, _ = budget_shares(max_tokens)
    needed = counter.count(render(critical))
    if needed > budget:
        minimum = next(
            tokens
            for tokens in range(int(needed / CONTEXT_SHARE), 2 * needed + 10)
            if budget_shares(tokens)[0] >= needed
        )
        raise InsufficientContext(
            language.say("case_critical_does_not_fit", needed=needed, budget=budget, maximum=max_tokens, least=minimum)
        )


def check_enough(tokens: int, minimum: int, language: Language) -> None:
    """Check that a context has enough text to be answered from.

    Raises:
        InsufficientContext: it has fewer tokens than the profile asks for.
    """
    if tokens < minimum:
        raise InsufficientContext(language.say("case_insufficient_context", tokens=tokens, minimum=minimum))
