"""Split a text into spans: sentences, clauses, or pieces of limited length.

Spans are (start, end) offsets in the text, in order. A piece is split at the best boundary that keeps it
within the limit: sentence, clause, blank, and any character as a last resort.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from articulado.language import spanish

Span = tuple[int, int]
"""Where a piece begins and ends in its text."""

Cuts = Callable[[str], Iterable[Span]]
"""Finds the blanks at which a text may be cut."""


def blanks_matching(pattern: str) -> Cuts:
    """Return a function that finds the blanks of a text that a pattern matches, to cut it there."""
    blanks = re.compile(pattern)
    return lambda text: (match.span() for match in blanks.finditer(text))


CLAUSES: tuple[Cuts, ...] = (blanks_matching(r"(?<=[;:]) +"), blanks_matching(r"(?<=,) +"), blanks_matching(r"\s+"))
"""Where a sentence is cut, from the best place to the worst."""
MAX_CLAUSE = 300
"""Characters of a clause; a sentence of more is cut into clauses."""


def cut(text: str, limit: int, levels: Sequence[Cuts]) -> list[Span]:
    """Return the spans of the pieces of a text, in order, without the blanks at which it was cut.

    ``levels`` go from the best cuts to the worst: a worse one only serves inside a piece that does not fit. Pieces are
    as long as ``limit`` allows. Where no level is left, a word is cut wherever it must be.
    """
    if len(text) <= limit:
        return [(0, len(text))]
    if not levels:
        return [(start, min(start + limit, len(text))) for start in range(0, len(text), limit)]
    cuts = list(levels[0](text))
    bounds = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    packed: list[Span] = []
    start = end = 0
    for begin, stop in zip(bounds, ends, strict=True):
        if stop - start <= limit:
            end = stop
            continue
        if end > start:
            packed.append((start, end))
        start, end = begin, stop
        if stop - begin > limit:
            *whole, last = cut(text[begin:stop], limit, levels[1:])
            packed += [(begin + first, begin + after) for first, after in whole]
            # What is left of a piece that had to be cut may share a part with what follows it.
            start, end = begin + last[0], stop
    packed.append((start, end))
    return packed


def sentences(text: str) -> list[Span]:
    """Return where the sentences of a text begin and end, in order.

    They are those of ``articulado.language.spanish.sentences``: no stop of an abbreviation, an ordinal, an initial or
    a list mark ends one, a line break does. Every character that is no blank is in exactly one.
    """
    spans = []
    end = 0
    for sentence in spanish.sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return spans


def clauses(text: str, limit: int = MAX_CLAUSE) -> list[Span]:
    """Return where the pieces of a sentence begin and end, in order, each of at most ``limit`` characters.

    A sentence that fits is one piece. A longer one is cut after semicolons and colons, else after commas, else at
    blanks (and a word longer than the limit wherever it must be).
    """
    first = len(text) - len(text.lstrip())
    pieces = cut(text.strip(), limit, CLAUSES) if text.strip() else []
    return [(first + start, first + end) for start, end in pieces if end > start]


def between_sentences(text: str) -> Iterable[Span]:
    """Return the blanks between the sentences of a text."""
    spans = sentences(text)
    return [(before[1], after[0]) for before, after in pairwise(spans)]
