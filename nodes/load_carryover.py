"""Bring back the chunks that the last answer rested on."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.candidates import candidate
from services.errors import InvalidInput
from services.protocols import ChunkStore
from state.chunks import MAX_CHUNK_ID, Candidate
from state.context import ResolvedContext
from state.rag import RagState

CARRYOVER_SCORE = 0.5
MAX_CARRIED = 30


class LoadCarryoverUpdate(TypedDict):
    """The carried-over candidates, and the ids that the index no longer has."""

    carried: list[Candidate]
    missing_carried: list[int]


async def load_carryover(
    state: RagState, runtime: Runtime[ResolvedContext], *, store: ChunkStore
) -> LoadCarryoverUpdate:
    """Fetch the caller's ``previous_chunk_ids``, or else the thread's own, with a fixed score.

    Raises:
        InvalidInput: an id is not one that articulado gives out.
    """
    given = state.get("previous_chunk_ids")
    ids = checked_ids(given if given is not None else state.get("context_chunk_ids", []))
    chunks = await store.fetch(ids) if ids and runtime.context.rag_enabled else []
    found = {chunk["id"] for chunk in chunks}
    return {
        "carried": [candidate(chunk, CARRYOVER_SCORE, "carryover") for chunk in chunks],
        "missing_carried": [i for i in ids if i not in found] if runtime.context.rag_enabled else [],
    }


def checked_ids(ids: object) -> list[int]:
    """Return chunk ids as integers, each once, at most as many as a context holds.

    Raises:
        InvalidInput: not a list, or an id that is no whole number in range.
    """
    if not isinstance(ids, list):
        raise InvalidInput("«previous_chunk_ids» debe ser una lista con los identificadores de «context_chunk_ids».")
    checked: list[int] = []
    for value in ids:
        number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_CHUNK_ID:
            raise InvalidInput(
                f"«{str(value)[:40]}» no es un identificador de fragmento. "
                "Use los de «context_chunk_ids» de la respuesta anterior."
            )
        checked.append(number)
    return list(dict.fromkeys(checked))[:MAX_CARRIED]
