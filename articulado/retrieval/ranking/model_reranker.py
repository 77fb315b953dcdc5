"""Base of the rerankers with a model: passage cutting, score cache and timeout. Times are in seconds."""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import Protocol

from articulado.language.sentences import sentences
from articulado.values.answers import TurnQuestion, whole_text
from articulado.values.chunks import Candidate, Chunk
from articulado.values.errors import ModelError, ModelTimeout
from articulado.values.protocols import Reranked, TokenCounter

FRAME_TOKENS = 4

_WORD = re.compile(r"\S+")


def passage_of(chunk: Chunk) -> str:
    """Return the passage of a chunk: a line with law, provision and title, then its text."""
    heading = ". ".join(filter(None, (chunk["provision"], chunk["title"])))
    return "\n".join(filter(None, (" > ".join(filter(None, (chunk["law_name"], heading))), chunk["text"].strip())))


def cut_pair(question: str, passages: list[str], limit: int, counter: TokenCounter) -> tuple[str, list[str]]:
    """Cut a question and its passages so that each pair has at most ``limit`` tokens, the question at most half."""
    cut_question = cut(question, (limit - FRAME_TOKENS) // 2, counter)
    room = limit - FRAME_TOKENS - counter.count(cut_question)
    return cut_question, [cut(passage, room, counter) for passage in passages]


def cut(text: str, limit: int, counter: TokenCounter) -> str:
    """Return the beginning of a text up to the last fitting sentence, or word if half of the room stays empty."""
    end, spent = _fitting(text, _sentence_ends(text), limit, counter)
    if text[end:].strip() and 2 * spent < limit:
        end, _ = _fitting(text, (word.end() for word in _WORD.finditer(text)), limit, counter)
    # A single endless word is cut anywhere: a token has at least a character.
    return text[: end or limit]


def _fitting(text: str, ends: Iterator[int], limit: int, counter: TokenCounter) -> tuple[int, int]:
    """Return the last of the ends that fits, and the tokens up to it; tokens never reach over white space."""
    last = spent = 0
    for end in ends:
        cost = counter.count(text[last:end])
        if spent + cost > limit:
            break
        last, spent = end, spent + cost
    return last, spent


def _sentence_ends(text: str) -> Iterator[int]:
    end = 0
    for sentence in sentences(text):
        end = text.index(sentence, end) + len(sentence)
        yield end


CACHE_SECONDS = 300.0

CACHE_CAPACITY = 512

OPENING_SECONDS = 30.0


class ScoreCache:
    """Cache of the scores of a question and all its passages together, oldest entry first out."""

    def __init__(self, clock: Callable[[], float], capacity: int = CACHE_CAPACITY) -> None:
        self._clock, self._capacity = clock, capacity
        self._entries: OrderedDict[bytes, tuple[Reranked, float]] = OrderedDict()
        # One process may answer from several event loops at once, each in a thread of its own.
        self._lock = Lock()

    @staticmethod
    def key(model: str, question: str, passages: Sequence[str]) -> bytes:
        parts = (model, question, *passages)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def get(self, key: bytes) -> Reranked | None:
        with self._lock:
            kept = self._entries.get(key)
            return kept[0] if kept and self._clock() < kept[1] else None

    def put(self, key: bytes, scored: Reranked) -> None:
        """Store scores without their cost; their lifetime begins now."""
        with self._lock:
            self._entries.pop(key, None)
            free = replace(scored, requests=0, input_tokens=0, output_tokens=0)
            self._entries[key] = free, self._clock() + CACHE_SECONDS
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


SLOW_REPLIES = 2
FEWER = 12
"""Candidates scored by a slow model: of twenty, these include the answer in nearly all questions."""
REST_SECONDS = 60.0
"""Pause of a late model, so that the next questions do not wait."""


class Pace:
    """Limits the requests to a model after late replies: first a pause, after two fewer candidates."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most, self._clock = most, clock
        self._late = self._in_time = 0
        self._failure: ModelError | None = None
        self._resting_until = 0.0

    @property
    def limit(self) -> int:
        return min(self._most, FEWER) if self._late >= SLOW_REPLIES else self._most

    def check(self) -> None:
        """Raise the ``ModelError`` of the last late reply during the pause."""
        if self._failure and self._clock() < self._resting_until:
            raise ModelError(str(self._failure))

    def was_late(self, failure: ModelError) -> None:
        self._late, self._in_time = self._late + 1, 0
        self._failure, self._resting_until = failure, self._clock() + REST_SECONDS

    def was_in_time(self) -> None:
        self._failure, self._in_time = None, self._in_time + 1
        if self._in_time >= SLOW_REPLIES:
            self._late = 0


class PassageScorer(Protocol):
    """A model that scores how well a passage answers a question."""

    @property
    def name(self) -> str:
        """Strategy and model: equal names, equal scores."""
        ...

    async def open(self, deadline: float) -> TokenCounter:
        """Prepare the model, and return its token counter; raise ``ModelError`` or ``ConfigurationError``."""
        ...

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score every passage, ``None`` for one without a score; raise ``ModelError`` on failure."""
        ...

    async def close(self) -> None: ...


class ModelReranker:
    """Satisfies ``Reranker`` with a model that reads question and candidates, not the searches.

    ``tokens`` limits question and passage together, ``timeout`` (seconds) the wait for scores of a loaded model.
    """

    def __init__(
        self,
        scorer: PassageScorer,
        *,
        tokens: int,
        timeout: float,
        candidates: int = 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._scorer, self._clock = scorer, clock
        self._tokens, self._timeout = tokens, timeout
        self._cache = ScoreCache(clock)
        self._pace = Pace(candidates, clock)

    @property
    def limit(self) -> int:
        return self._pace.limit

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score the candidates; repeated requests are cached for a while (``Reranker.score``)."""
        if not candidates:
            return Reranked([])
        asked, passages = whole_text(question), [passage_of(candidate["chunk"]) for candidate in candidates]
        key = self._cache.key(self._scorer.name, asked, passages)
        scored = self._cache.get(key)
        if scored is None:
            scored = await self._scored(asked, passages, deadline)
            self._cache.put(key, scored)
        return scored

    async def _scored(self, question: str, passages: list[str], deadline: float | None) -> Reranked:
        self._pace.check()
        counter = await self._scorer.open(self._after(OPENING_SECONDS, deadline))
        # Off the event loop: counting twenty passages takes a tokenizer some 20 ms.
        cut_question, texts = await asyncio.to_thread(cut_pair, question, passages, self._tokens, counter)
        try:
            scored = await self._scorer.score(cut_question, texts, deadline=self._after(self._timeout, deadline))
        except ModelTimeout as error:
            self._pace.was_late(error)
            raise
        self._pace.was_in_time()
        return scored

    def _after(self, seconds: float, deadline: float | None) -> float:
        end = self._clock() + seconds
        return end if deadline is None else min(end, deadline)

    async def close(self) -> None:
        await self._scorer.close()
