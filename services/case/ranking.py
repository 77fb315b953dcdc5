"""Which article a case is handled by, and in which order its chunks are read."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from services.profile.case import RequiredDataProfile, Tier
from state.chunks import Candidate, Chunk, ordering_score

VOTES = 3
"""Chunks of an article that count for it: a long article is no better for having more."""

TIERS: tuple[Tier, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def main_article(candidates: Sequence[Candidate], topic: str = "") -> str:
    """Return the id of the article whose three best chunks score most; empty where there is none.

    One of the topic that was asked for goes before all others; ties by id.
    """
    scores: dict[str, list[float]] = defaultdict(list)
    on_topic: set[str] = set()
    for found in candidates:
        article = found["chunk"]["law_id"]
        scores[article].append(ordering_score(found))
        if topic and found["chunk"]["topic"] == topic:
            on_topic.add(article)

    def preference(article: str) -> tuple[bool, float, str]:
        best = sorted(scores[article], reverse=True)[:VOTES]
        return article not in on_topic, -sum(best), article

    return min(scores, key=preference, default="")


def by_tier(candidates: Sequence[Candidate]) -> list[Chunk]:
    """Return chunks by tier, in a tier by score; ties by place in the article and id."""
    ranked = sorted(
        candidates,
        key=lambda found: (
            tier_place(found["chunk"]),
            -ordering_score(found),
            found["chunk"]["law_id"],
            found["chunk"]["part"],
            found["chunk"]["id"],
        ),
    )
    return [found["chunk"] for found in ranked]


def tier_place(chunk: Chunk) -> int:
    """Return the place of a chunk's tier, 0 for CRITICAL; a chunk without one comes with the last."""
    return next((place for place, tier in enumerate(TIERS) if tier == chunk["tier"]), len(TIERS) - 1)


def for_required_data(
    candidates: Sequence[Candidate], profile: RequiredDataProfile, article: str
) -> tuple[list[Chunk], list[Chunk]]:
    """Return the chunks that are always read, the article's own required data, and the others in their order.

    That is: those of the article before those of others; of each, critical ones, then by type in the order of the
    profile, then by score. The required data of other articles are read only where this one has none: they are those of
    other cases.
    """
    first = profile.types[0]
    own = [found for found in candidates if found["chunk"]["law_id"] == article]
    always = _ranked(own, profile, article, lambda chunk: chunk["chunk_type"] == first)
    rest = [found for found in candidates if not always or found["chunk"]["chunk_type"] != first]
    return always, _ranked(rest, profile, article, lambda chunk: chunk not in always)


def is_critical(chunk: Chunk, profile: RequiredDataProfile) -> bool:
    """Tell whether a chunk may not be left out where the data that a case needs are looked for."""
    return chunk["tier"] == TIERS[0] or chunk["chunk_type"] == profile.types[0]


def _ranked(
    candidates: Sequence[Candidate], profile: RequiredDataProfile, article: str, wanted: Callable[[Chunk], bool]
) -> list[Chunk]:
    def preference(found: Candidate) -> tuple[bool, bool, int, float, int]:
        chunk = found["chunk"]
        place = profile.types.index(chunk["chunk_type"]) if chunk["chunk_type"] in profile.types else len(profile.types)
        return chunk["law_id"] != article, not is_critical(chunk, profile), place, -ordering_score(found), chunk["id"]

    return [found["chunk"] for found in sorted(candidates, key=preference) if wanted(found["chunk"])]
