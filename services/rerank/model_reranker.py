"""What every reranker with a model shares: what it is given, the cache of its scores, its pace, and its patience."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from services.protocols import Reranked, TokenCounter
from services.rerank.pace import Pace
from services.rerank.passage import cut_pair, passage_of
from services.rerank.score_cache import ScoreCache
from state.chunks import Candidate


class PassageScorer(Protocol):
    """A model that tells how well a passage answers a question."""

    @property
    def name(self) -> str:
        """What decides the scores: strategy and model."""
        ...

    @property
    def patience(self) -> float:
        """Seconds that a question waits for it at most: what is left of the deadline belongs to the answer."""
        ...

    async def open(self, deadline: float) -> TokenCounter:
        """Make ready what the first call needs, and return what counts the model's tokens.

        Raises:
            ModelError: it cannot be made ready now.
            ConfigurationError: it cannot be with these settings.
        """
        ...

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score every passage; ``None`` for one that the model has left out.

        Raises:
            ModelError: the model failed for good.
        """
        ...

    async def close(self) -> None:
        """Let go of threads and connections."""
        ...


class ModelReranker:
    """Satisfies ``Reranker`` with a model that reads the question and the candidates, not the searches.

    ``tokens`` is the most that question and passage have together. ``clock`` gives the Unix time in seconds.
    """

    is_cheap = False

    def __init__(self, scorer: PassageScorer, *, tokens: int, clock: Callable[[], float] = time.time) -> None:
        self._scorer = scorer
        self._tokens = tokens
        self._clock = clock
        self._cache = ScoreCache(clock)
        self._pace = Pace()

    def estimate(self, candidates: int) -> float:
        """Return the milliseconds that so many candidates will take, none of them known yet."""
        return self._pace.estimate(candidates)

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score the candidates that the cache does not know (``Reranker.score``)."""
        passages = [passage_of(found["chunk"]) for found in candidates]
        keys = [self._cache.key(self._scorer.name, question, passage) for passage in passages]
        scores = [self._cache.get(key) for key in keys]
        missing = [place for place, score in enumerate(scores) if score is None]
        if not missing:
            return Reranked(scores)
        scored = await self._scored(question, [passages[place] for place in missing], deadline)
        for place, score in zip(missing, scored.scores, strict=True):
            scores[place] = score
            if score is not None:
                self._cache.put(keys[place], score)
        return Reranked(scores, scored.requests, scored.input_tokens, scored.output_tokens)

    async def _scored(self, question: str, passages: list[str], deadline: float | None) -> Reranked:
        end = self._clock() + self._scorer.patience
        end = end if deadline is None else min(deadline, end)
        counter = await self._scorer.open(end)
        began = self._clock()
        # Off the event loop: counting twenty passages takes a tokenizer some 20 ms.
        asked, texts = await asyncio.to_thread(cut_pair, question, passages, self._tokens, counter)
        scored = await self._scorer.score(asked, texts, deadline=end)
        self._pace.record(len(passages), 1000 * (self._clock() - began))
        return scored

    async def close(self) -> None:
        """Close the model."""
        await self._scorer.close()
