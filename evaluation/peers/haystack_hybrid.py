"""Haystack's hybrid: BM25 and embeddings over its in-memory store, joined by reciprocal rank fusion in a pipeline."""

import os

from evaluation.peers.base import SIDE_DEPTH, Hits, Peer, Search
from evaluation.peers.corpus import PeerCorpus, spanish_stems


def hybrid_search(corpus: PeerCorpus) -> Search:
    """Fill a store and wire the pipeline, its BM25 at its defaults (BM25L, k1 = 1.5, b = 0.75).

    Its BM25 knows no languages, so it is given stems instead of words. Nothing is reported to its makers.

    Raises:
        ImportError: ``haystack-ai`` is not installed.
    """
    # Read when the package is imported: it would post statistics, and leave a file in the user's home.
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(shared=False, return_embedding=False)
    store.write_documents(
        [
            Document(id=str(index), content=" ".join(spanish_stems(text)), embedding=vector.tolist())
            for index, (text, vector) in enumerate(zip(corpus.texts, corpus.vectors, strict=True))
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=SIDE_DEPTH))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(store, top_k=SIDE_DEPTH))
    pipeline.add_component("both", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("words", "both")
    pipeline.connect("meaning", "both")

    def search(question: str, depth: int) -> Hits:
        stems = " ".join(spanish_stems(question))
        if not stems:
            return []
        vector = corpus.embed([question])[0]
        if vector.any():
            sides = {"words": {"query": stems}, "meaning": {"query_embedding": vector.tolist()}}
            documents = pipeline.run(sides)["both"]["documents"]
        else:  # no word of it is known: all provisions would be equally near
            documents = store.bm25_retrieval(stems, top_k=depth)
        return [(int(document.id), document.score) for document in documents[:depth]]

    return search


HAYSTACK = Peer("Haystack (BM25 + embeddings, RRF)", ("haystack-ai",), hybrid_search)
