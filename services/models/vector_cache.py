"""Vectors by content: what one stage has encoded, another can look up without keeping it in the state."""

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import Generic, Literal, TypeVar

V = TypeVar("V")

Space = Literal["dense", "sparse"]

DEFAULT_CAPACITY = 4096
"""Entries; of 1,536 float32 each, about 25 MB."""


class VectorCache(Generic[V]):
    """A bounded cache in memory that forgets what was used longest ago.

    The key is a hash of what was encoded and how, so an entry can never be stale and a miss can always be recomputed.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, V] = OrderedDict()
        # Stages may run in threads; a lookup moves the entry, so reading is a change too.
        self._lock = Lock()

    @staticmethod
    def key(space: Space, fingerprint: str, text: str) -> str:
        """Return the key of a text in one space, as the encoder with this fingerprint sees it."""
        content = "\0".join((space, fingerprint, text)).encode("utf-8", "surrogatepass")
        return f"{space}:{hashlib.blake2b(content, digest_size=16).hexdigest()}"

    def get(self, key: str) -> V | None:
        """Return the entry, or ``None`` if it was never put or has been forgotten."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: V) -> None:
        """Keep an entry; the one used longest ago goes where there is no room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
