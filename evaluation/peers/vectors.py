"""The vectors that all peers share: latent semantic analysis, fitted to the provisions, with nothing to download.

The same for all, so that what is compared is the method. It is LSA as scikit-learn has it (TF-IDF, truncated SVD;
Deerwester et al., "Indexing by Latent Semantic Analysis", 1990), and not our own encoder, which learns from how people
ask and knows synonyms: these are part of what is compared.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.peers.analysis import spanish_stems

DIMENSIONS = 192
"""As many as our own vectors have by default."""
MIN_TEXTS = 2
"""A stem that fewer texts have relates nothing to anything."""
_SEED = 7


class LatentVectors:
    """Embeds texts by their stems; fitted when it is made."""

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.utils.extmath import randomized_svd

        self._weights = TfidfVectorizer(analyzer=spanish_stems, min_df=min(MIN_TEXTS, len(texts)), sublinear_tf=True)
        weighed = self._weights.fit_transform(texts)
        rank = max(1, min(DIMENSIONS, *(size - 1 for size in weighed.shape)))
        # What TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
        _, _, self._axes = randomized_svd(weighed, rank, random_state=_SEED)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (texts, dim) float32, L2-normalised; a text without any known stem has the zero vector."""
        vectors = np.asarray(self._weights.transform(texts) @ self._axes.T, dtype=np.float32)
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return vectors / lengths
