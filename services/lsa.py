"""Latent semantic analysis: dense vectors learnt from the corpus itself, without a model to download.

A text is a TF-IDF vector over the stems of the lexicon, projected on the main axes of the corpus (truncated SVD;
Deerwester et al., "Indexing by Latent Semantic Analysis", 1990). scikit-learn is needed to fit, not to embed.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from services.errors import IndexMissing
from services.lexicon import Lexicon
from services.protocols import Embedded, Vector
from services.text import analysis_fingerprint, stems

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MIN_TEXTS = 2
"""A stem that fewer texts have relates nothing to anything."""
_ITERATIONS = 4
_SEED = 7
_NOISE = 1e-5
_VERSION = "1"


class LsaEmbedder:
    """Embeds texts by their stems; satisfies ``Embedder``.

    ``axes`` is (known stems, dim) float16, its rows in the order of the lexicon. A text without any known stem gets
    the zero vector: it has no dense side. Vectors always have the dimensions asked for: where the corpus is too small
    to fill them, the last ones are 0, so that neither layout nor fingerprint depends on the number of texts.
    """

    def __init__(self, lexicon: Lexicon, axes: NDArray[np.float16]) -> None:
        self.lexicon = lexicon
        self._axes = axes
        known = list(lexicon.frequencies)[: len(axes)]
        self._rows = {stem: row for row, stem in enumerate(known)}
        self._idf = np.array([lexicon.idf(stem) for stem in known], dtype=np.float32)

    @staticmethod
    def fingerprint_for(dimensions: int) -> str:
        """Return the fingerprint that an embedder of so many dimensions has, before any is fitted."""
        settings = repr((_VERSION, analysis_fingerprint(), dimensions, MIN_TEXTS, _ITERATIONS, _SEED))
        return f"lsa:{blake2b(settings.encode(), digest_size=6).hexdigest()}"

    @classmethod
    def fit(cls, texts: Sequence[str], dimensions: int) -> "LsaEmbedder":
        """Learn the axes of a corpus (a few seconds for thousands of texts); the same texts give the same axes."""
        from sklearn.utils.extmath import randomized_svd

        lexicon = Lexicon.build(texts)
        known = sum(1 for count in lexicon.frequencies.values() if count >= MIN_TEXTS)
        embedder = cls(lexicon, np.zeros((known, dimensions), dtype=np.float16))
        rank = min(dimensions, len(texts) - 1, known - 1)
        if rank < 1:
            return embedder
        # What sklearn's TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
        _, strengths, axes = randomized_svd(embedder._matrix(texts), rank, n_iter=_ITERATIONS, random_state=_SEED)
        meaningful = int(np.count_nonzero(strengths > _NOISE * strengths[0]))
        embedder._axes[:, :meaningful] = axes[:meaningful].T
        return embedder

    def save(self, folder: Path) -> None:
        """Write the axes and their lexicon into the ``models`` folder of an index."""
        self.lexicon.save(folder)
        np.save(folder / f"lsa-{self.lexicon.digest}.npy", self._axes)

    @classmethod
    def load(cls, folder: Path) -> "LsaEmbedder":
        """Open what ``save`` wrote; the axes stay on disk and are mapped into memory.

        Raises:
            IndexMissing: a file is missing, damaged, or of another corpus than the rest.
        """
        lexicon = Lexicon.load(folder)
        path = folder / f"lsa-{lexicon.digest}.npy"
        try:
            return cls(lexicon, np.load(path, mmap_mode="r"))
        except (OSError, ValueError) as error:
            raise IndexMissing(
                f"Faltan los vectores LSA del índice o están dañados ({path}). "
                "Reconstruya el índice con «articulado ingest»."
            ) from error

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this embedder."""
        return self.fingerprint_for(self.dimensions)

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return int(self._axes.shape[1])

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed search queries (about 0.1 ms each, no request)."""
        return Embedded([self._embed(text) for text in texts])

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of the corpus, off the event loop."""
        return Embedded(await asyncio.to_thread(self.embed_all, texts))

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts of the corpus, here and now."""
        if not texts:
            return []
        return [_unit(vector) for vector in self._matrix(texts) @ self._axes.astype(np.float32)]

    def _embed(self, text: str) -> Vector:
        rows, weights = self._weigh(text)
        return _unit(weights @ self._axes[rows].astype(np.float32))

    def _matrix(self, texts: Sequence[str]) -> "csr_array":
        """Return the weights of the stems of some texts, (texts, known stems) sparse."""
        from scipy.sparse import csr_array

        weighed = [self._weigh(text) for text in texts]
        ends = np.cumsum([0, *(len(rows) for rows, _ in weighed)])
        rows, weights = (np.concatenate(parts) for parts in zip(*weighed, strict=True))
        return csr_array((weights, rows, ends), shape=(len(texts), len(self._rows)))

    def _weigh(self, text: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the rows of the known stems of a text and their weights, (1 + ln tf) × idf, of unit length."""
        counts = Counter(row for stem in stems(text) if (row := self._rows.get(stem)) is not None)
        rows = np.fromiter(counts.keys(), dtype=np.intp, count=len(counts))
        frequencies = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
        return rows, _unit((1 + np.log(frequencies)) * self._idf[rows])


def _unit(vector: Vector) -> Vector:
    """Return the vector at length 1; zeros stay."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector
