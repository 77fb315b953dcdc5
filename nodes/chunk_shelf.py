"""Chunks of running questions: stages see whole chunks, checkpoints and streams store references."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from articulado.calculations.parameters import VALUE_TYPE
from articulado.values.answers import StoreName
from articulado.values.chunks import OWN_TYPE, Candidate, Chunk
from articulado.values.protocols import ChunkStore

OF_CANDIDATES: Final = ("direct", "found", "candidates", "cards", "context", "draft_context", "carried", "named")
"""State keys that hold candidates."""
MAX_LISTS = 512  # Lists of candidates kept in memory: those of about 70 simultaneous questions

_WHOLE: Final = "content_hash"


class ChunkShelf:
    """Exchanges chunks for references: the chunk's ``id`` and the fields that a stage ``changed``.

    ``found_by`` has positions in the state's ``searches``. Lists of the same process are recognised by identity;
    others (resumed or forked runs) are read from the store, without chunks that it has lost. Reference values and
    passages of the user's document are in no store and stay whole.
    """

    def __init__(self, stores: Mapping[StoreName, ChunkStore]) -> None:
        self._stores = stores
        self._lists: dict[int, tuple[Sequence[Candidate], Sequence[Candidate]]] = {}
        self._lock = threading.Lock()

    async def resolved(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a state in which all candidates are whole."""
        whole: dict[str, Sequence[Candidate]] = {}
        for key in OF_CANDIDATES:
            if references := state.get(key):
                known, candidates = self._lists.get(id(references), ((), ()))
                whole[key] = candidates if known is references else await self._read(references, state)
        return {**state, **whole}

    def referring(self, update: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the update with references; candidates that it leaves unchanged are omitted."""
        stored = dict(update)
        positions: dict[Any, Any] = {search: place for place, search in enumerate(state.get("searches") or ())}
        for key in OF_CANDIDATES:
            if candidates := update.get(key):
                stored[key] = [_reference(each, positions) for each in candidates]
                if stored[key] == state.get(key):
                    del stored[key]
                else:
                    self._keep(stored[key], candidates)
        return stored

    async def _read(self, references: Sequence[Candidate], state: Mapping[str, Any]) -> Sequence[Candidate]:
        ids = dict.fromkeys(each["chunk"]["id"] for each in references if _WHOLE not in each["chunk"])
        if not ids:
            return references
        store = self._stores[state.get("store", "index")]
        stored = {chunk["id"]: chunk for chunk in await store.fetch(list(ids))}
        searches: dict[Any, str] = dict(enumerate(state.get("searches") or ()))
        candidates: list[Candidate] = []
        for each in references:
            reference: Mapping[str, Any] = each["chunk"]
            if _WHOLE in reference:
                candidates.append(each)
            elif chunk := stored.get(each["chunk"]["id"]):
                found_by = [searches.get(search, search) for search in each["found_by"]]
                candidates.append({**each, "chunk": cast(Chunk, {**chunk, **reference}), "found_by": found_by})
        self._keep(references, candidates)
        return candidates

    def _keep(self, references: Sequence[Candidate], candidates: Sequence[Candidate]) -> None:
        with self._lock:
            self._lists[id(references)] = references, candidates
            while len(self._lists) > MAX_LISTS:
                del self._lists[next(iter(self._lists))]


def _reference(candidate: Candidate, positions: Mapping[Any, Any]) -> Candidate:
    chunk: Mapping[str, Any] = candidate["chunk"]
    if chunk["chunk_type"] in (VALUE_TYPE, OWN_TYPE):
        return candidate
    fields = ("id", *candidate.get("changed", ()))
    found_by = [positions.get(search, search) for search in candidate["found_by"]]
    stored: Candidate = {
        **candidate,
        "chunk": cast(Chunk, {field: chunk[field] for field in fields}),
        "found_by": found_by,
    }
    # Only the match of a case with its article reads it.
    stored.pop("similarity", None)
    return stored
