"""Dense vectors of untrained texts (users' documents, other fields) by a pretrained sentence encoder.

Encoders differ in the cosines of unrelated texts: ``unrelated_cosines`` measures them for ``MeaningSpace``.
"""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import question_text
from articulado.encoders.sentences import SentenceEncoder
from articulado.models.embeddings import VectorCache
from articulado.store.generations import MeaningSpace
from articulado.store.records.schema import load_general_matters
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import Embedded, Keep, Vector, keep_nothing

VERSION = "1"  # raise it if the same text and encoder give another vector
KEPT = 256  # passages whose vectors are stored together: the most that an interruption loses


def meaning_fingerprint(encoder: SentenceEncoder) -> str:
    return f"meaning:{VERSION}:{encoder.fingerprint}"


class MeaningEmbedder:
    """``Embedder`` by a sentence encoder."""

    def __init__(self, encoder: SentenceEncoder, dimensions: int = 0) -> None:
        self._encoder = encoder
        self.fingerprint = meaning_fingerprint(encoder)
        self.dimensions = dimensions

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed texts off the event loop, about 1 ms each; raise ``ModelError`` if the encoder fails."""
        try:
            return Embedded(list(await asyncio.to_thread(self.encode, texts)))
        except ConfigurationError as error:
            raise ModelError(str(error)) from error

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        """Embed passages off the event loop, about 5 ms each."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), KEPT):
            batch = texts[start : start + KEPT]
            made = (await self.embed_queries(batch)).vectors
            await keep(batch, made)
            vectors += made
        return Embedded(vectors)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoder.encode([question_text(text) for text in texts])

    async def close(self) -> None: ...


class TextCloseness:
    """``TextSimilarity`` of a question and texts, in [0, 1], with cached vectors; all 0 if the encoder fails."""

    def __init__(self, embedder: MeaningEmbedder, space: MeaningSpace) -> None:
        self._embedder, self._space = embedder, space
        self._vectors: VectorCache[Vector] = VectorCache()

    def __call__(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        keys = {text: self._vectors.key("dense", self._embedder.fingerprint, text) for text in (question, *texts)}
        vectors = {text: vector for text, key in keys.items() if (vector := self._vectors.get(key)) is not None}
        missing = [text for text in keys if text not in vectors]
        try:
            vectors |= zip(missing, self._embedder.encode(missing) if missing else (), strict=True)
        except (ConfigurationError, ModelError):
            return [0.0] * len(texts)
        for text in missing:
            self._vectors.put(keys[text], vectors[text])
        return [self._space.closeness(float(vectors[question] @ vectors[text])) for text in texts]


def unrelated_cosines(embedder: MeaningEmbedder, language: str) -> tuple[float, float]:
    """Return mean and standard deviation of the cosines of unrelated questions and passages.

    Each question on a general matter (banks, shops, travel) is compared with the passages on all others.
    """
    matters = load_general_matters(language)
    questions = embedder.encode([matter.inquiries[0] for matter in matters])
    passages = embedder.encode([matter.text for matter in matters])
    others = (questions @ passages.T)[~np.eye(len(matters), dtype=np.bool_)]
    return float(others.mean()), float(others.std())
