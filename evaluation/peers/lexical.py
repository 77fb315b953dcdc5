"""BM25 alone, as the library ``bm25s`` counts it: Lucene's variant, k1 = 1.5, b = 0.75 (Lù, "BM25S", 2024)."""

import numpy as np

from evaluation.peers.base import Hits, Peer, Search
from evaluation.peers.corpus import PeerCorpus, spanish_stems


def lexical_search(corpus: PeerCorpus) -> Search:
    """Index the provisions. What shares no stem with a question is not found; ties keep the order of the corpus.

    Raises:
        ImportError: ``bm25s`` is not installed.
    """
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
