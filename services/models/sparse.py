"""BM25 weights of text, by fastembed's encoder with the analysis of a language; IDF is the store's part."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import TYPE_CHECKING

from language.languages import Language, language
from services.domain.base import Domain
from services.protocols import SparseVector

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25
    from fastembed.sparse.sparse_embedding_base import SparseEmbedding

K = 1.2
B = 0.75
AVERAGE_LENGTH = 90.0
"""Stems without stop words of the average text of the corpus; a constant, so that vectors do not depend on the rest."""

SYNONYM_WEIGHT = 0.4
"""Weight of a stem of a term that a query calls for, where a stem of its own words weighs 1 (docs/retrieval.md)."""

Synonyms = Callable[[str], Sequence[tuple[str, float]]]
"""From a query to the terms of the field of knowledge that it calls for, each with its certainty in (0, 1]."""


class Bm25Encoder:
    """Encodes texts as BM25 term weights; satisfies ``SparseEncoder``.

    weight(t, d) = tf (k + 1) / (tf + k (1 - b + b |d| / average length)); the weight of a term of a query is 1, that of
    a term which the query calls for and does not have (``synonyms``) its certainty times ``SYNONYM_WEIGHT``.
    Terms are the stems of the language, under 31-bit murmur hashes.
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
        synonyms = self._synonyms(text)
        texts = [text, *(term for term, _ in synonyms)]
        own, *others = _vectors(self._model.query_embed(self._content_words(texts)))
        weights = dict.fromkeys(own.indices, 1.0)
        for vector, (_, certainty) in zip(others, synonyms, strict=True):
            for index in vector.indices:
                weights[index] = max(weights.get(index, 0.0), certainty * SYNONYM_WEIGHT)
        return SparseVector(tuple(sorted(weights)), tuple(weights[index] for index in sorted(weights)))

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode texts of the corpus."""
        return _vectors(self._model.embed(self._content_words(texts)))

    def _content_words(self, texts: Sequence[str]) -> list[str]:
        """Return each text as its words alone, joined by blanks: the encoder's own rule would cut words otherwise."""
        return [" ".join(self._language.content_words(text)) for text in texts]

    @property
    def _model(self) -> "Bm25":
        return _bm25(self._language.code)


@cache
def _bm25(code: str) -> "Bm25":
    """Return fastembed's encoder for a language: one for the process, because making it takes half a second."""
    # Imported here: fastembed takes half a second, and much that imports this file never encodes.
    from fastembed.sparse.bm25 import Bm25

    analysis = language(code)
    # The encoder reads no file once it has stop words and a stemmer, but would download its stop-word lists unless it
    # is given a folder; nothing is written there.
    folder = str(resources.files("language"))
    return Bm25(
        "Qdrant/bm25",
        cache_dir=folder,
        specific_model_path=folder,
        k=K,
        b=B,
        avg_len=AVERAGE_LENGTH,
        stopwords=set(analysis.stop_words),
        stemmer=_Stemmer(analysis),
    )


class _Stemmer:
    """The stemmer of a language; satisfies the ``Stemmer`` protocol of fastembed."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def stem_word(self, word: str) -> str:
        """Return the stem of a lower-case word; an empty string where nothing is left."""
        return self._language.stem_word(word)


def _vectors(embeddings: "Iterable[SparseEmbedding]") -> list[SparseVector]:
    """Return fastembed's vectors as ours, by ascending term id."""
    vectors = []
    for embedding in embeddings:
        order = embedding.indices.argsort()
        weights = embedding.values[order].astype(float)
        vectors.append(SparseVector(tuple(embedding.indices[order].tolist()), tuple(weights.tolist())))
    return vectors
