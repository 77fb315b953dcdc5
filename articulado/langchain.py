"""For LangChain programs: retrieval as a retriever, answers as a tool, a server collection as a vector store.

    from articulado.langchain import retriever, tool, vector_store

    retriever(k=5).invoke("¿Cuántos días de vacaciones tengo?")
    tool(territory="Madrid").invoke({"question": "¿Cuántos días de vacaciones tengo?"})
    vector_store("normativa").similarity_search("preaviso de las vacaciones")

``retriever`` runs all stages up to the ranking. ``vector_store`` is LangChain's hybrid search with our encoders,
without dates and territories. By default all use the settings of the environment.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast

import numpy as np
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector as LangChainSparseVector

from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.retrieval.fusion import ranked_provisions, with_cards
from articulado.store.layout import CONTENT, DENSE, METADATA, SPARSE
from articulado.store.opening import open_index
from articulado.store.server_collection import collection_name, connect_blocking
from articulado.values.chunks import Candidate, Chunk, blank_chunk, ordering_score, own_document, status_said
from articulado.values.errors import ConfigurationError, InvalidInput
from articulado.values.protocols import Embedded, Embedder, SparseEncoder
from nodes.stage import wait_for

PARENT_MARK = "[PARENT-CTX]"  # separates the found piece of a provision from its whole text in a document

LAY_PHRASINGS = "lay_phrasings"  # `source` and `chunk_type` of people's questions that lead to a provision

DOCUMENTS = 10  # default number of a retriever's documents

_KEYS = ["candidates", "cards"]


class ProvisionRetriever(BaseRetriever):
    """Finds provisions, rulings, criteria and answer cards for a question, the best one first.

    ``page_content`` is the text, ``metadata`` the other fields of a chunk (``articulado.values.chunks.Chunk``) and
    ``score``, the relevance in [0, 1]. A user's document has the ``source`` ``own_document``, its file in ``document``
    and no ``status``. Invoking it raises ``ArticuladoError``.
    """

    context: Any
    k: int = DOCUMENTS
    as_of: date | None = None
    territory: str | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        config = {"callbacks": run_manager.get_child()}
        found = self.context.invoke(
            {"question": query}, config, context=_options(as_of=self.as_of, territory=self.territory), output_keys=_KEYS
        )
        return self._documents(found)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        config = {"callbacks": run_manager.get_child()}
        found = await self.context.ainvoke(
            {"question": query}, config, context=_options(as_of=self.as_of, territory=self.territory), output_keys=_KEYS
        )
        return self._documents(found)

    def _documents(self, found: Mapping[str, Any]) -> list[Document]:
        ranked = ranked_provisions(with_cards(found["candidates"], found["cards"]))
        return [_document(candidate) for candidate in ranked[: self.k]]


def retriever(
    settings: Settings | None = None, *, k: int = DOCUMENTS, as_of: date | None = None, territory: str | None = None
) -> ProvisionRetriever:
    """Return our retrieval as a LangChain retriever; the index is opened now, or built on first use.

    Args:
        settings: default: those of the environment.
        k: maximum number of documents, from 1.
        as_of: day whose law is searched; default: today.
        territory: community or city whose law is searched beside state law.
    """
    from graph.compose import open_services
    from graph.rag import build_context

    if k < 1:
        raise InvalidInput(translate("langchain.least_documents"))
    context = build_context(wait_for(open_services(settings)))
    return ProvisionRetriever(context=context, k=k, as_of=as_of, territory=territory)


def tool(settings: Settings | None = None, *, as_of: date | None = None, territory: str | None = None) -> BaseTool:
    """Return the answering graph as an agent's tool with one argument, the question.

    ``graph.app.rag.as_tool()`` is the same with the settings of the environment. For arguments and errors see
    ``retriever``.
    """
    from graph.app import question_tool
    from graph.compose import open_services
    from graph.rag import build_rag

    services = wait_for(open_services(settings))
    return question_tool(build_rag(services), services.profile, context=_options(as_of=as_of, territory=territory))


def vector_store(collection: str = "normativa", settings: Settings | None = None) -> "ArticuladoVectorStore":
    """Return LangChain's vector store over a collection of the served index, with its encoders.

    Raises ``ConfigurationError`` without a server in the settings, ``InvalidInput`` for an unknown collection.
    """
    from graph.compose import open_services

    settings = settings or Settings.read()
    if settings.store != "server":
        raise ConfigurationError(translate("langchain.no_server"))
    services = wait_for(open_services(settings))
    manifest = open_index(settings.index_folder).manifest
    if collection not in manifest.collections:
        names = ", ".join(sorted(manifest.collections))
        raise InvalidInput(translate("langchain.unknown_collection", name=collection, names=names))
    by_meaning = manifest.meaning is not None and collection in manifest.meaning.collections
    meaning = services.meaning.embedder if services.meaning else None
    embedder = meaning if by_meaning else services.embedder
    if embedder is None:
        raise ConfigurationError(translate("langchain.no_encoder", name=collection))
    return ArticuladoVectorStore(
        client=connect_blocking(settings),
        collection_name=collection_name(f"{settings.qdrant_prefix}{collection}", manifest.stored_as),
        embedding=DenseEncoder(embedder),
        sparse_embedding=SparseTermEncoder(services.sparse),
        retrieval_mode=RetrievalMode.HYBRID,
        vector_name=DENSE,
        sparse_vector_name=SPARSE,
        content_payload_key=CONTENT,
        metadata_payload_key=METADATA,
        # LangChain would send a text of its own to be embedded.
        validate_collection_config=False,
    )


class ArticuladoVectorStore(QdrantVectorStore):
    """LangChain's vector store; its documents add the whole provision to the found piece.

    Points with the ``metadata.source`` ``lay_phrasings`` are people's questions that lead to a provision, and no law:
    their documents have this ``chunk_type``, too, and no ``status``.
    """

    @classmethod
    def _document_from_point(
        cls, scored_point: Any, collection_name: str, content_payload_key: str, metadata_payload_key: str
    ) -> Document:
        document = super()._document_from_point(
            scored_point, collection_name, content_payload_key, metadata_payload_key
        )
        document.metadata |= _labels(document.metadata)
        whole = document.metadata.get("parent_content")
        if whole:
            document.page_content = f"{document.page_content}\n\n{PARENT_MARK}\n{whole}"
        return document


class DenseEncoder(Embeddings):
    """LangChain's interface to our dense encoder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        return self._numbers(wait_for(self._embedder.embed_queries([text])))[0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._numbers(wait_for(self._embedder.embed_documents(texts)))

    def _numbers(self, embedded: Embedded) -> list[list[float]]:
        return [np.asarray(vector, dtype=float).tolist() for vector in embedded.vectors]


class SparseTermEncoder(SparseEmbeddings):
    """LangChain's interface to our BM25 encoder; the server applies the IDF."""

    def __init__(self, encoder: SparseEncoder) -> None:
        self._sparse = encoder

    def embed_query(self, text: str) -> LangChainSparseVector:
        [vector] = self._sparse.encode_queries([text])
        return LangChainSparseVector(indices=list(vector.indices), values=list(vector.values))

    def embed_documents(self, texts: list[str]) -> list[LangChainSparseVector]:
        vectors = self._sparse.encode_documents(texts)
        return [LangChainSparseVector(indices=list(one.indices), values=list(one.values)) for one in vectors]


def _options(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _labels(metadata: Mapping[str, Any]) -> dict[str, Any]:
    if metadata.get("source") == LAY_PHRASINGS:
        return {"chunk_type": LAY_PHRASINGS, "status": None}
    chunk = cast(Chunk, {**blank_chunk(0, ""), **metadata})
    document = own_document(chunk)
    return {"source": "own_document", "document": document, "status": status_said(chunk)} if document else {}


def _document(candidate: Candidate) -> Document:
    metadata: dict[str, Any] = dict(candidate["chunk"])
    metadata |= _labels(metadata)
    return Document(
        id=str(metadata["id"]),
        page_content=metadata.pop("text"),
        metadata={**metadata, "score": round(ordering_score(candidate), 4)},
    )
