"""Guides and vectors made by hand, and the cosines of weighted terms worked out the slow way."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from articulado.cases.evidence import Guide
from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.values.protocols import Vector

EN = language("en")
PLAIN_ENGLISH = PlainDomain(EN)


def guide(article: str = "", topic: str = "", **fields: Any) -> Guide:
    """Make an article, or without ``article`` an outside matter."""
    defaults = {"title": article.capitalize(), "asked": (), "names": ()}
    return Guide(article_id=article, topic=topic or article, **{**defaults, **fields})


class FixedEncoder:
    """Gives texts the vectors that are laid down for them; others have the zero vector."""

    dimensions = 2

    def __init__(self, vectors: Mapping[str, tuple[float, float]] | None = None) -> None:
        self.vectors = vectors or {}

    def embed_question(self, text: str) -> Vector:
        return np.array(self.vectors.get(text, (0.0, 0.0)), dtype=np.float32)

    def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_question(text) for text in texts]


def cosine(text: str, inquiry: str, texts: Sequence[str], background: Sequence[str] = ()) -> float:
    """Return the cosine of two texts by the terms that they share, as ``TermIndex`` documents them."""
    every = [_terms(other) for other in (*texts, *background)]

    def vector(written: str) -> dict[str, float]:
        shares = {"word": 1.0, "pair": 0.7, "run": 0.5}
        return {
            term: shares[term[0]] * math.log((len(every) + 1) / (sum(term in other for other in every) + 1))
            for term in _terms(written)
        }

    first, second = vector(text), vector(inquiry)
    dot = sum(weight * second.get(term, 0.0) for term, weight in first.items())
    lengths = math.hypot(*first.values()) * math.hypot(*second.values())
    return dot / lengths if lengths else 0.0


def _terms(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    stems = ["0" if word[0].isdigit() else EN.stem_word(word) or word for word in words]
    runs = {
        ("run", f"<{word}>"[start : start + length])
        for word in words
        if word not in EN.stop_words
        for length in (3, 4, 5)
        for start in range(len(word) + 3 - length)
    }
    return {("word", stem) for stem in stems} | {("pair", f"{one} {two}") for one, two in pairwise(stems)} | runs
