"""BM25 sparse encoder: term weights of queries and documents; the vector store applies the IDF.

weight(t, d) = tf (k + 1) / (tf + k (1 − b + b |d| / average length)), with k = 1.2, b = 0.75 and an average
length of 90 stems. Terms are stems of the language, hashed with 31-bit murmur. Vectors equal those of
fastembed's ``Bm25``. A domain synonym of a query weighs its certainty times 0.4.
"""

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
"""Stems without stop words of the average text of the corpus; a constant, so that vectors do not depend on the rest."""

LONGEST_WORD = 40
"""Characters of a word at most: what is longer is no word, but a key or a path."""

SYNONYM_WEIGHT = 0.4
"""Weight of a stem of a term that a query calls for, where a stem of its own words weighs 1 (docs/retrieval.md)."""

Synonyms = Callable[[str], Sequence[tuple[str, float]]]
"""From a query to the terms of the field of knowledge that it calls for, each with its certainty in (0, 1]."""


class Bm25Encoder:
    """Encodes texts as BM25 term weights; satisfies ``SparseEncoder``.

    weight(t, d) = tf (k + 1) / (tf + k (1 - b + b |d| / average length)); the weight of a term of a query is 1, that of
    a term which the query calls for and does not have (``synonyms``) its certainty times ``SYNONYM_WEIGHT``.
    Terms are the stems of the language, under 31-bit murmur hashes. The vectors are those of fastembed's ``Bm25``,
    which the tests compare them with.
    """

    def __init__(self, language: Language, synonyms: Synonyms = lambda text: ()) -> None:
        self._language = language
        self._synonyms = synonyms

    @classmethod
    def of(cls, domain: Domain) -> "Bm25Encoder":
        """Return the encoder of a field of knowledge: of its language, with its terms as synonyms."""
        return cls(domain.language, domain.terms)

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this encoder."""
        settings = repr((self._language.fingerprint, K, B, AVERAGE_LENGTH))
        return f"bm25:{blake2b(settings.encode(), digest_size=6).hexdigest()}"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode search queries, with the terms of the field that they call for."""
        return [self._encode_query(text) for text in texts]

    def _encode_query(self, text: str) -> SparseVector:
        weights = {term_id(stem): 1.0 for stem in self._stems(text)}
        for term, certainty in self._synonyms(text):
            for stem in self._stems(term):
                weights[term_id(stem)] = max(weights.get(term_id(stem), 0.0), certainty * SYNONYM_WEIGHT)
        return _vector(weights)

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode texts of the corpus."""
        return [self._encode_document(text) for text in texts]

    def _encode_document(self, text: str) -> SparseVector:
        counts = Counter(self._stems(text))
        length = K * (1 - B + B * counts.total() / AVERAGE_LENGTH)
        return _vector({term_id(stem): count * (K + 1) / (count + length) for stem, count in counts.items()})

    def _stems(self, text: str) -> list[str]:
        """Return the stems of a text, without those of overlong words."""
        words = (word for word in self._language.content_words(text) if len(word) <= LONGEST_WORD)
        return [stem for word in words if (stem := self._language.stem_word(word))]


def term_id(stem: str) -> int:
    """Return the number of a stem in sparse vectors."""
    return abs(mmh3.hash(stem))


def _vector(weights: Mapping[int, float]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(weights[index] for index in indices))
