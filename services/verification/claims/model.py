"""How likely a term of a claim is at fault, by the evidence: boosted trees, trained by ``tools.train_claims``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = Path(str(resources.files("services.verification.claims"))) / "claims.npz"
"""Where the trees of the package lie."""


@dataclass(frozen=True)
class ClaimModel:
    """Boosted trees over the features of ``evidence``, and the weights of stems that were counted with them.

    The arrays are (trees, nodes): a node goes to ``left`` where its feature is at most ``threshold``, else to
    ``right``; a leaf has feature -1 and its ``value`` in log odds. ``limit`` is the log odds from which a term is told.
    """

    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    value: NDArray[np.float32]
    bias: float
    limit: float
    idf: Mapping[str, float]
    rarest: float

    def log_odds(self, features: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """Return the log odds of each row of features, (candidates, features)."""
        rows = np.asarray(features, dtype=np.float32)
        trees = np.arange(len(self.feature))
        node = np.zeros((len(rows), len(trees)), dtype=np.int64)
        while True:
            tested = self.feature[trees, node]
            inner = tested >= 0
            if not inner.any():
                break
            values = np.take_along_axis(rows, np.maximum(tested, 0).astype(np.int64), axis=1)
            goes_left = values <= self.threshold[trees, node]
            following = np.where(goes_left, self.left[trees, node], self.right[trees, node])
            node = np.where(inner, following, node)
        odds: NDArray[np.float64] = self.value[trees, node].astype(np.float64).sum(axis=1) + self.bias
        return odds


@cache
def packaged_model() -> ClaimModel:
    """Return the trees of the package."""
    with np.load(FILE) as arrays:
        stems = str(arrays["stems"]).split()
        idf = dict(zip(stems, map(float, arrays["idf"]), strict=True))
        bias, limit, rarest = map(float, arrays["scalars"])
        feature, threshold, left, right, value = (
            arrays[name] for name in ("feature", "threshold", "left", "right", "value")
        )
    return ClaimModel(feature, threshold, left, right, value, bias, limit, idf, rarest)
