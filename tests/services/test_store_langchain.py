"""The server layout is LangChain's: its own vector store opens our collections and ranks as we do."""

import hashlib
import random
from pathlib import Path

import pytest
from fakes.chunks import Batch, make_chunk, random_queries, random_vectors
from fakes.stores import build
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector as LangChainSparseVector
from qdrant_client import AsyncQdrantClient, QdrantClient

from services.protocols import SearchFilter
from services.store.server import ServerStore
from services.store.server_writer import ServerWriter

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning"),
    # The local mode leaves its database open, which Python tells from 3.13 on.
    pytest.mark.filterwarnings("ignore:Exception ignored in.*sqlite3:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning"),
]

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


def by_score_then_id(hits: list[tuple[int, float]]) -> list[int]:
    """Order as we do: Qdrant leaves the order of equal scores open."""
    return [id for id, _ in sorted(hits, key=lambda hit: (-round(hit[1], 6), hit[0]))]


async def test_hybrid_retrieval_gives_our_first_five(tmp_path: Path) -> None:
    server = str(tmp_path / "qdrant")
    index = await build(
        tmp_path / "index", [batch()], lambda folder: ServerWriter(AsyncQdrantClient(path=server), folder.name)
    )
    client = AsyncQdrantClient(path=server)
    store = ServerStore(client, index)
    found = await store.search("normativa", list(QUERIES.values()), limit=10, prefetch=20, where=SearchFilter())
    await store.close()

    ours = {text: [(hit.chunk["id"], hit.score) for hit in hits] for text, hits in zip(QUERIES, found, strict=True)}
    theirs_client = QdrantClient(path=server)
    theirs = QdrantVectorStore(
        theirs_client,
        "normativa",
        embedding=Dense(),
        sparse_embedding=Sparse(),
        retrieval_mode=RetrievalMode.HYBRID,
        vector_name="text-dense",
        sparse_vector_name="text-sparse",
    )
    untied = 0
    for text, hits in ours.items():
        documents = theirs.similarity_search_with_score(text, k=20)
        assert [score for _, score in documents[:10]] == pytest.approx([score for _, score in hits])
        order = [document.metadata["id"] for document, _ in documents]
        scored = [(id, score) for id, (_, score) in zip(order, documents, strict=True)]
        assert by_score_then_id(scored)[:5] == [id for id, _ in hits[:5]]
        assert documents[0][0].page_content == make_chunk(order[0])["text"]
        if len({score for _, score in hits[:6]}) == 6:
            assert order[:5] == [id for id, _ in hits[:5]]
            untied += 1
    theirs_client.close()
    assert untied
