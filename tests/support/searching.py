"""The real search over chunks of a test: embedded store, BM25 and the retrieval graph; words alone decide."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from support.chunks import Batch, unit
from support.doubles import FakeEmbedder, QueueChat, make_services
from support.stores import build

from articulado.encoders.bm25 import Bm25Encoder
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.embedded import EmbeddedStore
from articulado.values.chunks import Chunk
from articulado.values.protocols import Embedded
from graph.rag import Rag, build_context, build_rag
from graph.services import Services

USED = "Lo dice la norma {marks}.\n===META===\nUSED|{numbers}\nDROP|ninguno"


class NoMeaning(FakeEmbedder):
    """Knows no word: its vectors are zero, and have no neighbours."""

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        return Embedded([np.zeros(2, dtype=np.float32) for _ in texts])


async def services_over(folder: Path, chunks: Sequence[Chunk], query: str, answer: str | None = "") -> Services:
    """Index chunks and open what a graph needs: the reader searches one query, the principal gives one answer.

    Without an answer the principal is the one that works offline.
    """
    words = Bm25Encoder.of(SPANISH_LAW).encode_documents([f"{chunk['title']}\n{chunk['text']}" for chunk in chunks])
    index = await build(folder, [Batch(chunks, [unit(1, 0)] * len(chunks), words)])
    store: Any = EmbeddedStore(index.folder, list(index.manifest.collections))
    reader, principal = QueueChat(f'["{query}"]'), None if answer is None else QueueChat(answer)
    return make_services(store, reader, principal, embedder=NoMeaning(), sparse=Bm25Encoder.of(SPANISH_LAW))


async def retrieval_over(folder: Path, chunks: Sequence[Chunk], query: str) -> Rag:
    """Return the retrieval graph over an index of chunks."""
    return build_context(await services_over(folder, chunks, query))


async def rag_over(folder: Path, chunks: Sequence[Chunk], query: str, *, cited: int) -> Rag:
    """Return the answering graph over an index of chunks; each answer cites the first fragments, as many as asked."""
    numbers = range(1, cited + 1)
    answer = USED.format(marks="".join(f"[C{n}]" for n in numbers), numbers=",".join(map(str, numbers)))
    return build_rag(await services_over(folder, chunks, query, answer))
