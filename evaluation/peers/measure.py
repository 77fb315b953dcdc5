"""Adapters and measurement of the peers: bm25s, LangChain, Haystack.

All search the same whole provisions. Their vectors are latent semantic vectors of Spanish stems, (n, dim) float32,
L2-normalised. Indexing time is in seconds, time per question in milliseconds.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.metadata import version
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from py_rust_stemmers import SnowballStemmer

from articulado.config.extras import without
from articulado.language.spanish import content_words
from articulado.store.layout import order_parts
from articulado.store.opening import open_index
from articulado.store.writer import Points
from articulado.values.chunks import Chunk, provision_of
from articulado.values.errors import NoResultsFound
from evaluation.gold.questions import Key, Provision, Question, key_of, make_provision
from evaluation.retrieval.evaluate import LAW
from evaluation.retrieval.run import Ranked, Run
from graph.services import Services

DIMENSIONS = 192
MIN_TEXTS = 2  # least number of texts with a stem: a rarer one relates nothing
_SEED = 7
_PAGE = 2_000


def spanish_stems(text: str) -> list[str]:
    stems: list[str] = _stemmer().stem_words(content_words(text))
    return stems


@cache
def _stemmer() -> SnowballStemmer:
    return SnowballStemmer("spanish")


class LatentVectors:
    """Embedder of texts by their stems, fitted at construction."""

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.utils.extmath import randomized_svd

        self._weights = TfidfVectorizer(analyzer=spanish_stems, min_df=min(MIN_TEXTS, len(texts)), sublinear_tf=True)
        weighed = self._weights.fit_transform(texts)
        rank = max(1, min(DIMENSIONS, *(size - 1 for size in weighed.shape)))
        # What TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
        _, _, self._axes = randomized_svd(weighed, rank, random_state=_SEED)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (texts, dim) float32, L2-normalised; the zero vector for texts without known stems."""
        vectors = np.asarray(self._weights.transform(texts) @ self._axes.T, dtype=np.float32)
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return vectors / lengths


@dataclass(frozen=True)
class PeerCorpus:
    """Provisions with their texts and vectors (n, dim), in the same order; ``embed`` embeds questions."""

    provisions: tuple[Provision, ...]
    texts: tuple[str, ...]
    vectors: NDArray[np.float32]
    embed: Callable[[Sequence[str]], NDArray[np.float32]]


async def read_corpus(services: Services) -> PeerCorpus:
    """Read all provisions of the configured index."""
    index = await asyncio.to_thread(open_index, services.settings.index_folder)
    parents = sorted({point.parent for point in Points.load(index.folder)})
    pages = [parents[start : start + _PAGE] for start in range(0, len(parents), _PAGE)]
    chunks = [chunk for page in pages for chunk in await services.store.fetch(page)]
    return await asyncio.to_thread(corpus_of, chunks)


def corpus_of(chunks: Iterable[Chunk]) -> PeerCorpus:
    """Join the parts of each provision in force today (else the first wording), sorted by law and key, and embed it."""
    parts: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in chunks:
        if chunk["collection"] == LAW:
            parts.setdefault(provision_of(chunk), []).append(chunk)
    if not parts:
        raise NoResultsFound(
            "El índice no tiene ningún precepto con el que comparar otros buscadores. Añada normas con "
            "«articulado ingest» o indique otro índice con --index."
        )
    wordings = [_of_today(order_parts(parts[key])) for key in sorted(parts)]
    texts = tuple(map(_text, wordings))
    embed = LatentVectors(texts)
    provisions = tuple(make_provision(wording[0]["law_id"], wording[0]["provision"]) for wording in wordings)
    return PeerCorpus(provisions, texts, embed(texts), embed)


def _of_today(parts: Sequence[Chunk]) -> list[Chunk]:
    day = date.today().isoformat()
    in_force = [part for part in parts if (part["valid_from"] or day) <= day < (part["valid_to"] or "9999")]
    first = parts[0]["valid_from"]
    return in_force or [part for part in parts if part["valid_from"] == first]


def _text(parts: Sequence[Chunk]) -> str:
    headings = [
        line
        for part in parts
        for line in (part["law_name"], part["breadcrumb"], f"{part['provision']}. {part['title']}".rstrip(". "))
    ]
    return "\n".join(filter(None, [*dict.fromkeys(headings), *(part["text"] for part in parts)]))


Hits = list[tuple[int, float]]  # indexes of provisions in the corpus, best first, each once, with the peer's score

Search = Callable[[str, int], Hits]

SIDE_DEPTH = 100  # provisions that each side of a hybrid peer passes to its fusion: deeper ranks hardly count


@dataclass(frozen=True)
class Peer:
    """Another retrieval; ``build`` imports its packages and raises ``ImportError`` without them."""

    name: str
    packages: tuple[str, ...]
    build: Callable[[PeerCorpus], Search]


def hybrid_search(corpus: PeerCorpus) -> Search:
    """Build Haystack's pipeline on stems, with BM25 at its defaults (BM25L, k1 = 1.5, b = 0.75)."""
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


def lexical_search(corpus: PeerCorpus) -> Search:
    """Index the provisions with bm25s; provisions without a common stem are not found, ties keep the corpus order."""
    import bm25s

    # Several queries at once would be faster, but a peer is timed as it would answer: one question after another.
    bm25 = bm25s.BM25(backend="numpy")
    bm25.index([spanish_stems(text) for text in corpus.texts], show_progress=False)

    def search(question: str, depth: int) -> Hits:
        stems = spanish_stems(question)
        if not stems:
            return []
        scores = bm25.get_scores(stems)
        best = np.argsort(-scores, kind="stable")[:depth]
        return [(int(index), float(scores[index])) for index in best if scores[index] > 0]

    return search


BM25S = Peer("bm25s", ("bm25s",), lexical_search)


_INDEX = "index"
_RRF_K = 60  # default constant of the ensemble's fusion, which returns only the order


def ensemble_search(corpus: PeerCorpus) -> Search:
    """Join LangChain's vector store with BM25, half and half, as its documentation does."""
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
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float(value) for value in vector] for vector in corpus.vectors]

        def embed_query(self, text: str) -> list[float]:
            return [float(value) for value in corpus.embed([text])[0]]

    class Words(BaseRetriever):
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


PEERS = (BM25S, LANGCHAIN, HAYSTACK)
DEPTH = 100


@dataclass(frozen=True)
class PeerRun:
    """Run of one peer, with its packages, the seconds of indexing and the mean milliseconds per question."""

    name: str
    packages: dict[str, str]
    run: Run
    index_seconds: float
    question_ms: float


@dataclass(frozen=True)
class PeerFindings:
    """Runs of the installed peers, and installation hints for the others."""

    runs: tuple[PeerRun, ...]
    missing: dict[str, str]
    provisions: int


async def run_peers(services: Services, questions: Sequence[Question], depth: int = DEPTH) -> PeerFindings:
    return measure(await read_corpus(services), questions, depth)


def measure(
    corpus: PeerCorpus,
    questions: Sequence[Question],
    depth: int = DEPTH,
    *,
    peers: Sequence[Peer] = PEERS,
    clock: Callable[[], float] = perf_counter,
) -> PeerFindings:
    """Let every installed peer search a corpus; the others get an installation hint."""
    runs: list[PeerRun] = []
    missing: dict[str, str] = {}
    for peer in peers:
        try:
            start = clock()
            search = peer.build(corpus)
            indexed = clock()
            run = {question.id: _each_once(corpus, search(question.question, depth)) for question in questions}
            milliseconds = 1000 * (clock() - indexed) / max(1, len(questions))
            packages = {name: version(name) for name in peer.packages}
            runs.append(PeerRun(peer.name, packages, run, indexed - start, milliseconds))
        except ImportError as error:
            missing[peer.name] = f"{peer.name}: {without('peers', error.name or str(error))}"
    return PeerFindings(tuple(runs), missing, len(corpus.provisions))


def _each_once(corpus: PeerCorpus, hits: Hits) -> list[Ranked]:
    """Return the provisions of hits, each label once (a decree and the text it approves share labels)."""
    ranking: dict[Key, Ranked] = {}
    for index, score in hits:
        ranking.setdefault(key_of(corpus.provisions[index]), Ranked(corpus.provisions[index], score))
    return list(ranking.values())
