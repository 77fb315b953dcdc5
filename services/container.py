"""The live services of a process, bound to the nodes when a graph is built."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

from services.field import Field
from services.language import Language
from services.profile import Profile
from services.protocols import ChatModel, ChunkStore, Embedder, RerankerTable, SparseEncoder, TokenCounter
from services.records import PackagedRecords
from services.settings import Settings


class Closing(Protocol):
    """What is let go of in the end."""

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


@dataclass(frozen=True)
class Services:
    """Everything that reaches outside the state; built once by ``services.factory``."""

    settings: Settings
    profile: Profile
    store: ChunkStore
    reader: ChatModel
    principal: ChatModel
    embedder: Embedder
    sparse: SparseEncoder
    rerankers: RerankerTable
    records: PackagedRecords
    counter: TokenCounter
    field: Field

    @property
    def language(self) -> Language:
        """The language of the profile: what is said, and how text is read."""
        return self.field.language

    async def close(self) -> None:
        """Let go of files and connections; a service that fails to close does not keep the others open.

        Raises: what the last service to fail has raised.
        """
        async with AsyncExitStack() as stack:
            services: tuple[Closing, ...] = (self.store, self.reader, self.principal, self.embedder)
            for service in (*services, *self.rerankers.values()):
                stack.push_async_callback(service.close)
