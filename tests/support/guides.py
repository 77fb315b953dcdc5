"""Guides, weights and vectors of sentences that are laid down by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from articulado.cases.comparison import FEATURES
from articulado.cases.confidence import IDENTITY
from articulado.cases.guides import Guide
from articulado.cases.matching import MatchModel, Priors
from articulado.values.protocols import Vector


def guide(article: str = "", topic: str = "", **fields: Any) -> Guide:
    """Make an article, or without ``article`` an outside matter."""
    return Guide(article_id=article, topic=topic or article, **{"title": article.capitalize(), "asked": (), **fields})


def weighing(bias: float = 0.0, **weights: float) -> MatchModel:
    """Return a model that weighs some features as they are, a topic by 2 and data by 3; its scope is the identity."""
    return MatchModel(
        features=FEATURES,
        mean=(0.0,) * len(FEATURES),
        deviation=(1.0,) * len(FEATURES),
        weights=tuple(weights.get(name, 0.0) for name in FEATURES),
        bias=bias,
        scope=IDENTITY,
        priors=Priors(match=1.0, topic=2.0, data=3.0),
    )


class WordVectors:
    """Gives texts that have one of some words the first axis, others the second; counts how often texts are encoded."""

    fingerprint = "words"

    def __init__(self, *words: str, folder: Path | None = None) -> None:
        self.words, self.folder = words, folder
        self.batches = 0

    def of_inquiry(self, text: str) -> Vector:
        has = any(word in text.lower() for word in self.words)
        return np.array([1.0, 0.0] if has else [0.0, 1.0], dtype=np.float32)

    def of_texts(self, texts: Sequence[str]) -> Vector:
        self.batches += 1
        return np.stack([self.of_inquiry(text) for text in texts])
