"""Find the sentences of legal prose and the clauses of long ones, by their place in the text."""

from collections.abc import Iterable
from itertools import pairwise

from ingestion.chunking.cuts import CLAUSES, Span, cut
from language import spanish as analysis

MAX_SENTENCE = 300
"""Characters of a clause at most; a sentence of more is cut at clauses."""


def sentences(text: str) -> list[Span]:
    """Return where the sentences of a text begin and end, in order.

    They are those of ``language.spanish.sentences``: no stop of an abbreviation, an ordinal, an initial or a list mark
    ends one, a line break does. Every character that is no blank is in exactly one.
    """
    spans = []
    end = 0
    for sentence in analysis.sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return spans


def clauses(text: str, limit: int = MAX_SENTENCE) -> list[Span]:
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
