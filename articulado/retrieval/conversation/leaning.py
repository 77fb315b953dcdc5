"""Follow-up detection by linear models (``tools.train_leaning``, docs/decisions/0063)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import Neighbourhood, question_text
from articulado.encoders.sentences import SentenceEncoder
from articulado.language.folding import fold, words_of
from articulado.legal.domain.base import Domain
from articulado.retrieval.ranking.heuristic import Support
from articulado.retrieval.relevance.evidence import WordingModel, runs_of
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.chunks import ProvisionRef
from articulado.values.errors import ConfigurationError

FILE = Path(str(resources.files("articulado.retrieval.conversation"))) / "leaning.npz"
PLACES = 1 << 14

Decision = Literal["leans", "about_answer", "returns", "asks_deadline"]
DECISIONS: tuple[Decision, ...] = ("leans", "about_answer", "returns", "asks_deadline")
"""Decisions on a turn: it needs its subject, asks about the answer, resumes an earlier subject, asks for a deadline."""
THRESHOLDS: Mapping[Decision, float] = {"leans": -0.8, "about_answer": 2.0, "returns": -1.0, "asks_deadline": 0.0}
"""Log odds above which a decision is yes; losing a subject costs more than keeping one."""

OF_WORDING = ("opening", "pointing", "words", "length", "overlap")
OF_LAW = ("field", "precedent", "precedent_of_subject", "subject_of_precedent")
OF_ENCODER = ("cosine",)
OF_NEIGHBOURS = ("cosine_of_both", "gain", "subject_of_own", "own_of_subject", "own_of_both", "summary")
SIGNS = (*OF_WORDING, *OF_LAW, *OF_ENCODER, *OF_NEIGHBOURS)
_NEAREST = 3
_MAX_KEPT = 512


class TurnJudge(Protocol):
    """Decides on a turn of a conversation."""

    def leans(self, question: str, subject: str) -> bool:
        """Return True if a question cannot be understood without its subject."""
        ...

    def is_about_answer(self, question: str, subject: str) -> bool:
        """Return True if a turn asks to explain, repeat or source the last answer, and nothing new."""
        ...

    def resumed(self, question: str, subject: str, left: Sequence[str]) -> int | None:
        """Return the index of the subject in ``left`` that a question resumes; ``None`` without one."""
        ...

    def asks_deadline(self, question: str, subject: str) -> bool:
        """Return True if a follow-up asks how long somebody has to act."""
        ...


@dataclass(frozen=True)
class Linear:
    """A linear model over standardised values; ``mean``, ``deviation`` and ``weights`` have one length."""

    mean: NDArray[np.floating]
    deviation: NDArray[np.floating]
    weights: NDArray[np.floating]
    bias: float

    def score(self, values: Sequence[float]) -> float:
        return float((np.asarray(values) - self.mean) / self.deviation @ self.weights) + self.bias


@dataclass(frozen=True)
class Texts:
    """Linear models over a question alone: ``of_words`` is (PLACES, decisions), ``of_vector`` (dim, decisions)."""

    idf: NDArray[np.floating]
    of_words: NDArray[np.floating]
    words_bias: NDArray[np.floating]
    of_vector: NDArray[np.floating]
    vector_bias: NDArray[np.floating]

    def of_question(self, question: str) -> NDArray[np.floating]:
        """Return the log odds of each decision by the words, (decisions,)."""
        places = places_of(question)
        idf = self.idf[places].astype(np.float64)
        length = float(np.linalg.norm(idf)) or 1.0
        scores: NDArray[np.floating] = idf @ self.of_words[places].astype(np.float64) / length + self.words_bias
        return scores

    def of_meaning(self, vector: NDArray[np.floating]) -> NDArray[np.floating]:
        scores: NDArray[np.floating] = vector @ self.of_vector.astype(np.float64) + self.vector_bias
        return scores


@dataclass(frozen=True)
class TurnModel:
    """Models of the question's text, and of all features by ``SignReader.variant`` and decision."""

    texts: Texts
    decisions: Mapping[tuple[str, Decision], Linear]

    def save(self, file: Path) -> None:
        """Write the model, its tables as float16."""
        arrays: dict[str, Any] = {name: value.astype(np.float16) for name, value in vars(self.texts).items()}
        for (variant, decision), linear in self.decisions.items():
            rows = np.array([linear.mean, linear.deviation, linear.weights])
            arrays |= {f"{variant}.{decision}": rows, f"{variant}.{decision}.bias": np.array(linear.bias)}
        np.savez_compressed(file, signs=np.array(SIGNS), **arrays)


class SignReader:
    """Computes the features ``SIGNS`` of a question and a subject; only Spanish law has ``support`` and ``around``."""

    def __init__(
        self,
        domain: Domain,
        wording: Callable[[], WordingModel],
        support: Support | None = None,
        encoder: SentenceEncoder | None = None,
        around: Callable[[str], Neighbourhood] | None = None,
        max_kept: int | None = _MAX_KEPT,
    ) -> None:
        self._domain, self._wording, self._encoder = domain, wording, encoder
        self._support = lru_cache(max_kept)(support) if support else None
        self._around = around if support and encoder else None
        self.vector = lru_cache(max_kept)(self._vector)
        self.signs = lru_cache(max_kept)(self._signs)
        self.neighbours = lru_cache(max_kept)(self._neighbours)

    @property
    def variant(self) -> str:
        return f"{'law' if self._support else 'any'}{'_encoder' if self._encoder else ''}"

    def _vector(self, question: str) -> NDArray[np.float32] | None:
        return self._encoder.encode([question_text(question)])[0] if self._encoder else None

    def _signs(self, question: str, subject: str) -> tuple[float, ...]:
        language, folded = self._domain.language, fold(question)
        stems = set(self._domain.stems(question))
        signs = [
            float(bool(language.query_patterns.opening.match(folded))),
            float(bool(language.query_patterns.pointing.search(folded))),
            math.log1p(len(language.content_words(question))),
            math.log1p(len(question.split())) - math.log1p(len(subject.split())),
            len(stems & set(self._domain.stems(subject))) / max(1, len(stems)),
        ]
        if self._support:
            own, others = self._support(question), self._support(subject)
            signs += [
                self._wording().field_score(question, language),
                max(own.values(), default=0.0),
                max((others.get(ref, 0.0) for ref in _best(own)), default=0.0),
                max((own.get(ref, 0.0) for ref in _best(others)), default=0.0),
            ]
        vectors = self.vector(question), self.vector(subject)
        if vectors[0] is not None and vectors[1] is not None:
            signs.append(float(vectors[0] @ vectors[1]))
        return tuple(signs)

    def _neighbours(self, question: str, subject: str) -> tuple[float, ...]:
        if self._around is None:
            return ()
        both = f"{subject} {question}"
        own, others, joint = map(self._around, (question, subject, both))
        vectors = self.vector(question), self.vector(both)
        return (
            float(vectors[0] @ vectors[1]) if vectors[0] is not None and vectors[1] is not None else 0.0,
            joint.answered - own.answered,
            _supported(others, own),
            _supported(own, others),
            _supported(joint, own),
            own.best_summary,
        )


class LearntTurns:
    """Satisfies ``TurnJudge`` with the trained models."""

    def __init__(self, reader: SignReader, model: Callable[[], TurnModel]) -> None:
        self.reader, self._model = reader, model
        self._score = lru_cache(_MAX_KEPT)(self._scored)

    def leans(self, question: str, subject: str) -> bool:
        return self._score("leans", question, (subject,)) > THRESHOLDS["leans"]

    def is_about_answer(self, question: str, subject: str) -> bool:
        return self._score("about_answer", question, (subject,)) > THRESHOLDS["about_answer"]

    def resumed(self, question: str, subject: str, left: Sequence[str]) -> int | None:
        """Return the index of the subject in ``left`` that a question resumes; the last on a tie."""
        scores = [self._score("returns", question, (earlier, subject)) for earlier in left]
        best = max(range(len(left)), key=lambda place: (scores[place], place), default=None)
        return best if best is not None and scores[best] > THRESHOLDS["returns"] else None

    def asks_deadline(self, question: str, subject: str) -> bool:
        return self._score("asks_deadline", question, (subject,)) > THRESHOLDS["asks_deadline"]

    def _scored(self, decision: Decision, question: str, subjects: tuple[str, ...]) -> float:
        model = self._model()
        values = values_of(self.reader, model.texts, decision, question, subjects)
        return model.decisions[self.reader.variant, decision].score(values)


def values_of(
    reader: SignReader, texts: Texts, decision: Decision, question: str, subjects: Sequence[str]
) -> list[float]:
    """Return the inputs of a decision; "returns" has two subjects: the one that may be resumed, the present one."""
    values = [sign for subject in subjects for sign in reader.signs(question, subject)]
    if decision != "returns":
        values += reader.neighbours(question, subjects[0])
    place = DECISIONS.index(decision)
    values.append(float(texts.of_question(question)[place]))
    if (vector := reader.vector(question)) is not None:
        values.append(float(texts.of_meaning(vector)[place]))
    return values


def places_of(question: str) -> NDArray[np.intp]:
    """Return the slots of the words, pairs and runs of letters of a question, ascending."""
    words = words_of(question)
    first = [f"^{' '.join(words[:count])}" for count in (1, 2) if len(words) >= count]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    runs = (run for word in words for run in runs_of(word))
    terms = [*words, *pairs, *first, *runs, *(["?"] if "?" in question else [])]
    return np.array(sorted({crc32(term.encode()) % PLACES for term in terms}), dtype=np.intp)


def _best(support: Mapping[ProvisionRef, float]) -> list[ProvisionRef]:
    return sorted(support, key=lambda ref: -support[ref])[:_NEAREST]


def _supported(around: Neighbourhood, by: Neighbourhood) -> float:
    return max((around.support[ref].best for ref in [*by.support][:_NEAREST] if ref in around.support), default=0.0)


@cache
def packaged_turns() -> TurnModel:
    """Return the packaged weights; raise ``ConfigurationError`` if they are damaged."""
    try:
        with open_arrays(FILE) as stored:
            if tuple(stored["signs"].tolist()) != SIGNS:
                raise ValueError("signs")
            texts = Texts(*(stored[name] for name in ("idf", "of_words", "words_bias", "of_vector", "vector_bias")))
            decisions = {}
            for variant in ("law_encoder", "law", "any_encoder", "any"):
                for decision in DECISIONS:
                    mean, deviation, weights = stored[f"{variant}.{decision}"]
                    bias = float(stored[f"{variant}.{decision}.bias"])
                    decisions[variant, decision] = Linear(mean, deviation, weights, bias)
            return TurnModel(texts, decisions)
    except UNREADABLE as error:
        raise ConfigurationError(
            f"Falta el modelo de las conversaciones o está dañado ({FILE}). Vuelva a instalar articulado."
        ) from error
