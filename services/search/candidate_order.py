"""Order of candidates, and the sizes of a context that several stages share."""

from collections.abc import Sequence

from articulado.values.chunks import Candidate, provision_of

EXTRA_AFTER_REFETCH = 5
"""Places that a context has more of once something was fetched for it."""
MAX_COMPANIONS = 4
"""Places of a context that are kept for companions, at most."""


def preference(candidate: Candidate) -> tuple[bool, float, float, str, str, int, int]:
    """Sort key: the final score decides, candidates without one come after, then the search score.

    Ties: the parts of a provision together and in their order, then by id.
    """
    score, chunk = candidate.get("final_score"), candidate["chunk"]
    tie_break = (chunk["law_id"], chunk["provision_key"], chunk["part"], chunk["id"])
    return score is None, -(score or 0.0), -candidate["score"], *tie_break


def nearest(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the first part of each of the best provisions, ``limit`` of them at most."""
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in sorted(candidates, key=preference):
        first.setdefault(provision_of(candidate["chunk"]), candidate)
    return list(first.values())[:limit]
