"""Chunks that were read before: reading one from the engine costs more than finding it."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import date
from threading import Lock

from articulado.values.chunks import Chunk

MAX_CHUNKS = 4_096
"""Chunks that are kept: about 40 MB; a question finds about a hundred."""


class ChunkCache:
    """The chunks of a generation that were read last, by id, as they are on one day; not to be changed by who has them.

    A generation never changes, but what a chunk says of its status does, with the day.
    """

    def __init__(self, capacity: int = MAX_CHUNKS) -> None:
        self._capacity = capacity
        self._chunks: OrderedDict[int, Chunk] = OrderedDict()
        self._day = date.min
        # Collections are searched in threads; a look-up moves the entry, so reading is a change too.
        self._lock = Lock()

    def get(self, ids: Sequence[int], day: date) -> dict[int, Chunk]:
        """Return those of some chunks that are kept, as they are on a day."""
        with self._lock:
            if day != self._day:
                self._chunks.clear()
                self._day = day
            known = {id: self._chunks[id] for id in ids if id in self._chunks}
            for id in known:
                self._chunks.move_to_end(id)
            return known

    def put(self, chunks: Iterable[Chunk], day: date) -> None:
        """Keep chunks as they are on a day; those used longest ago go where there is no room."""
        with self._lock:
            if day != self._day:
                return
            self._chunks.update((chunk["id"], chunk) for chunk in chunks)
            while len(self._chunks) > self._capacity:
                self._chunks.popitem(last=False)
