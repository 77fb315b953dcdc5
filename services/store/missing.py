"""What stands for the index of a process that has none yet: whatever is asked of it, it says what is missing."""

from collections.abc import Sequence
from typing import NoReturn

from articulado.values.errors import ArticuladoError
from articulado.values.protocols import MAX_SELECTED, HybridQuery, SearchFilter


class MissingIndex:
    """Satisfies ``ChunkStore`` and ``Embedder``: every call raises ``error``, which says why there is no index."""

    fingerprint = "none"
    dimensions = 0

    def __init__(self, error: ArticuladoError) -> None:
        self.error = error

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def fetch(self, ids: Sequence[int]) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def find(self, law_id: str, provision_key: str) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def citing(self, ids: Sequence[int]) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def select(self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def counts(self) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def embed_documents(self, texts: Sequence[str]) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def close(self) -> None:
        """Do nothing: there is nothing open."""
