"""Choose the article that a case is handled by, and order the chunks of its context."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from services.profile.case import RequiredDataProfile, Tier
from state.chunks import Candidate, Chunk, ordering_score

VOTES = 3
"""Chunks of an article whose scores count: a long article is no better for having more of them."""

TIERS: tuple[Tier, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def main_article(candidates: Sequence[Candidate], topic: str = "") -> str:
    """Return the id of the article whose three best chunks score most; empty where there is none.

    One of the topic that was asked for goes before all others; ties by id.
    """
    scores: dict[str, list[float]] = defaultdict(list)
    on_topic: set[str] = set()
    for candidate in candidates:
        article = candidate["chunk"]["law_id"]
        scores[article].append(ordering_score(candidate))
        if topic and candidate["chunk"]["topic"] == topic:
            on_topic.add(article)

    def preference(article: str) -> tuple[bool, float, str]:
        best = sorted(scores[article], reverse=True)[:VOTES]
        return article not in on_topic, -sum(best), article

    return min(scores, key=preference, default="")


def order_by_tier(candidates: Sequence[Candidate]) -> list[Chunk]:
    """Return chunks by tier, within a tier by descending score; ties by part of the article and id."""
    ranked = sorted(
        candidates,
        key=lambda candidate: (
            tier_rank(candidate["chunk"]),
            -ordering_score(candidate),
            candidate["chunk"]["law_id"],
            candidate["chunk"]["part"],
            candidate["chunk"]["id"],
        ),
    )
    return [candidate["chunk"] for candidate in ranked]


def tier_rank(chunk: Chunk) -> int:
    """Return the rank of a chunk's tier, 0 for CRITICAL; a chunk without a tier has that of the last one."""
    return next((rank for rank, tier in enumerate(TIERS) if tier == chunk["tier"]), len(TIERS) - 1)


def order_for_required_data(
    candidates: Sequence[Candidate], profile: RequiredDataProfile, article: str
) -> tuple[list[Chunk], list[Chunk]]:
    """Return the chunks that are always read, the article's own required data, and the others in their order.

    That is: those of the article before those of others; of each, critical ones, then by type in the order of the
    profile, then by score. The required data of other articles are read only where this one has none: they are those of
    other cases.
    """
    first = profile.types[0]
    own = [candidate for candidate in candidates if candidate["chunk"]["law_id"] == article]
    always = _ranked(own, profile, article, lambda chunk: chunk["chunk_type"] == first)
    rest = [candidate for candidate in candidates if not always or candidate["chunk"]["chunk_type"] != first]
    return always, _ranked(rest, profile, article, lambda chunk: chunk not in always)


def is_critical(chunk: Chunk, profile: RequiredDataProfile) -> bool:
    """Tell whether a chunk may not be left out where the data that a case needs are looked for."""
    return chunk["tier"] == TIERS[0] or chunk["chunk_type"] == profile.types[0]


def _ranked(
    candidates: Sequence[Candidate], profile: RequiredDataProfile, article: str, is_wanted: Callable[[Chunk], bool]
) -> list[Chunk]:
    def preference(candidate: Candidate) -> tuple[bool, bool, int, float, int]:
        chunk = candidate["chunk"]
        type_rank = (
            profile.types.index(chunk["chunk_type"]) if chunk["chunk_type"] in profile.types else len(profile.types)
        )
        return (
            chunk["law_id"] != article,
            not is_critical(chunk, profile),
            type_rank,
            -ordering_score(candidate),
            chunk["id"],
        )

    return [candidate["chunk"] for candidate in sorted(candidates, key=preference) if is_wanted(candidate["chunk"])]
