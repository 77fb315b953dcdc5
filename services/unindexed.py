"""What stands in for an embedder where retrieval is switched off: there is no index to embed for."""

from collections.abc import Sequence

from services.protocols import Embedded
from state.errors import ConfigurationError


class Unindexed:
    """Satisfies ``Embedder`` and refuses to embed: a run that asks for retrieval all the same is told why not."""

    fingerprint = "none"
    dimensions = 0

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Raise ``ConfigurationError``."""
        raise ConfigurationError(
            "La búsqueda en el índice está desactivada (ARTICULADO_RAG_ENABLED=false) y esta pregunta la pide. "
            "Actívela en la configuración, o pregunte sin la opción «rag_enabled»."
        )

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Raise ``ConfigurationError``."""
        return await self.embed_queries(texts)

    async def close(self) -> None:
        """Do nothing: there are no connections."""
