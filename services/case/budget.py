"""Which chunks go into the context of a case: whole ones, by tier, within a budget of tokens."""

from collections.abc import Sequence

from language.languages import Language
from services.case.context import render
from services.protocols import TokenCounter
from state.chunks import Chunk
from state.errors import InsufficientContext

CONTEXT_SHARE = 0.7
"""Of ``max_tokens``; the rest is for the answer."""


def shares(max_tokens: int) -> tuple[int, int]:
    """Return the tokens for context and answer, 70 % and 30 %; together they are ``max_tokens``."""
    context = int(max_tokens * CONTEXT_SHARE)
    return context, max_tokens - context


def within(
    always: Sequence[Chunk], others: Sequence[Chunk], budget: int, counter: TokenCounter
) -> tuple[list[Chunk], int]:
    """Return ``always``, and after it as many of the others, in their order, as the budget bears; and their tokens.

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
    """Check that what may not be left out fits.

    Raises:
        InsufficientContext: it does not; the message names what it takes, what there is, and the least ``max_tokens``.
    """
    budget, _ = shares(max_tokens)
    needed = counter.count(render(critical))
    if needed > budget:
        least = next(
            tokens for tokens in range(int(needed / CONTEXT_SHARE), 2 * needed + 10) if shares(tokens)[0] >= needed
        )
        raise InsufficientContext(
            language.say("case_critical_does_not_fit", needed=needed, budget=budget, maximum=max_tokens, least=least)
        )


def check_enough(tokens: int, least: int, language: Language) -> None:
    """Check that a context says enough to be answered from.

    Raises:
        InsufficientContext: it has fewer tokens than the profile asks for.
    """
    if tokens < least:
        raise InsufficientContext(language.say("case_insufficient_context", tokens=tokens, minimum=least))
