"""Dual encoder: dense vectors that place a question near the documents that answer it.

``packaged_encoder`` returns the one trained on Spanish law; ``DualEncoder.fit`` trains one on an index.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from articulado.config.extras import importing
from articulado.config.profile import domain_named
from articulado.encoders import training
from articulado.language.translation import translate
from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.errors import ConfigurationError, IndexMissing
from articulado.values.protocols import Embedded, Keep, Vector, keep_nothing

if TYPE_CHECKING:
    from scipy.sparse import csr_array


MIN_TEXTS = 2  # A stem of fewer texts relates nothing

SYNONYM_WEIGHT = 0.5  # weight of a synonym's stem in a question, beside 1 for its own words

Counts = Mapping[str, float]  # frequency of each stem in a text


def document_counts(text: str, domain: Domain) -> Counts:
    return Counter(domain.stems(text))


def question_counts(text: str, domain: Domain) -> Counts:
    """Count the stems of a question and, with less weight, of the terms that it calls for."""
    counts: dict[str, float] = dict(Counter(domain.stems(text)))
    for term, certainty in domain.terms(text):
        for stem in domain.stems(term):
            counts[stem] = max(certainty * SYNONYM_WEIGHT, counts.get(stem, 0.0))
    return counts


class Vocabulary:
    """Stems with their idf in [0, 1], in the order of the axes' rows."""

    def __init__(self, stems: Sequence[str], idf: NDArray[np.float32]) -> None:
        self.stems = tuple(stems)
        self.idf = idf
        self._rows = {stem: row for row, stem in enumerate(self.stems)}

    @classmethod
    def of(cls, documents: Sequence[Counts], questions: Iterable[Counts]) -> "Vocabulary":
        """Take the stems of at least two documents or two questions, sorted.

        idf(s) = ln((N + 1) / (df(s) + 1)) / ln(N + 1) over N documents, as in ``articulado.legal.domain.base``.
        """
        frequencies = Counter(stem for counts in documents for stem in counts)
        in_questions = Counter(stem for counts in questions for stem in counts)
        stems = sorted(stem for stem, texts in (frequencies | in_questions).items() if texts >= MIN_TEXTS)
        total = math.log(len(documents) + 1) or 1.0
        idf = [math.log((len(documents) + 1) / (frequencies[stem] + 1)) / total for stem in stems]
        return cls(stems, np.array(idf, dtype=np.float32))

    def matrix(self, texts: Sequence[Counts]) -> "csr_array":
        """Return the weights of texts, (texts, stems) float32; see ``weigh``."""
        with importing("training"):
            from scipy.sparse import csr_array

        weighed = [self.weigh(counts) for counts in texts]
        ends = np.cumsum([0, *(len(rows) for rows, _ in weighed)])
        empty: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)]
        rows = np.concatenate([np.empty(0, dtype=np.intp), *(rows for rows, _ in weighed)])
        weights = np.concatenate([*empty, *(weights for _, weights in weighed)])
        return csr_array((weights, rows, ends), shape=(len(texts), len(self.stems)))

    def weigh(self, counts: Counts) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return rows and weights of known stems, at unit length: (1 + ln n) * idf, or n * idf for n < 1."""
        rows, damped = [], []
        for stem, count in counts.items():
            row = self._rows.get(stem)
            if row is not None:
                rows.append(row)
                # Most stems stand in a text once.
                damped.append(1.0 if count == 1 else 1 + math.log(count) if count > 1 else count)
        places = np.array(rows, dtype=np.intp)
        weights = np.array(damped, dtype=np.float32) * self.idf.take(places)
        length = math.sqrt(weights.dot(weights))
        return places, weights / np.float32(length) if length else weights


DIMENSIONS = 192
MAX_QUESTIONS, MAX_DOCUMENTS = 256, 16_384
"""Texts whose vectors are kept, each once for all stages: of documents, with their texts, about 40 MB."""

FOLDER = Path(str(resources.files("articulado.encoders")))

_FILE = "dual-encoder.npz"
_VERSION = "1"


@dataclass(frozen=True)
class TrainingPairs:
    """Training data: documents, and questions with the row of the document that answers each."""

    documents: Sequence[str]
    questions: Sequence[tuple[str, int]] = ()
    epochs: int = training.EPOCHS


class DualEncoder:
    """Embeds texts as TF-IDF weighted sums of their stems' axes, L2-normalised; satisfies ``Embedder``.

    Training moves the axes of "echaron" near those of "despido". A text without a known stem gets the zero vector. Axes
    are (stems, dim). ``embed_question`` and ``embed_document`` cache their vectors.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        question_axes: NDArray[np.floating],
        document_axes: NDArray[np.floating],
        domain: Domain = SPANISH_LAW,
    ) -> None:
        self.vocabulary = vocabulary
        self.domain = domain
        self._question_axes = question_axes.astype(np.float32)
        self._document_axes = document_axes.astype(np.float32)
        self.embed_question = lru_cache(MAX_QUESTIONS)(self._embed_question)
        self.embed_document = lru_cache(MAX_DOCUMENTS)(self._embed_document)

    @classmethod
    def fit(cls, training_pairs: TrainingPairs, dimensions: int, domain: Domain = SPANISH_LAW) -> "DualEncoder":
        """Train an encoder (seconds for thousands of texts); equal pairs give equal encoders."""
        documents = [document_counts(text, domain) for text in training_pairs.documents]
        # One text may be a question to several documents.
        texts = dict.fromkeys(text for text, _ in training_pairs.questions)
        counts = {text: question_counts(text, domain) for text in texts}
        questions = [counts[text] for text, _ in training_pairs.questions]
        vocabulary = Vocabulary.of(documents, counts.values())
        question_axes, document_axes = training.fit_axes(
            vocabulary.matrix(documents),
            vocabulary.matrix(questions),
            [answer for _, answer in training_pairs.questions],
            dimensions,
            training_pairs.epochs,
        )
        return cls(vocabulary, question_axes.astype(np.float16), document_axes.astype(np.float16), domain)

    def save(self, folder: Path) -> None:
        np.savez(
            folder / _FILE,
            stems=np.array(self.vocabulary.stems, dtype=np.str_),
            idf=self.vocabulary.idf,
            asked=self._question_axes.astype(np.float16),
            held=self._document_axes.astype(np.float16),
            field=np.array(self.domain.name, dtype=np.str_),
        )

    @classmethod
    def load(cls, folder: Path) -> "DualEncoder":
        """Read the encoder of an index; raise ``IndexMissing`` if it is missing or damaged."""
        path = folder / _FILE
        try:
            with open_arrays(path) as stored:
                vocabulary = Vocabulary(stored["stems"].tolist(), stored["idf"])
                domain = domain_named(str(stored["field"]))
                return cls(vocabulary, stored["asked"], stored["held"], domain)
        except (*UNREADABLE, ConfigurationError) as error:
            raise IndexMissing(translate("store.encoder_damaged", path=path)) from error

    def rotated(self, documents: Sequence[str]) -> "DualEncoder":
        """Return the encoder with its main dimensions first; cosines do not change."""
        vectors = np.stack(self.embed_all(documents))
        _, _, directions = np.linalg.svd(vectors, full_matrices=False)
        question_axes, document_axes = (
            (axes @ directions.T).astype(np.float16) for axes in (self._question_axes, self._document_axes)
        )
        return DualEncoder(self.vocabulary, question_axes, document_axes, self.domain)

    def reduced(self, dimensions: int) -> "DualEncoder":
        """Return the encoder with its first dimensions only."""
        if dimensions == self.dimensions:
            return self
        question_axes, document_axes = (axes[:, :dimensions] for axes in (self._question_axes, self._document_axes))
        return DualEncoder(self.vocabulary, question_axes, document_axes, self.domain)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the encoder of Spanish law; elsewhere, where each index has its own, ``fitted_fingerprint``."""
        if self.domain is not SPANISH_LAW:
            return fitted_fingerprint(self.dimensions, self.domain)
        digest = blake2b(repr((_VERSION, self.domain.language.fingerprint, SYNONYM_WEIGHT)).encode(), digest_size=6)
        digest.update("\n".join(self.vocabulary.stems).encode() + self.vocabulary.idf.tobytes())
        for axes in (self._question_axes, self._document_axes):
            digest.update(axes.astype(np.float16).tobytes())
        return f"dual:{self.dimensions}:{digest.hexdigest()}"

    @property
    def dimensions(self) -> int:
        return int(self._question_axes.shape[1])

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        return Embedded(self._embed([question_counts(text, self.domain) for text in texts], self._question_axes))

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        vectors = await asyncio.to_thread(self.embed_all, texts)
        await keep(texts, vectors)
        return Embedded(vectors)

    async def close(self) -> None: ...

    def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        return self._embed([document_counts(text, self.domain) for text in texts], self._document_axes)

    def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of the question with each text, in [-1, 1]; 0 without known words."""
        vector = self.embed_question(question)
        return [float(vector @ self.embed_document(text)) for text in texts]

    def _embed_question(self, text: str) -> Vector:
        return self._embed([question_counts(text, self.domain)], self._question_axes)[0]

    def _embed_document(self, text: str) -> Vector:
        return self.embed_all([text])[0]

    def _embed(self, texts: Sequence[Counts], axes: NDArray[np.float32]) -> list[Vector]:
        # Row by row: as a sparse matrix it would need scipy, whose import takes longer than a question.
        weighed = map(self.vocabulary.weigh, texts)
        return [_unit(weights @ axes.take(rows, axis=0)) for rows, weights in weighed]


def fitted_fingerprint(dimensions: int, domain: Domain) -> str:
    """Return the fingerprint of encoders trained on one index, without its texts."""
    return f"fitted:{dimensions}:{domain.language.fingerprint}"


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(vector.dot(vector))
    return vector / np.float32(length) if length else vector


@cache
def packaged_encoder(dimensions: int = DIMENSIONS) -> DualEncoder:
    """Return the packaged encoder's first dimensions; raise ``IndexMissing`` if the package is damaged."""
    return DualEncoder.load(FOLDER).reduced(dimensions)
