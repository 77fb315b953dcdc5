"""Create, merge and sort candidates: the same order in every stage.

``in_order`` sorts by descending score, ties by ascending chunk id. ``merged`` keeps each chunk once, with
its highest scores and all its origins. ``preference`` is the sort key by final score, then search score.
``nearest`` returns the first part of each of the best provisions.
"""

from collections.abc import Iterable, Sequence

from articulado.values.chunks import Candidate, Chunk, Origin, provision_of


def candidate(chunk: Chunk, score: float, origin: Origin, found_by: str = "") -> Candidate:
    """Make a candidate with one origin; ``found_by`` is the query or the provision that led to it."""
    return {"chunk": chunk, "score": score, "origins": [origin], "found_by": [found_by] if found_by else []}


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates by descending score; ties by ascending id."""
    return sorted(candidates, key=lambda item: (-item["score"], item["chunk"]["id"]))


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return each chunk once, with its highest scores and all its origins, by descending score."""
    best: dict[int, Candidate] = {}
    for added in candidates:
        earlier = best.get(added["chunk"]["id"])
        best[added["chunk"]["id"]] = added if earlier is None else _joined(earlier, added)
    return in_order(best.values())


def _joined(first: Candidate, second: Candidate) -> Candidate:
    joined: Candidate = {
        "chunk": first["chunk"],
        "score": max(first["score"], second["score"]),
        "origins": list(dict.fromkeys(first["origins"] + second["origins"])),
        "found_by": list(dict.fromkeys(first["found_by"] + second["found_by"])),
    }
    similar = [candidate["similarity"] for candidate in (first, second) if "similarity" in candidate]
    if similar:
        joined["similarity"] = max(similar)
    scored = [candidate for candidate in (first, second) if "rerank_score" in candidate]
    if scored:
        joined["rerank_score"] = max(candidate["rerank_score"] for candidate in scored)
    return joined


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
