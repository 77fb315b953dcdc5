"""Our retrieval as a LangChain program uses it: the retriever over the first index, the vector store over a server."""

from datetime import date
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from support.chunks import Batch, make_child, make_chunk
from support.stores import build

from articulado import langchain
from articulado.config.settings import Settings
from articulado.encoders.bm25 import Bm25Encoder
from articulado.encoders.dual import packaged_encoder
from articulado.ingestion.indexing.changes import entries_of
from articulado.langchain import PARENT_MARK, ArticuladoVectorStore, DenseEncoder, SparseTermEncoder, retriever
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.layout import CONTENT, METADATA, to_payload
from articulado.store.server_writer import ServerWriter
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError, InvalidInput

HOLIDAYS = "¿Cuántos días de vacaciones me corresponden?"


@pytest.fixture(scope="module")
def provisions(demo_index: Path) -> langchain.ProvisionRetriever:
    return retriever(Settings.read(None, index=demo_index), k=3)


def test_the_retriever_finds_the_provision_with_all_that_is_known_of_it(provisions) -> None:
    found = provisions.invoke(HOLIDAYS)
    assert len(found) == 3
    first = found[0]
    assert (first.metadata["law_id"], first.metadata["provision"]) == ("BOE-A-2015-11430", "Artículo 38")
    assert first.metadata["url"].startswith("https://www.boe.es/")
    assert first.page_content
    scores = [document.metadata["score"] for document in found]
    assert all(0 <= score <= 1 for score in scores)
    assert {document.metadata["source"] for document in found} <= {"official", "plain_language"}


async def test_the_retriever_is_asked_from_an_event_loop_too(provisions) -> None:
    assert await provisions.ainvoke(HOLIDAYS) == await RunnableLambda(provisions.invoke).ainvoke(HOLIDAYS)


def test_the_retriever_stands_in_a_chain(provisions) -> None:
    def joined(documents) -> str:
        return "\n".join(document.metadata["provision"] for document in documents)

    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    chain = {"context": provisions | joined, "question": RunnablePassthrough()} | prompt
    assert "Artículo 38" in chain.invoke(HOLIDAYS).to_string()


def test_the_day_and_the_number_of_documents_are_those_asked_for(provisions) -> None:
    before_the_law = provisions.model_copy(update={"as_of": date(1990, 1, 1)})
    articles = {(one.metadata["law_id"], one.metadata["provision"]) for one in before_the_law.invoke(HOLIDAYS)}
    assert ("BOE-A-2015-11430", "Artículo 38") not in articles
    with pytest.raises(InvalidInput, match="k"):
        retriever(k=0)


TEXT = "El período de vacaciones anuales retribuidas no será inferior a treinta días naturales."
OTHER = "La huelga se comunicará con cinco días de antelación."


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in.*sqlite3:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
async def test_the_vector_store_finds_pieces_and_shows_the_whole(tmp_path: Path) -> None:
    encoder, words = packaged_encoder(), Bm25Encoder.of(SPANISH_LAW)
    parents = [make_chunk(1, text=TEXT), make_chunk(2, text=OTHER)]
    children = [
        make_child(10 + one["id"], one, text=one["text"].split(",")[0], parent_content=one["text"]) for one in parents
    ]
    dense = [None, None, *encoder.embed_all([one["text"] for one in children])]
    sparse = [*words.encode_documents([TEXT, OTHER]), *words.encode_documents(["", ""])]
    server = str(tmp_path / "qdrant")
    index = await build(
        tmp_path / "index",
        [Batch([*parents, *children], dense, sparse)],
        lambda folder: ServerWriter(AsyncQdrantClient(path=server), folder),
    )
    client = QdrantClient(path=server)
    store = ArticuladoVectorStore(
        client,
        f"normativa__{index.manifest.stored_as}",
        embedding=DenseEncoder(encoder),
        sparse_embedding=SparseTermEncoder(words),
        retrieval_mode=langchain.RetrievalMode.HYBRID,
        vector_name="text-dense",
        sparse_vector_name="text-sparse",
    )
    found = store.similarity_search("¿Cuántos días de vacaciones tengo?", k=4)
    assert {document.metadata["id"] for document in found[:2]} == {1, 11}
    [piece] = [document for document in found if document.metadata["id"] == 11]
    assert piece.page_content.endswith(f"{PARENT_MARK}\n{TEXT}")
    [whole] = [document for document in found if document.metadata["id"] == 1]
    assert whole.page_content == TEXT
    client.close()


def test_a_vector_store_needs_a_server(demo_index: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"ARTICULADO_STORE=server.*retriever\(\)"):
        langchain.vector_store("normativa", Settings.read(None, index=demo_index))


KINDS = {
    "provision": {"chunk_type": "provision", "kind": "ley"},
    "order": {"chunk_type": "provision", "kind": "orden", "status": "derogada"},
    "card": {"chunk_type": "card", "kind": "ficha", "collection": "fichas"},
    "ruling": {"chunk_type": "doctrine", "kind": "sentencia", "collection": "sentencias"},
    "guide": {"chunk_type": "faqs", "kind": "article", "collection": "casos"},
    "document": {"chunk_type": "document", "url": "file:///home/ana/pacto.docx", "collection": "documentos"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_questions_of_people_are_never_taken_for_what_they_lead_to(kind: str) -> None:
    parent = make_chunk(1, text=TEXT, **KINDS[kind])
    *pieces, asked = entries_of([parent], {1: "¿cuánto descanso tengo?"}, "breadcrumb", {})
    documents = [document_of(entry.chunk) for entry in (*pieces, asked)]
    assert {document.metadata["source"] for document in documents[:-1]} <= {"official", "own_document"}
    last = documents[-1].metadata
    assert (last["source"], last["chunk_type"], last["status"]) == ("lay_phrasings", "lay_phrasings", None)
    assert documents[-1].page_content.startswith("¿cuánto descanso tengo?")


def document_of(chunk: Chunk) -> Document:
    """Return the document that LangChain's vector store makes of the point of a chunk."""
    point = models.ScoredPoint(id=chunk["id"], version=0, score=1.0, payload=to_payload(chunk))
    return ArticuladoVectorStore._document_from_point(point, "normativa", CONTENT, METADATA)
