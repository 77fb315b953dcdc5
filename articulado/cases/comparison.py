"""Features that measure how well each article of a desk matches an inquiry.

A text is a sentence vector (512) and two hashed vectors of its terms (2,048 each: stems and pairs of stems; runs of 3
to 5 letters, which tolerate misspelling), each of unit length.
"""

import hashlib
import itertools
import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import mmh3
import numpy as np
from numpy.typing import NDArray

from articulado.cases.guides import Guide
from articulado.encoders.use_multilingual import publish
from articulado.language.folding import words_of
from articulado.language.languages import Language
from articulado.retrieval.relevance.evidence import runs_of
from articulado.values.arrays import map_array
from articulado.values.errors import ConfigurationError

_log = logging.getLogger(__name__)

FEATURES = (
    "score",
    "score_lead",
    "score_over_outside",
    "outside_score",
    "nearest",
    "nearest_lead",
    "nearest_over_outside",
    "words",
)
"""Scores of the regression and similarity of the nearest text: of the article, over other topics, over outside matters.

``words`` is log(1 + words of the inquiry).
"""

BUCKETS = 2_048
PAIR_WEIGHT = 0.7
RIDGE = 0.1
"""Strength of regularisation; docs/decisions/0015-matching-of-cases.md."""


class TextVectors(Protocol):
    """Unit vectors of sentences (``known_questions.KeptVectors``); equal fingerprints, equal vectors."""

    def __hash__(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def folder(self) -> Path | None:
        """Folder of the fitted desks; ``None`` without one."""

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of permanent texts, (texts, dim)."""

    def of_inquiry(self, text: str) -> NDArray[np.float32]:
        """Return the vector of an inquiry, (dim,)."""


class TermVectors:
    """Hashed vectors of terms, weighted by rarity: ln((N + 1) / (n(t) + 1)) for N texts, n(t) with the term."""

    def __init__(self, rarities: Mapping[int, float], unknown: float, language: Language) -> None:
        self.rarities, self._unknown = rarities, unknown
        self._language = language
        self._of_words: dict[str, tuple[str, list[int]]] = {}

    @classmethod
    def fit(cls, texts: Sequence[str], language: Language) -> "TermVectors":
        """Weight the terms by the texts."""
        blank = cls({}, 0.0, language)
        counts = Counter(itertools.chain.from_iterable(map(blank._terms, texts)))
        unknown = math.log(len(texts) + 1)
        return cls({term: unknown - math.log(count + 1) for term, count in counts.items()}, unknown, language)

    def of(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, (2 · 2,048,): words and runs of letters, both of length √½."""
        terms = np.fromiter(terms_of := self._terms(text), np.int64, len(terms_of))
        weights = np.fromiter((self.rarities.get(term, self._unknown) for term in terms_of), np.float64, len(terms_of))
        kinds = terms >> _KIND
        weights *= np.where(kinds == _PAIR, PAIR_WEIGHT, 1.0) * np.where(terms & 1, 1.0, -1.0)
        buckets = (kinds == _RUN) * BUCKETS + ((terms & _CODE) >> 1) % BUCKETS
        vector = np.bincount(buckets, weights, 2 * BUCKETS).reshape(2, BUCKETS)
        lengths = np.linalg.norm(vector, axis=1, keepdims=True)
        scaled: NDArray[np.float32] = (vector / np.where(lengths > 0, lengths, 1.0) * np.sqrt(0.5)).astype(np.float32)
        return scaled.ravel()

    def _terms(self, text: str) -> set[int]:
        words = words_of(text)
        of_words = [self._of_words.get(word) or self._word(word) for word in words]
        pairs = itertools.pairwise(stem for stem, _ in of_words)
        return {
            *itertools.chain.from_iterable(codes for _, codes in of_words),
            *(_code(f"{first} {second}", _PAIR) for first, second in pairs),
        }

    def _word(self, word: str) -> tuple[str, list[int]]:
        # Stop words stay, without runs: "me" and "my client" tell who asks. All numbers are one term.
        stem = "0" if word[0].isdigit() else self._language.stem_word(word) or word
        runs = () if word in self._language.stop_words else runs_of(word)
        entry = stem, [_code(stem, _STEM), *(_code(run, _RUN) for run in runs)]
        self._of_words[word] = entry
        return entry


_STEM, _PAIR, _RUN = range(3)
_KIND, _CODE = 32, 0xFFFFFFFF


def _code(term: str, kind: int) -> int:
    code: int = mmh3.hash(term, signed=False)
    return kind << _KIND | code


class _Fitted(NamedTuple):
    """A fitted desk as stored: ``buckets`` and ``values`` are the sparse term vectors, ``lengths`` their entries."""

    terms: NDArray[np.int64]
    rarities: NDArray[np.float32]
    buckets: NDArray[np.uint16]
    values: NDArray[np.float32]
    lengths: NDArray[np.int64]
    weights: NDArray[np.float32]


class GuideComparer:
    """Compares an inquiry with the articles of a desk by ridge regression: a class per topic, one for outside matters.

    Fitting takes 2 s for 3,500 texts, reading a stored desk 0.1 s. Without ``vectors`` only terms count.
    """

    def __init__(
        self, articles: Sequence[Guide], outside: Sequence[Guide], language: Language, vectors: TextVectors | None
    ) -> None:
        self.articles = list(articles)
        guides = [*articles, *outside]
        texts = [guide.all_texts for guide in guides]
        flat, self._counts = [text for of_guide in texts for text in of_guide], list(map(len, texts))
        self._vectors = vectors
        self._sentences = vectors.of_texts(flat) if vectors else np.zeros((len(flat), 0), np.float32)
        self._guide_starts = np.cumsum([0, *self._counts])[:-1]
        topics = list(dict.fromkeys(guide.topic for guide in articles))
        self._topic = np.array([topics.index(guide.topic) for guide in articles], np.intp)
        classes = np.repeat([*self._topic, *[len(topics)] * len(outside)], self._counts).astype(np.intp)
        file = _file_of(vectors, flat, classes, language)
        fitted = _read(file) or _keep(file, self._fit(flat, classes, language))
        unknown = math.log(len(flat) + 1)
        self._terms = TermVectors(
            dict(zip(fitted.terms.tolist(), fitted.rarities.tolist(), strict=True)), unknown, language
        )
        self._buckets, self._values, self._weights = fitted.buckets, fitted.values, fitted.weights
        self._of_text = np.repeat(np.arange(len(flat)), fitted.lengths)

    def _fit(self, texts: Sequence[str], classes: NDArray[np.intp], language: Language) -> _Fitted:
        terms = TermVectors.fit(texts, language)
        rows = [terms.of(text) for text in texts]
        dense = np.stack(rows) if rows else np.zeros((0, 2 * BUCKETS), np.float32)
        of_text, buckets = np.nonzero(dense)
        return _Fitted(
            terms=np.fromiter(terms.rarities.keys(), np.int64, len(terms.rarities)),
            rarities=np.fromiter(terms.rarities.values(), np.float32, len(terms.rarities)),
            buckets=buckets.astype(np.uint16),
            values=dense[of_text, buckets],
            lengths=np.bincount(of_text, minlength=len(texts)).astype(np.int64),
            weights=_ridge(np.hstack([self._sentences, dense]), classes, len(set(self._topic.tolist())) + 1),
        )

    def _similarities(self, sentence: NDArray[np.float32], terms: NDArray[np.float32]) -> NDArray[np.float32]:
        of_terms = np.bincount(self._of_text, self._values * terms[self._buckets], len(self._sentences))
        similarities: NDArray[np.float32] = (self._sentences @ sentence + of_terms).astype(np.float32)
        return similarities

    def features(self, inquiry: str) -> NDArray[np.float64]:
        """Return the features of an inquiry for each article, (articles, FEATURES)."""
        count = len(self.articles)
        terms = self._terms.of(inquiry)
        sentence = self._vectors.of_inquiry(inquiry) if self._vectors else np.zeros(0, np.float32)
        nearest = np.maximum.reduceat(self._similarities(sentence, terms), self._guide_starts)
        scores = np.concatenate([sentence, terms, [1.0]]) @ self._weights
        by_topic = np.array([nearest[:count][self._topic == topic].max() for topic in range(len(scores) - 1)])
        outside = nearest[count:].max() if len(nearest) > count else 0.0
        words = np.log1p(len(inquiry.split()))
        rows = [
            (
                scores[topic],
                scores[topic] - _best_other(scores[:-1], topic),
                scores[topic] - scores[-1],
                scores[-1],
                near,
                near - _best_other(by_topic, topic),
                near - outside,
                words,
            )
            for topic, near in zip(self._topic, nearest, strict=False)
        ]
        return np.array(rows, np.float64).reshape(count, len(FEATURES))


@lru_cache(maxsize=4)
def comparer_of(
    articles: tuple[Guide, ...], outside: tuple[Guide, ...], language: Language, vectors: TextVectors | None
) -> GuideComparer:
    return GuideComparer(articles, outside, language, vectors)


def _best_other(values: NDArray[np.floating], own: int) -> float:
    return float(np.delete(values, own).max()) if len(values) > 1 else 0.0


def _ridge(matrix: NDArray[np.float32], classes: NDArray[np.intp], count: int) -> NDArray[np.float32]:
    """Return ridge weights (dim + 1, classes), the intercept last, from the dual (K + λ) a = y: texts < dimensions."""
    kernel = matrix @ matrix.T + 1.0
    kernel[np.diag_indices_from(kernel)] += RIDGE
    dual = np.linalg.solve(kernel, np.eye(count, dtype=np.float32)[classes])
    return np.vstack([matrix.T @ dual, dual.sum(axis=0)])


_VERSION = "1"
"""Increase it if the same texts give another desk."""


def _file_of(
    vectors: TextVectors | None, texts: Sequence[str], classes: NDArray[np.intp], language: Language
) -> Path | None:
    if vectors is None or vectors.folder is None:
        return None
    made_of = (
        _VERSION,
        BUCKETS,
        PAIR_WEIGHT,
        RIDGE,
        language.fingerprint,
        vectors.fingerprint,
        classes.tolist(),
        *texts,
    )
    return vectors.folder / f"desk-{hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]}.npy"


def _read(file: Path | None) -> _Fitted | None:
    if file is None:
        return None
    try:
        kept: NDArray[np.void] = map_array(file)
        return _Fitted(**{name: kept[name] for name in _Fitted._fields})
    except (OSError, ValueError, EOFError, IndexError):
        return None


def _keep(file: Path | None, fitted: _Fitted) -> _Fitted:
    """Write a desk and return it; a folder without write access costs time at the next start."""
    if file is None:
        return fitted
    parts = fitted._asdict()
    stored = np.zeros((), dtype=[(name, part.dtype, part.shape) for name, part in parts.items()])
    for name, part in parts.items():
        stored[name] = part
    try:
        publish(file, stored)
    except ConfigurationError as error:
        _log.warning("%s", error)
    return fitted
