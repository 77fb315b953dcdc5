"""How candidates are made, merged and ordered: the same rule in every stage."""

from collections.abc import Iterable

from state.chunks import Candidate, Chunk, Origin

NAMED_SCORE = 1.0
"""Score of a provision that the question or the model named: beyond doubt."""


def candidate(chunk: Chunk, score: float, origin: Origin, found_by: str = "") -> Candidate:
    """Make a candidate with one origin; ``found_by`` is the query or the provision that led to it."""
    return {"chunk": chunk, "score": score, "origins": [origin], "found_by": [found_by] if found_by else []}


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort by descending score; ties by ascending id."""
    return sorted(candidates, key=lambda found: (-found["score"], found["chunk"]["id"]))


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Keep each chunk once, with its highest score and all its origins, in order."""
    best: dict[int, Candidate] = {}
    for found in candidates:
        known = best.get(found["chunk"]["id"])
        best[found["chunk"]["id"]] = found if known is None else _joined(known, found)
    return in_order(best.values())


def _joined(one: Candidate, other: Candidate) -> Candidate:
    joined: Candidate = {
        "chunk": one["chunk"],
        "score": max(one["score"], other["score"]),
        "origins": list(dict.fromkeys(one["origins"] + other["origins"])),
        "found_by": list(dict.fromkeys(one["found_by"] + other["found_by"])),
    }
    similar = [found["similarity"] for found in (one, other) if "similarity" in found]
    if similar:
        joined["similarity"] = max(similar)
    scored = [found for found in (one, other) if "rerank_score" in found]
    if scored:
        joined["rerank_score"] = max(found["rerank_score"] for found in scored)
    return joined
