"""What a peer is to the harness: a name, the packages that it needs, and a way to make a search of a corpus."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.peers.corpus import PeerCorpus

Hits = list[tuple[int, float]]
"""Indexes of provisions in the corpus, best first, each once, with the score that the peer gives them."""

Search = Callable[[str, int], Hits]
"""Takes a question and how many provisions are wanted at most."""

SIDE_DEPTH = 100
"""Provisions that each side of a hybrid peer hands to its fusion: beyond it a rank adds next to nothing."""


@dataclass(frozen=True)
class Peer:
    """Another retrieval. ``build`` imports what it needs, so that an absent package is an ``ImportError`` then."""

    name: str
    packages: tuple[str, ...]
    build: Callable[[PeerCorpus], Search]
