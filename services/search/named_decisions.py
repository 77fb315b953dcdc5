"""Fetch the rulings and criteria that a question names by number, and say what the index does not have of them."""

from collections.abc import Sequence

from articulado.legal.ids import COURTS, decisions_in
from articulado.values.answers import NamedDecision
from articulado.values.chunks import NAMED_SCORE, Candidate, Chunk
from articulado.values.protocols import ChunkStore, SearchFilter
from state.candidates import candidate

MAX_DECISIONS = 8
COLLECTIONS = ("sentencias", "criterios_inss")
"""Where decisions are."""


def decisions_named(text: str) -> list[NamedDecision]:
    """Return the decisions that a text names, in its order."""
    return [NamedDecision(key=one.key, ecli=one.ecli, name=text[one.start : one.end]) for one in decisions_in(text)]


async def look_up_decisions(decisions: Sequence[NamedDecision], store: ChunkStore) -> list[Candidate]:
    """Return all parts of the decisions named: those of the records of the package, and documents of one's own.

    The first go by their key, the others by their ECLI, or by their number as it is written ("STS 1/2024"), which is
    looked for where the others have not been found, in all texts of ``COLLECTIONS``.
    """
    wanted = decisions[:MAX_DECISIONS]
    found = await _having(store, "provision_key", [one["key"] for one in wanted])
    found += await _having(store, "law_id", [one["ecli"] for one in wanted])
    missing = _missing(wanted, found)
    found += await _having(store, "provision", [_as_written(one) for one in missing])
    named = {chunk["id"]: chunk for one in wanted for chunk in found if _is_of(one, chunk)}
    return [candidate(chunk, NAMED_SCORE, "direct", chunk["provision"]) for chunk in named.values()]


async def _having(store: ChunkStore, field: str, values: Sequence[str]) -> list[Chunk]:
    """Return the chunks that have one of some values in a field; an empty value is that of none."""
    there_are = tuple(filter(None, values))
    return await store.select(COLLECTIONS, SearchFilter(fields=((field, there_are),))) if there_are else []


def _as_written(decision: NamedDecision) -> str:
    """Return the number of a ruling as documents of one's own have it: court, number and year."""
    court, _, number = decision["key"].partition("-")
    return f"{court.upper()} {number.replace('-', '/')}" if court in COURTS else ""


def _is_of(decision: NamedDecision, chunk: Chunk) -> bool:
    names = {decision["key"], decision["ecli"], _as_written(decision)} - {""}
    return not names.isdisjoint((chunk["provision_key"], chunk["law_id"], chunk["provision"]))


def _missing(decisions: Sequence[NamedDecision], chunks: Sequence[Chunk]) -> list[NamedDecision]:
    return [decision for decision in decisions if not any(_is_of(decision, chunk) for chunk in chunks)]


def decisions_missing(decisions: Sequence[NamedDecision], found: Sequence[Candidate]) -> list[str]:
    """Return a warning for each decision that was named and is not in the index."""
    missing = _missing(decisions, [one["chunk"] for one in found])
    names = dict.fromkeys(one["name"] for one in missing)
    return [f"{name} no está entre las sentencias y los criterios del índice." for name in names]
