"""BM25 sparse encoder; the vector store applies the IDF. Vectors equal those of fastembed's ``Bm25``."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import mmh3

from articulado.language.languages import Language
from articulado.legal.domain.base import Domain
from articulado.values.protocols import SparseVector

K = 1.2
B = 0.75
AVERAGE_LENGTH = 90.0
"""Stems of the average corpus text, without stop words; constant, so that vectors do not depend on other texts."""

LONGEST_WORD = 40  # longer words are keys or paths

SYNONYM_WEIGHT = 0.4  # weight of a synonym's stem, beside 1 for words of the query (docs/decisions/0058)

Synonyms = Callable[[str], Sequence[tuple[str, float]]]
"""Maps a query to related terms of the field, each with a certainty in (0, 1]."""


class Bm25Encoder:
    """Encodes texts as BM25 term weights; satisfies ``SparseEncoder``.

    weight(t, d) = tf (k + 1) / (tf + k (1 - b + b |d| / average length)), and 1 in a query; a synonym has its certainty
    times ``SYNONYM_WEIGHT``. Terms are 31-bit murmur hashes of stems.
    """

    def __init__(self, language: Language, synonyms: Synonyms = lambda text: ()) -> None:
        self._language = language
        self._synonyms = synonyms

    @classmethod
    def of(cls, domain: Domain) -> "Bm25Encoder":
        return cls(domain.language, domain.terms)

    @property
    def fingerprint(self) -> str:
        settings = repr((self._language.fingerprint, K, B, AVERAGE_LENGTH))
        return f"bm25:{blake2b(settings.encode(), digest_size=6).hexdigest()}"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        return [self._encode_query(text) for text in texts]

    def _encode_query(self, text: str) -> SparseVector:
        weights = {term_id(stem): 1.0 for stem in self._stems(text)}
        for term, certainty in self._synonyms(text):
            for stem in self._stems(term):
                weights[term_id(stem)] = max(weights.get(term_id(stem), 0.0), certainty * SYNONYM_WEIGHT)
        return _vector(weights)

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        return [self._encode_document(text) for text in texts]

    def _encode_document(self, text: str) -> SparseVector:
        counts = Counter(self._stems(text))
        length = K * (1 - B + B * counts.total() / AVERAGE_LENGTH)
        return _vector({term_id(stem): count * (K + 1) / (count + length) for stem, count in counts.items()})

    def _stems(self, text: str) -> list[str]:
        words = (word for word in self._language.content_words(text) if len(word) <= LONGEST_WORD)
        return [stem for word in words if (stem := self._language.stem_word(word))]


def term_id(stem: str) -> int:
    return abs(mmh3.hash(stem))


def _vector(weights: Mapping[int, float]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(weights[index] for index in indices))
