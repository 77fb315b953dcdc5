"""Learnt ranking: boosted trees over the features of a candidate (``tools.train_ranking``, docs/decisions/0053)."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import Neighbourhood
from articulado.language.translation import translate
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import SignalWeights
from articulado.retrieval.ranking.comparison import is_unlearnt
from articulado.retrieval.ranking.features import FEATURES, FeatureReader
from articulado.retrieval.ranking.heuristic import OWN_WORDS, HeuristicReranker
from articulado.values.answers import TurnQuestion, has_own_words, whole_text
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.chunks import (
    Candidate,
    Chunk,
    is_card,
)
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Reranked

MAX_COMPARED = 30
DECISION_HANDICAP = 0.26
"""Lead by the formula from which a ruling or criterion precedes a provision, which has a higher rank."""
LEARNT_SIGNALS = SignalWeights(relevance=1.0, hierarchy=0.0, recency=0.0, in_force=0.0, repealed=0.3)
"""Legal signals beside a learnt relevance, which includes all but repeal (docs/decisions/0053)."""
FILE = Path(str(resources.files("articulado.retrieval.ranking"))) / "ranking.npz"


BESIDE_BEST = 4
_LEAD, _SUMMARY, _SHARE, _FAR, _BIAS = 7.0, -34.0, 5.0, -10.0, 2.9
_NEAR_ENOUGH = 0.4
"""Weights of ``own_probability`` (docs/decisions/0055)."""


def own_probability(candidates: Sequence[Candidate], around: Neighbourhood) -> float | None:
    """Return the probability in (0, 1) that the users' texts answer; ``None`` without closeness by a sentence encoder.

    1 / (1 + e^−x), x = 7 · lead − 34 · summary + 5 · share − 10 · far + 2.9. ``lead`` is the closeness of the best text
    minus the mean of the next four, ``summary`` the cosine of the nearest summary of a provision, ``share`` the
    answered share of the known questions nearby, ``far`` = max(0, 0.4 − closeness of the best).
    """
    closest = sorted((each["closeness"] for each in candidates if "closeness" in each), reverse=True)
    if not closest:
        return None
    lead = closest[0] - sum(closest[1 : BESIDE_BEST + 1]) / BESIDE_BEST
    odds = _LEAD * lead + _SUMMARY * around.best_summary + _SHARE * around.share + _BIAS
    odds += _FAR * max(0.0, _NEAR_ENOUGH - closest[0])
    return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True)
class RankingModel:
    """Trees whose leaves sum up to the log odds that a candidate is right; arrays are (trees, nodes)."""

    feature: NDArray[np.integer]
    threshold: NDArray[np.floating]
    left: NDArray[np.integer]  # child for values up to the threshold; a leaf is its own child
    right: NDArray[np.integer]  # child for values above the threshold
    value: NDArray[np.floating]
    bias: float

    def probabilities(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability that each candidate is right, (candidates,), from (candidates, FEATURES)."""
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
        first = np.arange(0, self.feature.size, self.feature.shape[1])[:, None]
        arrays = (self.feature, self.threshold, self.left + first, self.right + first, self.value)
        return tuple(np.ascontiguousarray(array).ravel() for array in arrays)

    def arrays(self, name: str) -> dict[str, Any]:
        return {
            f"{name}_feature": self.feature.astype(np.int8),
            f"{name}_threshold": self.threshold.astype(np.float32),
            f"{name}_left": self.left.astype(np.int8),
            f"{name}_right": self.right.astype(np.int8),
            f"{name}_value": self.value.astype(np.float32),
            f"{name}_bias": np.array(self.bias),
        }


def save_rankings(file: Path, alone: RankingModel, with_neighbours: RankingModel) -> None:
    np.savez_compressed(
        file, features=np.array(FEATURES), **alone.arrays("alone"), **with_neighbours.arrays("neighbours")
    )


@cache
def packaged_ranking(*, with_neighbours: bool) -> RankingModel:
    """Return the packaged trees, with or without a sentence encoder; raise ``ConfigurationError``."""
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


def has_been_learnt(chunk: Chunk) -> bool:
    """Return True for texts like those of the training: provisions of registered laws, and answer cards."""
    return chunk["law_id"] in known_laws() or is_card(chunk)


class LearntReranker:
    """Satisfies ``Reranker`` by the learnt model, in about 0.1 ms a candidate.

    Rulings and criteria take the rank that the heuristic gives them. With a sentence encoder the best user's text has
    ``own_probability``; above 0.5, all else has 2 · (1 − ``own_probability``) of its score. For a follow-up, 30 % is
    the score of its own words.
    """

    limit = None

    def __init__(self, reader: FeatureReader, heuristic: HeuristicReranker, model: Callable[[], RankingModel]) -> None:
        self.reader = reader
        self.heuristic = heuristic
        self._model = model

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``)."""
        if self.reader.around:
            for text in _texts_of(question):
                await asyncio.to_thread(self.reader.around, text)
        of_laws = [each for each in candidates if has_been_learnt(each["chunk"])]
        own = [each for each in candidates if is_unlearnt(each["chunk"])]
        scores: dict[int, float] = {}
        if of_laws:
            scores |= zip(map(_id, of_laws), self.relevances(question, queries, of_laws), strict=True)
        scores |= zip(map(_id, own), self.heuristic.relevances(question, queries, own), strict=True)
        if decisions := [each for each in candidates if _id(each) not in scores]:
            provisions = (each for each in of_laws if not is_card(each["chunk"]))
            best = sorted(provisions, key=lambda each: -scores[_id(each)])[:MAX_COMPARED]
            by_formula = self.heuristic.relevances(question, queries, [*decisions, *best])
            of_law = by_formula[len(decisions) :]
            learnt = [scores[_id(each)] for each in best]
            for decision, value in zip(decisions, by_formula, strict=False):
                place = sum(other + DECISION_HANDICAP > value for other in of_law)
                scores[_id(decision)] = learnt[min(place, len(learnt) - 1)] if learnt else value
        scores = self._beside_own(question, candidates, scores)
        chunks = [candidate["chunk"] for candidate in candidates]
        wanted = self.reader.comparer.of(whole_text(question)).wanted
        return Reranked(wanted.reconsidered([scores[chunk["id"]] for chunk in chunks], chunks))

    def _beside_own(
        self, question: TurnQuestion, candidates: Sequence[Candidate], scores: dict[int, float]
    ) -> dict[int, float]:
        own = {_id(each) for each in candidates if "closeness" in each}
        around = self.reader.neighbourhood(whole_text(question)) if self.reader.around else None
        probability = own_probability(candidates, around) if around else None
        if probability is None:
            return scores
        law = max((score for id, score in scores.items() if id not in own), default=0.0)
        probability = _against_law(probability, law)
        best = max(scores[id] for id in own)
        others = min(1.0, 2 * (1 - probability))
        # The odds of each text against those of the best.
        against = best / (1 - best)
        return {
            id: probability * 2 / (1 + against * (1 - score) / score) if id in own else others * score
            for id, score in scores.items()
        }

    def relevances(
        self, question: TurnQuestion, queries: Sequence[str], candidates: Sequence[Candidate]
    ) -> list[float]:
        """Return the probability in (0, 1) that each candidate is right."""
        text, *own_words = _texts_of(question)
        whole = self._model().probabilities(self.reader.read(text, queries, candidates))
        if own_words:
            alone = self._model().probabilities(self.reader.read(own_words[0], (), candidates))
            whole = (1 - OWN_WORDS) * whole + OWN_WORDS * alone
        return [float(value) for value in whole]

    async def close(self) -> None: ...


def _texts_of(question: TurnQuestion) -> list[str]:
    return [whole_text(question), question["text"]] if has_own_words(question) else [whole_text(question)]


_SURE_LAW = 1.0
"""Log odds of a provision up to which they are no evidence: questions on other matters reach them."""


def _against_law(probability: float, law: float) -> float:
    kept = min(law, 1 - 1e-6)
    lead = max(0.0, math.log(kept / (1 - kept)) - _SURE_LAW) if kept > 0 else 0.0
    return probability / (probability + (1 - probability) * math.exp(lead))


def _id(candidate: Candidate) -> int:
    return candidate["chunk"]["id"]
