"""Probability that a question asks for an answer card, and that a card that was found answers it."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import NO_SUPPORT, Neighbourhood
from articulado.language.translation import translate
from articulado.retrieval.fusion import preference
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.chunks import CARDS, Candidate, ProvisionRef, bearing_of, is_card, ordering_score, provision_of
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Vector

_FOLDER = Path(str(resources.files("articulado.retrieval.ranking")))
CARDS_FILE, CLASSIFIER_FILE = _FOLDER / "cards.json", _FOLDER / "cards.npz"
OF_FIELD = 0.7
MAX_COMPARED = 20
_KEPT = 64
_UNLIKELY = -12.0


@dataclass(frozen=True)
class CardClassifier:
    """Softmax regression: weights (dim, cards) and bias (cards,) of the cards ``ids``."""

    ids: Sequence[str]
    weights: NDArray[np.floating]
    bias: NDArray[np.floating]

    def log_probabilities(self, vectors: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the log probabilities of vectors (questions, dim), as (questions, cards)."""
        scores = vectors @ self.weights + self.bias
        scores -= scores.max(axis=1, keepdims=True)
        logs: NDArray[np.floating] = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return logs

    def save(self, file: Path) -> None:
        ids = np.array(list(self.ids), dtype=np.str_)
        np.savez_compressed(file, ids=ids, weights=self.weights.astype(np.float16), bias=self.bias.astype(np.float32))

    @classmethod
    def load(cls, file: Path) -> "CardClassifier":
        """Read a saved classifier; raise ``ConfigurationError`` if the file is missing or damaged."""
        try:
            with open_arrays(file) as stored:
                ids, weights, bias = stored["ids"].tolist(), stored["weights"].astype(np.float32), stored["bias"]
                if weights.shape[1:] != (len(ids),) or bias.shape != (len(ids),):
                    raise ValueError("weights of other cards")
                return cls(tuple(ids), weights, bias)
        except UNREADABLE as error:
            raise ConfigurationError(translate("rerank.model_damaged", file=file)) from error


def card_vectors(of_sentences: NDArray[np.floating], of_field: NDArray[np.floating]) -> NDArray[np.float32]:
    """Join the vectors of questions by two encoders, (questions, dim) each, as input of ``CardClassifier``."""
    return np.hstack([of_sentences, of_field * OF_FIELD]).astype(np.float32)


class CardReader:
    """Computes the log probability of each card from the vectors of a question by two encoders."""

    def __init__(
        self,
        of_sentences: Callable[[str], Vector],
        of_field: Callable[[str], Vector],
        classifier: Callable[[], CardClassifier],
    ) -> None:
        self._of_sentences, self._of_field, self._classifier = of_sentences, of_field, classifier
        self.asked = lru_cache(_KEPT)(self._asked)

    def _asked(self, question: str) -> Mapping[str, float]:
        classifier = self._classifier()
        vectors = card_vectors(self._of_sentences(question)[None], self._of_field(question)[None])
        logs = classifier.log_probabilities(vectors)[0]
        return {classifier.ids[place]: float(logs[place]) for place in np.argsort(-logs).tolist()}


@cache
def packaged_classifier() -> CardClassifier:
    return CardClassifier.load(CLASSIFIER_FILE)


CARD_EVIDENCE = (
    "card",
    "bearing_law",
    "best_law",
    "neighbour",
    "neighbours_mean",
    "neighbours",
    "neighbour_rank",
    "neighbour_behind",
    "neighbours_mean_behind",
    "need",
    "need_behind_law",
    "bearing_neighbour",
    "bearing_neighbour_behind",
    "bears_best_law",
    "asked",
    "asked_behind",
)


def card_evidence(
    cards: Sequence[Candidate], laws: Sequence[Candidate], around: Neighbourhood, asked: Mapping[str, float]
) -> NDArray[np.float64]:
    """Return the evidence for each card, (cards, CARD_EVIDENCE); ``asked`` has the classifier's log probabilities."""
    scores: dict[ProvisionRef, float] = {}
    for law in laws:
        ref = provision_of(law["chunk"])
        scores[ref] = max(scores.get(ref, 0.0), ordering_score(law))
    best = max(scores.values(), default=0.0)
    likeliest = max(asked.values(), default=_UNLIKELY)
    near_law = max((each.best for ref, each in around.support.items() if ref[0] != CARDS), default=0.0)
    rows = []
    for card in cards:
        ref, bearing = provision_of(card["chunk"]), bearing_of(card["chunk"])
        borne = max((scores.get(each, 0.0) for each in bearing), default=0.0)
        support = around.support.get(ref, NO_SUPPORT)
        near = max((around.support.get(each, NO_SUPPORT).best for each in bearing), default=0.0)
        need = around.summaries.get(ref, 0.0)
        own = max(asked.get(ref[1], _UNLIKELY), _UNLIKELY)
        rows.append(
            [
                _odds(ordering_score(card)),
                _odds(borne),
                _odds(best),
                support.best,
                support.mean,
                math.log1p(support.count),
                math.log1p(support.rank),
                support.best - around.answered,
                support.mean - around.best_mean,
                need,
                need - around.best_summary,
                near,
                near - near_law,
                float(borne >= best),
                own,
                own - likeliest,
            ]
        )
    return np.array(rows, dtype=np.float64).reshape(len(cards), len(CARD_EVIDENCE))


def _odds(probability: float) -> float:
    kept = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


@dataclass(frozen=True)
class CardModel:
    """Logistic regression over ``card_evidence``: 1 / (1 + e^−(w · x + bias))."""

    weights: NDArray[np.floating]
    bias: float

    def probabilities(self, evidence: NDArray[np.floating]) -> NDArray[np.floating]:
        probabilities: NDArray[np.floating] = 1 / (1 + np.exp(-(evidence @ self.weights + self.bias)))
        return probabilities


@cache
def packaged_card_model() -> CardModel:
    """Return the packaged weights; raise ``ConfigurationError`` if they are damaged."""
    try:
        stored = json.loads(CARDS_FILE.read_text("utf-8"))
        return CardModel(np.array([stored["weights"][name] for name in CARD_EVIDENCE]), float(stored["bias"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(translate("rerank.model_damaged", file=CARDS_FILE)) from error


def probable_cards(
    candidates: Sequence[Candidate], around: Neighbourhood, asked: Mapping[str, float]
) -> list[tuple[Candidate, float]]:
    """Return the cards among candidates with their probability of answering, the likeliest first."""
    ranked = sorted(candidates, key=preference)
    cards = [each for each in ranked if is_card(each["chunk"])][:MAX_COMPARED]
    laws = [each for each in ranked if not is_card(each["chunk"])]
    probabilities = packaged_card_model().probabilities(card_evidence(cards, laws, around, asked)).tolist()
    return sorted(zip(cards, probabilities, strict=True), key=lambda pair: -pair[1])
