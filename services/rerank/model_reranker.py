"""What every reranker with a model shares: cut passages, a cache of scores, a latency estimate, and a timeout."""

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

CACHE_SECONDS = 300.0
"""A question is asked again, or with other options, within minutes."""

CACHE_CAPACITY = 8192
"""Scores; about 1 MB."""

SMOOTHING = 0.3
"""Weight of the last measurement against all before it: a slow minute shows, and fades, within three questions."""


class ScoreCache:
    """Keeps scores by model, question and passage; the oldest one is evicted.

    ``clock`` gives seconds. The key has all that is scored of a passage, heading and text, so that a changed wording
    is scored anew.
    """

    def __init__(
        self, clock: Callable[[], float], lifetime: float = CACHE_SECONDS, capacity: int = CACHE_CAPACITY
    ) -> None:
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
        """Keep a score; its lifetime begins now."""
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = score, self._clock() + self._lifetime
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


class LatencyEstimator:
    """Keeps an exponential moving average of milliseconds a passage: a ← 0.3 · measured + 0.7 · a."""

    def __init__(self) -> None:
        self._average: float | None = None

    def record(self, passages: int, milliseconds: float) -> None:
        """Record how long some passages have taken together."""
        measured = milliseconds / passages
        self._average = measured if self._average is None else SMOOTHING * measured + (1 - SMOOTHING) * self._average

    def estimate(self, passages: int) -> float:
        """Return the milliseconds that so many passages will take; 0 where none has been measured."""
        return passages * (self._average or 0.0)


class PassageScorer(Protocol):
    """A model that scores how well a passage answers a question."""

    @property
    def name(self) -> str:
        """Strategy and model: equal names, equal scores."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds that a question waits for the scores at most: the rest of its deadline belongs to the answer."""
        ...

    async def open(self, deadline: float) -> TokenCounter:
        """Prepare the model for its first call, and return the counter of its tokens.

        Raises:
            ModelError: it cannot be used now.
            ConfigurationError: it cannot be used with these settings.
        """
        ...

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score every passage; ``None`` for one that the model has left out.

        Raises:
            ModelError: the model failed for good.
        """
        ...

    async def close(self) -> None:
        """Close threads and connections."""
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
        self._latency = LatencyEstimator()

    def estimate(self, candidates: int) -> float:
        """Return the milliseconds that so many candidates will take, none of them cached."""
        return self._latency.estimate(candidates)

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score the candidates, with the model only those that are not cached (``Reranker.score``)."""
        passages = [passage_of(candidate["chunk"]) for candidate in candidates]
        keys = [self._cache.key(self._scorer.name, question, passage) for passage in passages]
        scores = [self._cache.get(key) for key in keys]
        missing = [index for index, score in enumerate(scores) if score is None]
        if not missing:
            return Reranked(scores)
        scored = await self._scored(question, [passages[index] for index in missing], deadline)
        for index, score in zip(missing, scored.scores, strict=True):
            scores[index] = score
            if score is not None:
                self._cache.put(keys[index], score)
        return Reranked(scores, scored.requests, scored.input_tokens, scored.output_tokens)

    async def _scored(self, question: str, passages: list[str], deadline: float | None) -> Reranked:
        end = self._clock() + self._scorer.timeout
        end = end if deadline is None else min(deadline, end)
        counter = await self._scorer.open(end)
        began = self._clock()
        # Off the event loop: counting twenty passages takes a tokenizer some 20 ms.
        cut_question, texts = await asyncio.to_thread(cut_pair, question, passages, self._tokens, counter)
        scored = await self._scorer.score(cut_question, texts, deadline=end)
        self._latency.record(len(passages), 1000 * (self._clock() - began))
        return scored

    async def close(self) -> None:
        """Close the model."""
        await self._scorer.close()
