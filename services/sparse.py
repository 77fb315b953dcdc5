"""BM25 weights of Spanish text, by fastembed's encoder with our analysis; IDF is the store's part."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from importlib import resources
from typing import TYPE_CHECKING

from legal.synonyms import expand
from services.protocols import SparseVector
from services.text import SpanishStemmer, analysis_fingerprint, stem_word, stop_words

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25
    from fastembed.sparse.sparse_embedding_base import SparseEmbedding

K = 1.2
B = 0.75
AVERAGE_LENGTH = 90.0
"""Stems without stop words of the average text of the corpus; a constant, so that vectors do not depend on the rest."""

SYNONYM_WEIGHT = 0.4
"""What a stem of a legal term counts for that a query calls for, beside a stem of its own (docs/retrieval.md)."""

Synonyms = Callable[[str], Sequence[tuple[str, float]]]
"""From a query to the legal terms that it calls for, with weights in (0, 1]."""


def legal_terms(text: str) -> Sequence[tuple[str, float]]:
    """Return the legal terms that a query calls for (``legal.synonyms``)."""
    return expand(text, stem_word)


class Bm25Encoder:
    """Encodes texts as BM25 term weights; satisfies ``SparseEncoder``.

    weight(t, d) = tf (k + 1) / (tf + k (1 - b + b |d| / average length)); the weight of a term of a query is 1, that of
    a legal term which the query calls for and does not have (``synonyms``) how surely it is meant times a constant.
    Terms are the stems of ``services.text.stems``, under 31-bit murmur hashes.
    """

    def __init__(self, synonyms: Synonyms = legal_terms) -> None:
        self._synonyms = synonyms

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this encoder."""
        settings = repr((analysis_fingerprint(), K, B, AVERAGE_LENGTH))
        return f"bm25:{blake2b(settings.encode(), digest_size=6).hexdigest()}"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode search queries, with the legal terms that they call for."""
        return [self._encode_query(text) for text in texts]

    def _encode_query(self, text: str) -> SparseVector:
        terms = self._synonyms(text)
        own, *legal = _vectors(
            self._model.query_embed([_composed(one) for one in (text, *(term for term, _ in terms))])
        )
        weights = dict.fromkeys(own.indices, 1.0)
        for vector, (_, surely) in zip(legal, terms, strict=True):
            for index in vector.indices:
                weights[index] = max(weights.get(index, 0.0), surely * SYNONYM_WEIGHT)
        return SparseVector(tuple(sorted(weights)), tuple(weights[index] for index in sorted(weights)))

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode texts of the corpus."""
        return _vectors(self._model.embed([_composed(text) for text in texts]))

    @cached_property
    def _model(self) -> "Bm25":
        # Imported here: fastembed takes half a second, and much that imports this file never encodes.
        from fastembed.sparse.bm25 import Bm25

        # The encoder reads no file once it has stop words and a stemmer, but would download its stop-word lists
        # unless it is given a folder; nothing is written there.
        folder = str(resources.files("services.data"))
        return Bm25(
            "Qdrant/bm25",
            cache_dir=folder,
            specific_model_path=folder,
            k=K,
            b=B,
            avg_len=AVERAGE_LENGTH,
            stopwords=set(stop_words()),
            stemmer=SpanishStemmer(),
        )


def _composed(text: str) -> str:
    # A letter followed by a combining accent would be cut in two.
    return unicodedata.normalize("NFC", text)


def _vectors(embeddings: "Iterable[SparseEmbedding]") -> list[SparseVector]:
    vectors = []
    for embedding in embeddings:
        order = embedding.indices.argsort()
        weights = embedding.values[order].astype(float)
        vectors.append(SparseVector(tuple(embedding.indices[order].tolist()), tuple(weights.tolist())))
    return vectors
