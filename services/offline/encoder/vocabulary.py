"""The vocabulary of an encoder: its stems, and texts as weights over them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from articulado.config.extras import importing
from articulado.legal.domain.base import Domain

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MIN_TEXTS = 2
"""A stem that fewer texts have relates nothing to anything."""

SYNONYM_WEIGHT = 0.5
"""What a term of the domain counts for that a question calls for and does not have, beside a word of its own."""

Counts = Mapping[str, float]
"""How often a text has each stem."""


def document_counts(text: str, domain: Domain) -> Counts:
    """Count the stems of a document."""
    return Counter(domain.stems(text))


def question_counts(text: str, domain: Domain) -> Counts:
    """Count the stems of a question, and those of the terms of the domain that it calls for."""
    counts: dict[str, float] = dict(Counter(domain.stems(text)))
    for term, certainty in domain.terms(text):
        for stem in domain.stems(term):
            counts[stem] = max(certainty * SYNONYM_WEIGHT, counts.get(stem, 0.0))
    return counts


class Vocabulary:
    """Stems and how much each says, idf in [0, 1]; their order is that of the rows of an encoder's axes."""

    def __init__(self, stems: Sequence[str], idf: NDArray[np.float32]) -> None:
        self.stems = tuple(stems)
        self.idf = idf
        self._rows = {stem: row for row, stem in enumerate(self.stems)}

    @classmethod
    def of(cls, documents: Sequence[Counts], questions: Iterable[Counts]) -> "Vocabulary":
        """Take the stems that at least two documents or two questions have, in alphabetical order.

        idf(s) = ln((N + 1) / (df(s) + 1)) / ln(N + 1) over the N documents, as in ``articulado.legal.domain.base``.
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
        """Return rows and weights of the known stems, of unit length: (1 + ln n) · idf, or n · idf for n below 1."""
        counted = [(row, count) for stem, count in counts.items() if (row := self._rows.get(stem)) is not None]
        rows = np.array([row for row, _ in counted], dtype=np.intp)
        # Most stems stand in a text once.
        damped = [1.0 if count == 1 else 1 + math.log(count) if count > 1 else count for _, count in counted]
        weights = np.array(damped, dtype=np.float32) * self.idf[rows]
        length = float(np.linalg.norm(weights))
        return rows, weights / np.float32(length) if length else weights
