"""Follow-up detection: dependence of a question on the one before it.

``LearntLeaning`` uses a linear model over words and ``SIGNS``, trained on Spanish law
(``tools.train_leaning``, docs/conversations.md). ``WrittenLeaning`` uses opening, pronouns and length for
other domains. A turn is a follow-up from log odds −0.5 on.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import UNREADABLE, open_arrays
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import points_back
from articulado.retrieval.ranking.heuristic import Support
from articulado.retrieval.relevance.evidence import WordingModel, runs_of, words_of
from articulado.values.chunks import ProvisionRef
from articulado.values.errors import ConfigurationError

FILE = Path(str(resources.files("articulado.retrieval.conversation"))) / "leaning.npz"
"""Where the weights of the package lie (``tools.train_leaning``)."""
PLACES = 1 << 14
"""Places of the table of words."""
LEANS = -0.5
"""Log odds from which on a turn leans: of the turns of a conversation more do than of the pairs that teach it."""
FEW_WORDS = 2
"""Content words up to which a question of an unknown domain says too little to stand by itself."""

SIGNS = (
    "field",
    "precedent",
    "precedent_of_subject",
    "subject_of_precedent",
    "words",
    "length",
    "opening",
    "pointing",
    "leaving",
    "overlap",
)
"""Names of the features beside the words, in their order."""
_NEAREST = 3
"""How many provisions a question's precedents speak for that are compared with those of the subject."""
_MAX_KEPT = 512
"""Questions whose precedents are kept: each turn reads those before it again."""


class LeaningJudge(Protocol):
    """Tells follow-ups from questions that stand by themselves."""

    def leans(self, question: str, subject: str) -> bool:
        """Tell whether a question cannot be understood without the one before it, the subject."""
        ...


@dataclass(frozen=True)
class WrittenLeaning:
    """By how it is written alone: what points back leans, and what says little. For domains nothing is learnt of."""

    language: Language

    def leans(self, question: str, subject: str) -> bool:
        """Tell by opening, pronouns and length."""
        if self.language.query_patterns.leaves.search(fold(question)):
            return False
        return points_back(question, self.language) or len(set(self.language.content_words(question))) <= FEW_WORDS


@dataclass(frozen=True)
class LeaningModel:
    """A linear model over the words of a question and ``SIGNS``; its score are the log odds that it leans.

    ``idf`` and ``of_words`` are (PLACES,), ``mean``, ``deviation`` and ``weights`` (signs + 1,), the last of the words.
    """

    idf: NDArray[np.floating]
    of_words: NDArray[np.floating]
    words_bias: float
    mean: NDArray[np.floating]
    deviation: NDArray[np.floating]
    weights: NDArray[np.floating]
    bias: float

    def score_of_words(self, question: str) -> float:
        """Return the log odds that a question leans by its words alone."""
        places = places_of(question)
        idf = self.idf[places].astype(np.float64)
        length = float(np.linalg.norm(idf)) or 1.0
        return float(idf @ self.of_words[places].astype(np.float64)) / length + self.words_bias

    def score(self, question: str, signs: Sequence[float]) -> float:
        """Return the log odds that a question leans."""
        values = (np.array([*signs, self.score_of_words(question)]) - self.mean) / self.deviation
        return float(values @ self.weights) + self.bias

    def save(self, file: Path) -> None:
        """Write the model; its tables in two bytes a number."""
        np.savez_compressed(
            file,
            signs=np.array(SIGNS),
            idf=self.idf.astype(np.float16),
            of_words=self.of_words.astype(np.float16),
            words_bias=np.float64(self.words_bias),
            mean=self.mean,
            deviation=self.deviation,
            weights=self.weights,
            bias=np.float64(self.bias),
        )


class SignReader:
    """Reads ``SIGNS`` off a question and its subject: what precedents say of both, and how the question is written."""

    def __init__(self, domain: Domain, wording: Callable[[], WordingModel], support: Support) -> None:
        self._domain = domain
        self._wording = wording
        self._support = lru_cache(_MAX_KEPT)(support)

    def read(self, question: str, subject: str) -> list[float]:
        """Return the features, in the order of ``SIGNS``."""
        own, others = self._support(question), self._support(subject)
        language, folded = self._domain.language, fold(question)
        stems = set(self._domain.stems(question))
        return [
            self._wording().field_score(question, language),
            max(own.values(), default=0.0),
            max((others.get(ref, 0.0) for ref in _best(own)), default=0.0),
            max((own.get(ref, 0.0) for ref in _best(others)), default=0.0),
            math.log1p(len(language.content_words(question))),
            math.log1p(len(question.split())) - math.log1p(len(subject.split())),
            float(bool(language.query_patterns.opening.match(folded))),
            float(bool(language.query_patterns.pointing.search(folded))),
            float(bool(language.query_patterns.leaves.search(folded))),
            len(stems & set(self._domain.stems(subject))) / max(1, len(stems)),
        ]


@dataclass(frozen=True)
class LearntLeaning:
    """What was learnt of how people follow up on Spanish law (docs/conversations.md)."""

    reader: SignReader
    model: Callable[[], LeaningModel]

    def leans(self, question: str, subject: str) -> bool:
        """Tell by the words of the question, and by what precedents say of it and of the subject."""
        return self.model().score(question, self.reader.read(question, subject)) > LEANS


def places_of(question: str) -> NDArray[np.intp]:
    """Return the places of the words, pairs and runs of letters of a question, each once, ascending."""
    words = words_of(question)
    first = [f"^{' '.join(words[:count])}" for count in (1, 2) if len(words) >= count]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    runs = (run for word in words for run in runs_of(word))
    terms = [*words, *pairs, *first, *runs, *(["?"] if "?" in question else [])]
    return np.array(sorted({crc32(term.encode()) % PLACES for term in terms}), dtype=np.intp)


def _best(support: Mapping[ProvisionRef, float]) -> list[ProvisionRef]:
    return sorted(support, key=lambda ref: -support[ref])[:_NEAREST]


@cache
def packaged_leaning() -> LeaningModel:
    """Return the weights of the package.

    Raises:
        ConfigurationError: the package is damaged.
    """
    try:
        with open_arrays(FILE) as stored:
            if tuple(stored["signs"].tolist()) != SIGNS:
                raise ValueError("signs")
            return LeaningModel(
                **{name: stored[name] for name in ("idf", "of_words", "mean", "deviation", "weights")},
                words_bias=float(stored["words_bias"]),
                bias=float(stored["bias"]),
            )
    except UNREADABLE as error:
        raise ConfigurationError(
            f"Falta el modelo de las conversaciones o está dañado ({FILE}). Vuelva a instalar articulado."
        ) from error
