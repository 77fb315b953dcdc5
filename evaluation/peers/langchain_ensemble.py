"""LangChain's hybrid: an ``EnsembleRetriever`` over BM25 and an in-memory vector store.

LangChain's own BM25 retriever is left out: it lives in ``langchain-community``, which is being wound up, and rests on
``rank-bm25``, which has had no release since 2022. A retriever over ``bm25s`` takes its place.
"""

from evaluation.peers.base import SIDE_DEPTH, Hits, Peer, Search
from evaluation.peers.corpus import PeerCorpus
from evaluation.peers.lexical import lexical_search

_INDEX = "index"
_RRF_K = 60
"""The constant that the ensemble fuses with by default; it hands over no scores, only the order."""


def ensemble_search(corpus: PeerCorpus) -> Search:
    """Fill the vector store and join it with BM25, half and half, as LangChain's documentation does.

    Raises:
        ImportError: ``langchain-classic`` or ``bm25s`` is not installed.
    """
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import InMemoryVectorStore

    by_words = lexical_search(corpus)
    documents = [
        Document(id=str(index), page_content=text, metadata={_INDEX: index}) for index, text in enumerate(corpus.texts)
    ]

    class Shared(Embeddings):
        """The vectors that all peers share."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float(value) for value in vector] for vector in corpus.vectors]

        def embed_query(self, text: str) -> list[float]:
            return [float(value) for value in corpus.embed([text])[0]]

    class Words(BaseRetriever):
        """BM25 as a retriever."""

        def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
            return [documents[index] for index, _ in by_words(query, SIDE_DEPTH)]

    store = InMemoryVectorStore(Shared())
    store.add_documents(documents)
    words, meaning = Words(), store.as_retriever(search_kwargs={"k": SIDE_DEPTH})
    both = EnsembleRetriever(retrievers=[words, meaning], weights=[0.5, 0.5], id_key=_INDEX, c=_RRF_K)

    def search(question: str, depth: int) -> Hits:
        # The vector store refuses a question without a vector: no word of it is known.
        found_documents = (both if corpus.embed([question]).any() else words).invoke(question)[:depth]
        return [
            (document.metadata[_INDEX], 1 / (_RRF_K + rank)) for rank, document in enumerate(found_documents, start=1)
        ]

    return search


LANGCHAIN = Peer("LangChain (EnsembleRetriever)", ("langchain-classic", "bm25s"), ensemble_search)
