"""The server layout is LangChain's: its own vector store opens our collections and fuses the sides that we search."""

import hashlib
import random
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector as LangChainSparseVector
from qdrant_client import AsyncQdrantClient, QdrantClient
from support.chunks import NO_TERMS, Batch, make_chunk, random_queries, random_vectors
from support.stores import build

from articulado.store.server import ServerStore
from articulado.store.server_writer import ServerWriter
from articulado.values.protocols import HybridQuery, SearchFilter

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning"),
    # The local mode leaves its database open, which Python tells from 3.13 on.
    pytest.mark.filterwarnings("ignore:Exception ignored in.*sqlite3:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning"),
]

PLACES = 20

QUERIES = {f"consulta {number}": query for number, query in enumerate(random_queries(5, count=12))}


class Dense(Embeddings):
    def embed_query(self, text: str) -> list[float]:
        return QUERIES.get(text, next(iter(QUERIES.values()))).dense.tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Sparse(SparseEmbeddings):
    def embed_query(self, text: str) -> LangChainSparseVector:
        vector = QUERIES[text].sparse
        return LangChainSparseVector(indices=list(vector.indices), values=list(vector.values))

    def embed_documents(self, texts: list[str]) -> list[LangChainSparseVector]:
        return [self.embed_query(text) for text in texts]


def batch() -> Batch:
    source = random.Random(3)
    vectors = [random_vectors(source) for _ in range(60)]
    ids = [int(hashlib.blake2b(bytes([number])).hexdigest()[:12], 16) for number in range(60)]
    return Batch([make_chunk(id) for id in ids], [dense for dense, _ in vectors], [sparse for _, sparse in vectors])


def fused_by_qdrant(*sides: list[int]) -> dict[int, float]:
    """Fuse rankings as Qdrant does by itself: 1 / (2 + rank), ranks from 0, every side alike."""
    scores: dict[int, float] = {}
    for side in sides:
        for rank, id in enumerate(side):
            scores[id] = scores.get(id, 0.0) + 1 / (2 + rank)
    return scores


async def test_langchains_hybrid_search_returns_our_hits(tmp_path: Path) -> None:
    server = str(tmp_path / "qdrant")
    index = await build(
        tmp_path / "index", [batch()], lambda folder: ServerWriter(AsyncQdrantClient(path=server), folder)
    )
    store = ServerStore(AsyncQdrantClient(path=server), index)
    by_meaning = [HybridQuery(query.dense, NO_TERMS) for query in QUERIES.values()]
    by_words = [HybridQuery(None, query.sparse) for query in QUERIES.values()]
    answers = await store.search(
        "normativa", [*by_meaning, *by_words], limit=PLACES, prefetch=PLACES, where=SearchFilter()
    )
    await store.close()
    rankings = [[hit.chunk["id"] for hit in hits] for hits in answers]
    assert all(rankings), "the data must be found at all"

    client = QdrantClient(path=server)
    theirs = QdrantVectorStore(
        client,
        "normativa",
        embedding=Dense(),
        sparse_embedding=Sparse(),
        retrieval_mode=RetrievalMode.HYBRID,
        vector_name="text-dense",
        sparse_vector_name="text-sparse",
    )
    texts = {chunk["id"]: chunk["text"] for chunk in batch().chunks}
    for text, dense, sparse in zip(QUERIES, rankings[: len(QUERIES)], rankings[len(QUERIES) :], strict=True):
        documents = theirs.similarity_search_with_score(text, k=PLACES)
        expected = fused_by_qdrant(dense, sparse)
        # The engine leaves the order of equal scores open, and which of them the last places go to.
        best = sorted(expected.values(), reverse=True)[:PLACES]
        assert [score for _, score in documents] == pytest.approx(best, abs=1e-6)
        for document, score in documents:
            id = document.metadata["id"]
            assert score == pytest.approx(expected[id], abs=1e-6)
            assert document.page_content == texts[id]
            assert document.metadata["law_id"] == "BOE-A-2015-11430"
    client.close()
