"""Cut running text where its subject changes: small distances inside a part, large ones between parts.

Neighbouring sentences are compared by their vectors; a break is where the distance, 1 − cosine, exceeds the 90th
percentile of the document's distances (Kamradt, "5 levels of text splitting", 2023, level 4).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ingestion.chunking.parts import CUTS, MAX_PART
from language.cuts import Span, clauses, cut, sentences
from services.domain.base import Domain
from services.protocols import Vector

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]
"""Turns texts into vectors, in order."""

PERCENTILE = 90.0
"""Percentile of the distances above which the subject changes (linear interpolation)."""

OVERLAP = 200
"""Characters that a part repeats of the one before it at most, where one subject is too long for a part."""

LSA_DIMENSIONS = 64
_DECIMALS = 6
"""Decimals of a distance: equal ones stay equal, whatever the last bits of the vectors are."""


async def semantic_spans(text: str, embed: Embed) -> list[Span]:
    """Return where the parts of a text by subject begin and end, each of at most ``MAX_PART`` characters.

    Every character but the blanks between parts is in one; where one subject is cut because of its length, each piece
    begins with the end of the piece before it. The same text and vectors give the same parts.
    """
    units = [
        (start + first, start + last) for start, end in sentences(text) for first, last in clauses(text[start:end])
    ]
    if not units:
        return []
    vectors = await embed([text[start:end] for start, end in units])
    ends = [*breaks(distances(vectors)), len(units)]
    subjects = [(units[first][0], units[last - 1][1]) for first, last in zip([0, *ends], ends, strict=False)]
    return [piece for start, end in subjects for piece in _fitted(text, start, end)]


def distances(vectors: Sequence[Vector]) -> NDArray[np.float64]:
    """Return 1 − cosine of each vector and the next, (n − 1,), in [0, 2].

    A zero vector says nothing of its text, which goes on with the subject before it: it has the direction of the
    vector before it (at the start, of the first one that has any).
    """
    directions = np.array(vectors, dtype=np.float64)
    lengths = np.linalg.norm(directions, axis=1)
    nonzero = np.flatnonzero(lengths)
    if nonzero.size == 0:
        return np.zeros(len(directions) - 1)
    before = np.maximum(np.searchsorted(nonzero, np.arange(len(directions)), side="right") - 1, 0)
    directions = (directions[nonzero] / lengths[nonzero, None])[before]
    cosines: NDArray[np.float64] = (directions[:-1] * directions[1:]).sum(axis=1)
    return np.round(1 - cosines, _DECIMALS)


def breaks(gaps: NDArray[np.float64]) -> list[int]:
    """Return the indices of the sentences that begin a subject: where a distance is strictly over the percentile.

    >>> breaks(np.array([0.1, 0.2, 0.9, 0.1]))
    [3]
    """
    if gaps.size == 0:
        return []
    return [int(index) + 1 for index in np.flatnonzero(gaps > np.percentile(gaps, PERCENTILE))]


async def lsa_of(texts: Sequence[str], domain: Domain) -> list[Vector]:
    """Embed texts by latent semantic analysis of themselves alone, (64,) each: no model, and nothing else decides.

    A text that shares no word with another one gets the zero vector.
    """
    from services.offline.encoder.encoder import DualEncoder, TrainingPairs

    # Without questions to learn from, its axes are the latent ones.
    encoder = await asyncio.to_thread(DualEncoder.fit, TrainingPairs(texts), LSA_DIMENSIONS, domain)
    return (await encoder.embed_documents(texts)).vectors


def _fitted(text: str, start: int, end: int) -> list[Span]:
    """Return a subject as pieces that fit, cut at paragraphs, sentences or blanks, with ``OVERLAP`` between them."""
    if end - start <= MAX_PART:
        return [(start, end)]
    pieces = [(start + first, start + last) for first, last in cut(text[start:end], MAX_PART - OVERLAP, CUTS)]
    return [(_overlapping(text, start, first), last) for first, last in pieces if last > first]


def _overlapping(text: str, earliest: int, start: int) -> int:
    """Return where the overlap before a piece begins: at a sentence if one begins there, else at a word."""
    floor = max(earliest, start - OVERLAP)
    before = text[floor:start]
    inside = [floor + first for first, _ in sentences(before)[1:]]
    if inside:
        return inside[0]
    blank = next((index for index, character in enumerate(before) if character.isspace()), None)
    return start if blank is None else start - len(before[blank:].lstrip())
