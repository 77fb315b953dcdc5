"""The vectors that a provider has computed for a build: a build that was killed does not pay for them again."""

from collections.abc import Mapping, Sequence

import numpy as np

from ingestion.context.paid_cache import PaidCache
from services.protocols import Vector


class VectorJournal(PaidCache):
    """Vectors by key; float32, as they came."""

    contents = "vectores ya calculados"

    def get_many(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those keys that have one.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        return {key: np.frombuffer(raw, dtype=np.float32) for key, raw in self._get_many(keys).items()}

    def put_many(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        self._put_many({key: np.asarray(vector, dtype=np.float32).tobytes() for key, vector in vectors.items()})
