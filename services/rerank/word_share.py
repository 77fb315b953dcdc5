"""How much of a question provisions have in their own words: what counts where nothing has been learnt of them."""

from collections.abc import Sequence

from articulado.legal.domain.base import Coverage, Domain, EqualWeights, StemWeights
from articulado.legal.domain.spanish_law import split_subject
from articulado.values.chunks import Chunk
from services.domain.prominence import Prominence

_OWN_WORDS = 0.5
"""Part of a follow-up's own words: its subject has more words, and what is new is what is asked."""


class WordShare:
    """Measures the share of the concepts of a question that a provision covers, as ``HeuristicReranker`` does."""

    def __init__(self, domain: Domain, weights: StemWeights | None = None) -> None:
        self._domain = domain
        self._weights = weights or EqualWeights()
        self._prominence = Prominence(domain)

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> list[float]:
        """Return one share in [0, 1] for each chunk, in their order."""
        own, subject = split_subject(question, self._domain.language)
        shares = self._shares(question, chunks)
        if not subject:
            return shares
        pairs = zip(shares, self._shares(own, chunks), strict=True)
        return [(1 - _OWN_WORDS) * whole + _OWN_WORDS * alone for whole, alone in pairs]

    def _shares(self, question: str, chunks: Sequence[Chunk]) -> list[float]:
        coverage = Coverage(self._domain.concepts(question, self._weights), self._weights)
        return [coverage(self._prominence(chunk)) for chunk in chunks]
