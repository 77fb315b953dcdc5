"""What every reranker with a model shares: what it is given, the cache of its scores, its pace, and its patience."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Protocol

from services.protocols import Reranked, TokenCounter
from services.rerank.passage import cut_pair, passage_of
from state.chunks import Candidate

LIFETIME = 300.0
"""Seconds that a score is kept: who asks again, or differently, does so within minutes."""

CAPACITY = 8192
"""Scores; about 1 MB."""


class ScoreCache:
    """Keeps scores by model, question and passage; the oldest goes where there is no room.

    ``clock`` gives seconds. A passage is known by what is scored of it, heading and text, so that a wording that has
    changed is scored anew.
    """

    def __init__(self, clock: Callable[[], float], lifetime: float = LIFETIME, capacity: int = CAPACITY) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._capacity = capacity
        self._entries: OrderedDict[bytes, tuple[float, float]] = OrderedDict()
        # One process may answer from several event loops at once, each in a thread of its own.
        self._lock = Lock()

    @staticmethod
    def key(model: str, question: str, passage: str) -> bytes:
        """Return the key of one score."""
        return blake2b("\0".join((model, question, passage)).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def get(self, key: bytes) -> float | None:
        """Return the score, ``None`` where there is none or its time is over."""
        with self._lock:
            score, until = self._entries.get(key, (0.0, 0.0))
            return score if self._clock() < until else None

    def put(self, key: bytes, score: float) -> None:
        """Keep a score from now on."""
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = score, self._clock() + self._lifetime
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


WEIGHT = 0.3
"""Of the last measurement against all before it: a slow minute is noticed in three questions and forgotten as fast."""


class LatencyEstimator:
    """Keeps an exponential moving average of milliseconds a passage: a ← 0.3 · measured + 0.7 · a."""

    def __init__(self) -> None:
        self._average: float | None = None

    def record(self, passages: int, milliseconds: float) -> None:
        """Take in how long some passages have taken together."""
        measured = milliseconds / passages
        self._average = measured if self._average is None else WEIGHT * measured + (1 - WEIGHT) * self._average

    def estimate(self, passages: int) -> float:
        """Return the milliseconds that so many passages will take; 0 where none has been measured."""
        return passages * (self._average or 0.0)


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
        self._pace = LatencyEstimator()

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
