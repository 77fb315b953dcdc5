"""Learnt ranking: boosted trees over the features of a candidate (docs/retrieval.md has what each group gives).

``RankingModel`` is evaluated in NumPy; ``tools.train_ranking`` trains it with scikit-learn on the questions of
the package, all phrasings of one need and of one writer on one side. ``LearntReranker`` scores provisions of the
known laws with it, and all other texts by the heuristic, which needs no training.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import UNREADABLE, open_arrays
from articulado.language.translation import translate
from articulado.legal.domain.spanish_law import speaks_of_the_answer, split_subject
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import SignalWeights
from articulado.retrieval.coverage import Wanted, is_unlearnt
from articulado.retrieval.ranking.features import FEATURES, FeatureReader
from articulado.retrieval.ranking.heuristic import OWN_WORDS, HeuristicReranker
from articulado.values.chunks import Candidate
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Reranked

MAX_COMPARED = 30
"""Best provisions that rulings and criteria are compared with."""
DECISION_HANDICAP = 0.26
"""Lead over a provision by the formula from which on a ruling or criterion, of lower rank, is put before it."""
LEARNT_SIGNALS = SignalWeights(relevance=1.0, hierarchy=0.0, recency=0.0, in_force=0.0, repealed=0.3)
"""Legal signals beside a relevance that has learnt the others: repeal alone (docs/retrieval.md)."""
FILE = Path(str(resources.files("articulado.retrieval.ranking"))) / "ranking.npz"
"""The trees of the package (``tools.train_ranking``)."""


@dataclass(frozen=True)
class RankingModel:
    """Trees whose leaves sum up to log odds that a candidate is right.

    All but ``bias`` are (trees, nodes): the feature and the threshold of a node, where values up to it and above it
    go, and the value of a leaf, which goes to itself.
    """

    feature: NDArray[np.integer]
    threshold: NDArray[np.floating]
    left: NDArray[np.integer]
    right: NDArray[np.integer]
    value: NDArray[np.floating]
    bias: float

    def probabilities(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how likely each candidate is right, (candidates,) in (0, 1), of (candidates, FEATURES)."""
        # By places in the flat arrays: to index by tree and node takes twice as long.
        feature, threshold, left, right, value = self._flat
        nodes = np.repeat(np.arange(0, self.feature.size, self.feature.shape[1])[None], len(features), axis=0)
        rows = np.arange(0, features.size, features.shape[1])[:, None]
        values = np.ascontiguousarray(features).ravel()
        while True:
            below = values.take(rows + feature.take(nodes)) <= threshold.take(nodes)
            following = np.where(below, left.take(nodes), right.take(nodes))
            if (following == nodes).all():
                break
            nodes = following
        odds = value.take(nodes).sum(axis=1) + self.bias
        probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
        return probabilities

    @cached_property
    def _flat(self) -> tuple[NDArray[Any], ...]:
        """The arrays of all trees one after the other; where a node goes is a place in them."""
        first = np.arange(0, self.feature.size, self.feature.shape[1])[:, None]
        arrays = (self.feature, self.threshold, self.left + first, self.right + first, self.value)
        return tuple(np.ascontiguousarray(array).ravel() for array in arrays)

    def arrays(self, name: str) -> dict[str, Any]:
        """Return the arrays of the model by their names in a file, which begin with its own."""
        return {
            f"{name}_feature": self.feature.astype(np.int8),
            f"{name}_threshold": self.threshold.astype(np.float32),
            f"{name}_left": self.left.astype(np.int8),
            f"{name}_right": self.right.astype(np.int8),
            f"{name}_value": self.value.astype(np.float32),
            f"{name}_bias": np.array(self.bias),
        }


def save_rankings(file: Path, alone: RankingModel, with_neighbours: RankingModel) -> None:
    """Write both models: of the features without a sentence encoder, and of all."""
    np.savez_compressed(
        file, features=np.array(FEATURES), **alone.arrays("alone"), **with_neighbours.arrays("neighbours")
    )


@cache
def packaged_ranking(*, with_neighbours: bool) -> RankingModel:
    """Return the trees of the package, for features with or without a sentence encoder.

    Raises:
        ConfigurationError: the package is damaged.
    """
    try:
        with open_arrays(FILE) as stored:
            if tuple(stored["features"].tolist()) != FEATURES:
                raise ValueError("features")
            name = "neighbours" if with_neighbours else "alone"
            feature, left, right = (stored[f"{name}_{part}"].astype(np.intp) for part in ("feature", "left", "right"))
            return RankingModel(
                feature,
                stored[f"{name}_threshold"],
                left,
                right,
                stored[f"{name}_value"],
                float(stored[f"{name}_bias"]),
            )
    except UNREADABLE as error:
        raise ConfigurationError(translate("rerank.model_damaged", file=FILE)) from error


class LearntReranker:
    """Scores candidates by the learnt model; satisfies ``Reranker``. Costs about 0.1 ms a candidate, never fails.

    Rulings and criteria, of which the training has none, keep the place among the provisions that the formula of the
    heuristic gives them. Texts of one's own are scored by that formula.

    Of a follow-up (``with_subject``) the score for its own words is 30 % of it, that for all of it the rest.
    """

    is_cheap = True

    def __init__(self, reader: FeatureReader, heuristic: HeuristicReranker, model: Callable[[], RankingModel]) -> None:
        self.reader = reader
        self.heuristic = heuristic
        self._model = model

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``)."""
        if self.reader.around:
            for text in filter(None, (question, *split_subject(question, self.reader.domain.language))):
                await asyncio.to_thread(self.reader.around, text)
        of_laws = [each for each in candidates if each["chunk"]["law_id"] in known_laws()]
        own = [each for each in candidates if is_unlearnt(each["chunk"])]
        scores: dict[int, float] = {}
        if of_laws:
            scores |= zip(map(_id, of_laws), self.relevances(question, queries, of_laws), strict=True)
        scores |= zip(map(_id, own), self.heuristic.relevances(question, queries, own), strict=True)
        if decisions := [each for each in candidates if _id(each) not in scores]:
            best = sorted(of_laws, key=lambda each: -scores[_id(each)])[:MAX_COMPARED]
            by_formula = self.heuristic.relevances(question, queries, [*decisions, *best])
            of_law = by_formula[len(decisions) :]
            learnt = [scores[_id(each)] for each in best]
            for decision, value in zip(decisions, by_formula, strict=False):
                place = sum(other + DECISION_HANDICAP > value for other in of_law)
                scores[_id(decision)] = learnt[min(place, len(learnt) - 1)] if learnt else value
        chunks = [candidate["chunk"] for candidate in candidates]
        wanted = Wanted(question, self.reader.domain, self.reader.weights)
        return Reranked(wanted.reconsidered([scores[chunk["id"]] for chunk in chunks], chunks))

    def relevances(self, question: str, queries: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
        """Return how likely each candidate is right, in (0, 1)."""
        own_words, subject = split_subject(question, self.reader.domain.language)
        whole = self._model().probabilities(self.reader.read(question, queries, candidates))
        if subject and not speaks_of_the_answer(own_words, self.reader.domain.language):
            alone = self._model().probabilities(self.reader.read(own_words, (), candidates))
            whole = (1 - OWN_WORDS) * whole + OWN_WORDS * alone
        return [float(value) for value in whole]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _id(candidate: Candidate) -> int:
    return candidate["chunk"]["id"]
