"""Scores that were paid for a moment ago."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock

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
