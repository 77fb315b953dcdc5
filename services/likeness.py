"""How near a question and a provision are, as the offline encoder of the index has learnt it."""

from collections.abc import Sequence

from services.models.vector_cache import VectorCache
from services.offline.encoder.encoder import DualEncoder
from services.protocols import Vector
from state.chunks import Chunk, indexed_text

MAX_HELD = 8_192
"""Vectors of chunks that are kept: 6 MB at 192 dimensions; a question looks at about a hundred."""


class EncodedLikeness:
    """Cosine of question and chunk; the vectors of chunks are kept, by what they say."""

    def __init__(self, encoder: DualEncoder) -> None:
        self._encoder = encoder
        self._vectors: VectorCache[Vector] = VectorCache(MAX_HELD)

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each chunk, in their order; 0 where a text says nothing."""
        asked = self._encoder.embed_question(question)
        vectors: dict[str, Vector] = {}
        missing: dict[str, str] = {}
        keys = []
        for text in map(indexed_text, chunks):
            key = self._vectors.key("dense", self._encoder.fingerprint, text)
            keys.append(key)
            known = self._vectors.get(key)
            if known is None:
                missing[key] = text
            else:
                vectors[key] = known
        for key, vector in zip(missing, self._encoder.embed_all(list(missing.values())), strict=True):
            vectors[key] = vector
            self._vectors.put(key, vector)
        return [float(asked @ vectors[key]) for key in keys]
