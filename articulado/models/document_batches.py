"""Batches of documents for an HTTP embedder, sized by the server's answer times.

A failed batch is split and queued again, a single text that is too long is cut, and a busy or absent server is awaited.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from articulado.models.failures import Failure, explain, silent_for_documents, withheld
from articulado.models.retry import DeadlinePassedError, Retrier, retry_after
from articulado.values.errors import ModelError
from articulado.values.protocols import Embedded, Keep, TokenCounter, Vector

FIRST_TEXTS = 8  # texts of the first request; a local model embeds about two a second on two cores
MOST_TEXTS = 256  # texts of one request, unless configured
MOST_TOKENS = 250_000  # tokens of one request; OpenAI refuses more than 300,000
GOOD_SECONDS = 10.0  # answer time at which batches stop growing, well below the time-outs of servers and proxies
STEADY = 8  # answers before a batch size above the last failure is tried again; doubled after each further failure
FIRST_CONTACT = 3  # attempts to reach a server that has never answered: its address may be wrong
PATIENCE = 300.0  # seconds of successive failures after which an ingest gives up
LONGEST_PAUSE = 30.0  # seconds between attempts, unless the server asks for more
SHORTEST = 200  # characters to which a text is cut at most
SECONDS_PER_MINUTE = 60.0


class Pace:
    """Number of texts a request, and of concurrent requests.

    ``texts`` grows at most twofold an answer, towards ``GOOD_SECONDS``. A failure halves it and sets a limit, which
    rises again after ``STEADY`` answers. Only full batches with fast answers add a concurrent request.
    """

    def __init__(self, batch: int | None = None, most_requests: int = 1) -> None:
        self._most_texts = batch or MOST_TEXTS
        self.most_requests = most_requests
        self._limit = self._most_texts
        self._steady, self._needed = 0, STEADY
        self._largest = 1
        self.texts = batch or FIRST_TEXTS
        self.requests = 1

    def answered(self, texts: int, seconds: float) -> None:
        """Adapt to an answer."""
        self._largest = max(self._largest, texts)
        self._steady += 1
        if self._limit < self._most_texts and self._steady >= self._needed:
            self._limit, self._steady = min(self._most_texts, 2 * self._limit), 0
        if seconds > GOOD_SECONDS:
            self.requests = max(1, self.requests - 1)
        elif texts >= self._limit and seconds <= GOOD_SECONDS / 4:
            self.requests = min(self.requests + 1, self.most_requests)
        if texts >= self.texts or seconds > GOOD_SECONDS:
            reached = int(texts * min(2.0, GOOD_SECONDS / max(seconds, 0.001)))
            self.texts = min(max(1, reached), self._limit)

    def failed(self, texts: int) -> None:
        """Adapt to a request that was refused, late, or broke the server."""
        self.requests = 1
        if texts <= self._limit:  # else another request of this size has failed before
            self._limit = max(1, texts // 2)
            self._steady, self._needed = 0, 2 * self._needed
            self.texts = min(self.texts, self._limit)

    def slow_down(self) -> None:
        self.requests, self.texts = max(1, self.requests // 2), max(1, self.texts // 2)

    def forgive(self) -> None:
        """Lift the limit: a single text caused the failures."""
        self._limit, self._steady, self._needed = self._most_texts, 0, STEADY
        self.texts = min(max(self._largest, FIRST_TEXTS), self._most_texts)


class _Gate:
    """Limits concurrent requests; the limit may change meanwhile."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._under_way = 0

    @asynccontextmanager
    async def place(self, most: Callable[[], int]) -> AsyncIterator[None]:
        async with self._changed:
            await self._changed.wait_for(lambda: self._under_way < most())
            self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            async with self._changed:
                self._changed.notify_all()


@dataclass
class _Job:
    """Texts of one call: pending ones, and vectors of the others."""

    texts: Sequence[str]
    keep: Keep
    pending: deque[int] = field(default_factory=deque)
    vectors: dict[int, Vector] = field(default_factory=dict)
    requests: int = 0
    tokens: int = 0

    async def take(self, places: Sequence[int], embedded: Embedded) -> None:
        self.tokens += embedded.tokens
        self.vectors.update(zip(places, embedded.vectors, strict=True))
        await self.keep([self.texts[place] for place in places], embedded.vectors)


class DocumentBatches:
    """Sends documents to an embedder; ``send`` makes one request within ``seconds``.

    ``tpm``: the provider's limit of tokens a minute; then requests go one by one.
    """

    def __init__(
        self,
        send: Callable[[Sequence[str]], Awaitable[Embedded]],
        *,
        retrier: Retrier,
        counter: TokenCounter,
        pace: Pace,
        seconds: float,
        tpm: int | None = None,
    ) -> None:
        self._send = send
        self._retrier = retrier
        self._counter = counter
        self._pace = pace
        self._seconds = seconds
        self._tpm = tpm
        self._free_at = -math.inf
        self._has_answered = False
        self._failures, self._failing_since = 0, math.inf
        # Characters of the shortest text that was refused alone, and those that texts of this length are cut to.
        self._refused, self._allowed = math.inf, 0
        self._has_cut = False
        # A gate serves the event loop on which it was first waited for; there may be one loop after another.
        self._gates: WeakKeyDictionary[asyncio.AbstractEventLoop, _Gate] = WeakKeyDictionary()

    async def embed(self, texts: Sequence[str], keep: Keep) -> Embedded:
        """Return the vectors of all texts, each batch passed to ``keep``; raise ``ModelError`` for a failure."""
        job = _Job(texts, keep, deque(range(len(texts))))
        failure: Exception | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._most_requests(), len(texts))):
                    group.create_task(self._work(job))
        except ExceptionGroup as failures:
            failure = failures.exceptions[0]
        # Raised out here, so that no traceback leads to the provider's own words.
        if failure is not None:
            if isinstance(failure, ModelError):
                failure.attempts = job.requests
            raise failure
        return Embedded([job.vectors[place] for place in range(len(texts))], job.requests, job.tokens)

    def _most_requests(self) -> int:
        return 1 if self._tpm else self._pace.most_requests

    async def _work(self, job: _Job) -> None:
        gate = self._gates.setdefault(asyncio.get_running_loop(), _Gate())
        while job.pending:
            async with gate.place(lambda: min(self._pace.requests, self._most_requests())):
                if job.pending:
                    await self._serve(job, *self._next(job))

    def _next(self, job: _Job) -> tuple[list[int], int]:
        most_tokens = min(MOST_TOKENS, self._tpm or MOST_TOKENS)
        places, tokens = list[int](), 0
        while job.pending and len(places) < self._pace.texts:
            more = self._counter.count(job.texts[job.pending[0]])
            if places and tokens + more > most_tokens:
                break
            places.append(job.pending.popleft())
            tokens += more
        return places, tokens

    async def _serve(self, job: _Job, places: list[int], tokens: int) -> None:
        """Send one batch; queue its texts again after a transient failure, else raise ``ModelError``."""
        clock, texts = self._retrier.clock, [self._cut(job.texts[place]) for place in places]
        if self._tpm and self._free_at > clock():
            await self._retrier.sleep(self._free_at - clock())
        started, error, job.requests = clock(), None, job.requests + 1
        try:
            embedded = await self._retrier.repeat(lambda: self._send(texts), lambda _: False, started + self._seconds)
        except Exception as raised:
            error = raised
        if error is not None:
            try:
                pause = self._pause_after(error, texts)
            except Exception:
                job.pending.clear()  # another request would begin before its task is cancelled
                raise
            job.pending.extendleft(reversed(places))
            await self._retrier.sleep(pause)
            return
        if self._tpm:
            self._free_at = started + SECONDS_PER_MINUTE * (embedded.tokens or tokens) / self._tpm
        self._answered(len(places), clock() - started)
        await job.take(places, embedded)

    def _cut(self, text: str) -> str:
        return text if len(text) < self._refused else text[: self._allowed]

    def _answered(self, texts: int, seconds: float) -> None:
        self._has_answered, self._failures, self._failing_since = True, 0, math.inf
        self._pace.answered(texts, seconds)
        if self._has_cut:
            self._has_cut = False
            self._pace.forgive()

    def _pause_after(self, error: Exception, texts: Sequence[str]) -> float:
        """Adapt to a failed request; return the pause in seconds, or raise ``ModelError`` for a permanent failure."""
        failure = self._explained(error)
        if failure is None:
            raise error
        now = self._retrier.clock()
        self._failures, self._failing_since = self._failures + 1, min(self._failing_since, now)
        never_reached = failure.unreachable and not self._has_answered and self._failures >= FIRST_CONTACT
        if failure.divisible and len(texts) > 1 and not never_reached:
            self._pace.failed(len(texts))
        elif failure.divisible and not failure.transient and len(texts[0]) > SHORTEST:
            self._refused, self._allowed = len(texts[0]), max(SHORTEST, len(texts[0]) // 2)
            self._has_cut = True
        elif failure.transient and not never_reached and now - self._failing_since < PATIENCE:
            self._pace.slow_down()
        else:
            raise failure.error from withheld(error)
        if not failure.transient:
            return 0.0
        asked = retry_after(error, now)
        if asked is not None and asked > PATIENCE:
            raise failure.error from withheld(error)
        grown = self._retrier.first_pause * 2 ** min(self._failures - 1, 16) * (0.5 + self._retrier.jitter())
        return min(grown, LONGEST_PAUSE) if asked is None else asked

    def _explained(self, error: Exception) -> Failure | None:
        """Return the meaning of a failed request; ``None`` if the provider is not the cause."""
        endpoint = self._retrier.endpoint
        if isinstance(error, DeadlinePassedError):
            return Failure(silent_for_documents(endpoint, self._seconds), transient=True, divisible=True)
        return explain(error, endpoint)
