"""Stand-ins that switch off one technique each, so that an ablation runs the product's own stages without it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from articulado.encoders.bm25 import Bm25Encoder
from articulado.language.languages import Language
from articulado.prompting.prompts import read_reader_reply
from articulado.values.answers import Message
from articulado.values.chunks import Chunk
from articulado.values.protocols import (
    MAX_SELECTED,
    ChatModel,
    ChunkStore,
    Completion,
    Embedded,
    Hit,
    HybridQuery,
    SearchFilter,
    SparseVector,
)
from evaluation.forwarding import ForwardingChat
from graph.services import Services
from nodes.decompose import MAX_QUERIES


@dataclass(frozen=True)
class ZeroEmbedder:
    """Gives every text the zero vector, which has no neighbours: a search by words alone. Satisfies ``Embedder``."""

    dimensions: int
    fingerprint: str = "none"

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Return zero vectors."""
        return Embedded([np.zeros(self.dimensions, dtype=np.float32) for _ in texts])

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return zero vectors."""
        return await self.embed_queries(texts)

    async def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class EmptySparseEncoder:
    """Gives every text no terms: a search by meaning alone. Satisfies ``SparseEncoder``."""

    fingerprint: str = "none"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return empty vectors."""
        return [SparseVector((), ()) for _ in texts]

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return empty vectors."""
        return self.encode_queries(texts)


@dataclass(frozen=True)
class NarrowedStore:
    """A store that can only be searched: without look-up of named provisions, without references, or without both."""

    store: ChunkStore
    lookup: bool
    references: bool

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search as the store does."""
        return await self.store.search(collection, queries, limit=limit, prefetch=prefetch, where=where)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Follow references, or find none of them."""
        return await self.store.fetch(ids) if self.references else []

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Look a provision up, or find none."""
        return await self.store.find(law_id, provision_key) if self.lookup else []

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return what refers to some chunks."""
        return await self.store.citing(ids) if self.references else []

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Select as the store does."""
        return await self.store.select(collections, where, limit=limit)

    async def counts(self) -> dict[str, int]:
        """Count as the store does."""
        return await self.store.counts()

    async def close(self) -> None:
        """Leave the store open: it belongs to the services that it came from."""


class QuestionWordsReader(ForwardingChat):
    """A reader whose searches keep the words of the question alone, without what it adds."""

    def __init__(self, reader: ChatModel, language: Language) -> None:
        super().__init__(reader)
        self._language = language

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the reader's searches; none that an earlier one has already."""
        reply = await super().complete(system, messages, deadline=deadline)
        question_stems = set(self._language.stems(messages[-1]["content"]))
        kept: list[list[str]] = []
        for search in read_reader_reply(reply.text, MAX_QUERIES).queries:
            words = [word for word in search.split() if self._language.stem_word(word) in question_stems]
            if words and not any(set(words) <= set(earlier) for earlier in kept):
                kept.append(words)
        return replace(reply, text=json.dumps([" ".join(words) for words in kept], ensure_ascii=False))

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Write the reply at once."""
        completion = await self.complete(system, messages, deadline=deadline)
        on_text(completion.text)
        return completion

    async def close(self) -> None:
        """Leave the reader open: it belongs to the services that it came from."""


def without_synonyms(services: Services) -> Services:
    """Return the services without the table of synonyms; the reader of a provider knows none of it."""
    offline = services.settings.reader.provider == "offline"
    return replace(
        services,
        sparse=Bm25Encoder(services.language) if isinstance(services.sparse, Bm25Encoder) else services.sparse,
        reader=QuestionWordsReader(services.reader, services.language) if offline else services.reader,
    )
