"""BM25 weights of Spanish text, by fastembed's encoder with our analysis; IDF is the store's part."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from importlib import resources
from typing import TYPE_CHECKING

from services.protocols import SparseVector
from services.text import SpanishStemmer, analysis_fingerprint, stop_words

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25
    from fastembed.sparse.sparse_embedding_base import SparseEmbedding

K = 1.2
B = 0.75
AVERAGE_LENGTH = 90.0
"""Stems without stop words of the average text of the corpus; a constant, so that vectors do not depend on the rest."""


class Bm25Encoder:
    """Encodes texts as BM25 term weights; satisfies ``SparseEncoder``.

    weight(t, d) = tf (k + 1) / (tf + k (1 - b + b |d| / average length)); the weight of a term of a query is 1.
    Terms are the stems of ``services.text.stems``, under 31-bit murmur hashes.
    """

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this encoder."""
        settings = repr((analysis_fingerprint(), K, B, AVERAGE_LENGTH))
        return f"bm25:{blake2b(settings.encode(), digest_size=6).hexdigest()}"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode search queries."""
        return _vectors(self._model.query_embed([_composed(text) for text in texts]))

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
