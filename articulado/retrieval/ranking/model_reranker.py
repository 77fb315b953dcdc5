"""Base of the rerankers with a model: passage cutting, score cache and timeout.

``ModelReranker`` wraps a ``PassageScorer`` and satisfies ``Reranker``; a slow model is asked less (``Pace``). Question
and passage are cut to a token limit at sentence ends. ``ScoreCache`` keeps 512 requests for 300 seconds. Times are in
seconds.
"""

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
"""Special tokens of a pair, at most: ``<s> question </s></s> passage </s>``."""

_WORD = re.compile(r"\S+")


def passage_of(chunk: Chunk) -> str:
    """Return the passage of a chunk: law, provision and title in a line of their own, then its text."""
    heading = ". ".join(filter(None, (chunk["provision"], chunk["title"])))
    return "\n".join(filter(None, (" > ".join(filter(None, (chunk["law_name"], heading))), chunk["text"].strip())))


def cut_pair(question: str, passages: list[str], limit: int, counter: TokenCounter) -> tuple[str, list[str]]:
    """Return a question and its passages, cut so that each pair has at most ``limit`` tokens.

    A question longer than half of that is cut to it, so that every passage has the other half.
    """
    cut_question = cut(question, (limit - FRAME_TOKENS) // 2, counter)
    room = limit - FRAME_TOKENS - counter.count(cut_question)
    return cut_question, [cut(passage, room, counter) for passage in passages]


def cut(text: str, limit: int, counter: TokenCounter) -> str:
    """Return the beginning of a text, up to the last full sentence that fits.

    Where that leaves more than half of the room empty (a heading, and a sentence of a page), the last word decides.
    """
    end, spent = _fitting(text, _sentence_ends(text), limit, counter)
    if text[end:].strip() and 2 * spent < limit:
        end, _ = _fitting(text, _word_ends(text), limit, counter)
    # A single endless word is cut anywhere: a token has at least a character.
    return text[: end or limit]


def _fitting(text: str, ends: Iterator[int], limit: int, counter: TokenCounter) -> tuple[int, int]:
    """Return the last of the ends that fits, and the tokens up to it.

    The pieces are counted one by one: the pieces of a tokenizer never reach over white space, and each is counted once.
    """
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


def _word_ends(text: str) -> Iterator[int]:
    return (word.end() for word in _WORD.finditer(text))


CACHE_SECONDS = 300.0
"""A question is asked again, or with other options, within minutes."""

CACHE_CAPACITY = 512
"""Requests of twenty scores; less than 1 MB."""

OPENING_SECONDS = 30.0
"""What a question waits for a model to be loaded: it takes one or two. A download goes on, for a later question."""


class ScoreCache:
    """Keeps what a model said of a question and its passages together; the oldest entry is evicted.

    ``clock`` gives seconds. All passages of a request make one key, with all that is scored of each, heading and text:
    a changed wording is scored anew, and what a model is asked never depends on what it was asked before.
    """

    def __init__(
        self, clock: Callable[[], float], lifetime: float = CACHE_SECONDS, capacity: int = CACHE_CAPACITY
    ) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._capacity = capacity
        self._entries: OrderedDict[bytes, tuple[Reranked, float]] = OrderedDict()
        # One process may answer from several event loops at once, each in a thread of its own.
        self._lock = Lock()

    @staticmethod
    def key(model: str, question: str, passages: Sequence[str]) -> bytes:
        """Return the key of one request; the order of the passages counts."""
        parts = (model, question, *passages)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def get(self, key: bytes) -> Reranked | None:
        """Return the scores, ``None`` where there are none or their time is over."""
        with self._lock:
            kept = self._entries.get(key)
            return kept[0] if kept and self._clock() < kept[1] else None

    def put(self, key: bytes, scored: Reranked) -> None:
        """Keep scores, without what they cost; their lifetime begins now."""
        with self._lock:
            self._entries.pop(key, None)
            free = replace(scored, requests=0, input_tokens=0, output_tokens=0)
            self._entries[key] = free, self._clock() + self._lifetime
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


SLOW_REPLIES = 2
"""Late replies after which fewer candidates are scored, and replies in time after which there are as many again."""
FEWER = 12
"""Candidates that a slow model scores: of twenty, the answer is among these in nearly all questions."""
REST_SECONDS = 60.0
"""For which a model that was late is not asked: the next questions do not wait for it."""


class Pace:
    """Limit on requests to a model by its late replies; ``most`` is the most candidates.

    A late reply gives it a rest; after two, it is asked for fewer candidates, until two replies are in time.
    """

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most, self._clock = most, clock
        self._late = self._in_time = 0
        self._failure: ModelError | None = None
        self._resting_until = 0.0

    @property
    def limit(self) -> int:
        """Candidates that the model is asked to score now."""
        return min(self._most, FEWER) if self._late >= SLOW_REPLIES else self._most

    def check(self) -> None:
        """Raise the ``ModelError`` of the last late reply while the model rests, without a request."""
        if self._failure and self._clock() < self._resting_until:
            raise ModelError(str(self._failure))

    def was_late(self, failure: ModelError) -> None:
        """Note a reply that came too late."""
        self._late, self._in_time = self._late + 1, 0
        self._failure, self._resting_until = failure, self._clock() + REST_SECONDS

    def was_in_time(self) -> None:
        """Note a reply that came in time."""
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
        """Prepare the model for its first call, and return the counter of its tokens.

        Raises:
            ModelError: it cannot be used now.
            ConfigurationError: it cannot be used with these settings.
        """
        ...

    async def score(self, question: str, passages: Sequence[str], *, deadline: float) -> Reranked:
        """Score every passage; ``None`` for one that the model has left out.

        Raises:
            ModelError: the model failed for good, was late or refused.
        """
        ...

    async def close(self) -> None:
        """Close threads and connections."""
        ...


class ModelReranker:
    """Satisfies ``Reranker`` with a model that reads the question and the candidates, not the searches.

    ``tokens`` is the most that question and passage have together. ``timeout`` is the most seconds that a question
    waits for scores, from a model that is loaded: the rest of its deadline belongs to the answer. ``candidates`` is the
    most that it scores (``Pace``). ``clock`` gives the Unix time in seconds.
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
        self._scorer = scorer
        self._tokens = tokens
        self._timeout = timeout
        self._clock = clock
        self._cache = ScoreCache(clock)
        self._pace = Pace(candidates, clock)

    @property
    def limit(self) -> int:
        """Candidates that it scores now."""
        return self._pace.limit

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score the candidates; the same ones are not scored again for a while (``Reranker.score``)."""
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
        """Close the model."""
        await self._scorer.close()
