"""Chunks by reference: on a thread, the state holds ids, and the texts stand beside it, once.

A checkpoint is written after every step. With a hundred candidates in it, texts and all, a turn would take megabytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from langgraph.config import get_config

from articulado.values.answers import StoreName
from articulado.values.protocols import ChunkStore

OF_CANDIDATES: Final = ("direct", "found", "candidates", "context", "carried", "named")
"""Keys of the state that hold candidates."""

_WHOLE: Final = "content_hash"
"""A field that each chunk has and no reference."""

Item = Mapping[str, Any]
"""A chunk, or a reference to one: its ``id``, and the fields in which it differs from the one that the store has."""


def is_on_thread() -> bool:
    """Tell whether the run of the moment is one of a thread, whose checkpoints are kept."""
    return "thread_id" in get_config().get("configurable", {})


class ChunkTexts:
    """Puts references in the place of chunks, and chunks in the place of references.

    A chunk is read again from its store by its id, so that a thread goes on in another process. What the store does not
    have stays whole; what it has no longer, because the index is another one, is left out.
    """

    def __init__(self, stores: Mapping[StoreName, ChunkStore]) -> None:
        self._stores = stores

    async def resolved(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a state in which all chunks are whole."""
        references = [chunk for chunk in _chunks_in(state) if _WHOLE not in chunk]
        if not references:
            return state
        stored = await self._stored(state, references)

        def whole(chunk: Item) -> Item | None:
            if _WHOLE in chunk:
                return chunk
            found = stored.get(chunk["id"])
            return None if found is None else {**found, **chunk} if len(chunk) > 1 else found

        return {**state, **_replaced(state, whole)}

    async def referred(self, update: dict[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the update of a stage with references to the chunks that the store of its ``state`` has.

        What it leaves as it was is no update.
        """
        chunks = [chunk for chunk in _chunks_in(update) if _WHOLE in chunk]
        if not chunks:
            return update
        stored = await self._stored({**state, **update}, chunks)

        def reference(chunk: Item) -> Item:
            found = stored.get(chunk["id"])
            if found is None or found.keys() != chunk.keys():
                return chunk
            differing = {key: value for key, value in chunk.items() if key != "id" and value != found[key]}
            return chunk if _WHOLE in differing else {"id": chunk["id"], **differing}

        referring = {**update, **_replaced(update, reference)}
        same = [key for key in OF_CANDIDATES if key in referring and referring[key] == state.get(key)]
        return {key: value for key, value in referring.items() if key not in same}

    async def _stored(self, state: Mapping[str, Any], chunks: Sequence[Item]) -> Mapping[int, Item]:
        store = self._stores[state.get("store", "index")]
        return {chunk["id"]: chunk for chunk in await store.fetch([chunk["id"] for chunk in chunks])}


def _chunks_in(values: Mapping[str, Any]) -> Iterable[Item]:
    for key in OF_CANDIDATES:
        yield from (candidate["chunk"] for candidate in values.get(key) or ())


def _replaced(values: Mapping[str, Any], replace: Callable[[Item], Item | None]) -> dict[str, Any]:
    """Return the keys that hold chunks, each chunk replaced; one that nothing takes the place of is left out."""
    replaced: dict[str, Any] = {}
    for key in OF_CANDIDATES:
        if values.get(key):
            pairs = [(candidate, replace(candidate["chunk"])) for candidate in values[key]]
            replaced[key] = [
                candidate if chunk is candidate["chunk"] else {**candidate, "chunk": chunk}
                for candidate, chunk in pairs
                if chunk is not None
            ]
    return replaced
