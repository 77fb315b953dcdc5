"""Run the peers: the same provisions, the same questions, one after another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter

from articulado.config.extras import without
from evaluation.gold.provisions import Key, key_of
from evaluation.gold.questions import Question
from evaluation.peers.base import Hits, Peer
from evaluation.peers.corpus import PeerCorpus, read_corpus
from evaluation.peers.haystack_hybrid import HAYSTACK
from evaluation.peers.langchain_ensemble import LANGCHAIN
from evaluation.peers.lexical import BM25S
from evaluation.retrieval.run import Ranked, Run
from graph.services import Services

PEERS = (BM25S, LANGCHAIN, HAYSTACK)
DEPTH = 100
"""Provisions a question: what a run of ours has, and more."""


@dataclass(frozen=True)
class PeerRun:
    """What one peer found, with which packages; seconds to index all, milliseconds a question (mean)."""

    name: str
    packages: dict[str, str]
    run: Run
    index_seconds: float
    question_ms: float


@dataclass(frozen=True)
class PeerFindings:
    """The runs of the peers that are installed, over so many provisions; for each of the others what to do."""

    runs: tuple[PeerRun, ...]
    missing: dict[str, str]
    provisions: int


async def run_peers(services: Services, questions: Sequence[Question], depth: int = DEPTH) -> PeerFindings:
    """Read the provisions of the configured index, and let every installed peer search them.

    Raises:
        IndexMissing, StoreUnavailable, NoResultsFound: the index cannot be read, or has no provisions.
    """
    return measure(await read_corpus(services), questions, depth)


def measure(
    corpus: PeerCorpus,
    questions: Sequence[Question],
    depth: int = DEPTH,
    *,
    peers: Sequence[Peer] = PEERS,
    clock: Callable[[], float] = perf_counter,
) -> PeerFindings:
    """Let every installed peer search a corpus; the others are left out, and it is said how to install them."""
    runs: list[PeerRun] = []
    missing: dict[str, str] = {}
    for peer in peers:
        try:
            runs.append(_run(peer, corpus, questions, depth, clock))
        except ImportError as error:
            missing[peer.name] = f"{peer.name}: {without('peers', error.name or str(error))}"
    return PeerFindings(tuple(runs), missing, len(corpus.provisions))


def _run(
    peer: Peer, corpus: PeerCorpus, questions: Sequence[Question], depth: int, clock: Callable[[], float]
) -> PeerRun:
    start = clock()
    search = peer.build(corpus)
    indexed = clock()
    hits_by_question = {question.id: search(question.question, depth) for question in questions}
    seconds = clock() - indexed
    run = {question_id: _each_once(corpus, hits) for question_id, hits in hits_by_question.items()}
    return PeerRun(
        name=peer.name,
        packages={name: version(name) for name in peer.packages},
        run=run,
        index_seconds=indexed - start,
        question_ms=1000 * seconds / max(1, len(questions)),
    )


def _each_once(corpus: PeerCorpus, hits: Hits) -> list[Ranked]:
    """Return the provisions of hits; of two of one label (of a decree and of the text it approves) the better."""
    ranking: dict[Key, Ranked] = {}
    for index, score in hits:
        provision = corpus.provisions[index]
        ranking.setdefault(key_of(provision), Ranked(provision, score))
    return list(ranking.values())
