"""Order the chunks of a case by tier, and say why no article handles an inquiry."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from articulado.cases.fields import kept_out_by
from articulado.cases.matching import Match
from articulado.config.sections import FilterField, RequiredDataProfile, Tier
from articulado.language.languages import Language
from articulado.retrieval.fusion import candidate
from articulado.values.chunks import Candidate, Chunk, ordering_score

MAX_TITLES = 8


def say_kept_out(match: Match, fields: Sequence[FilterField], filters: Mapping[str, str], language: Language) -> str:
    """Name the filter values that exclude the article of a match."""
    names = kept_out_by(match.guide.attributes, filters)
    return ". ".join(
        language.translate(
            "case_kept_out",
            title=match.guide.title,
            field=field.label,
            own=match.guide.attributes[field.name],
            value=filters[field.name],
        )
        for field in fields
        if field.name in names
    )


def say_out_of_scope(matches: Sequence[Match], language: Language) -> str:
    """Say that no article handles an inquiry, and list the articles that pass the filter, the nearest first."""
    titles = "; ".join(match.guide.title for match in matches[:MAX_TITLES])
    more = len(matches) - MAX_TITLES
    key = "case_nearest_titles" if more > 0 else "case_titles"
    return f"{language.translate('case_out_of_scope')}. {language.translate(key, titles=titles, number=more)}"


UNFOUND_SCORE = 0.0

TIERS: tuple[Tier, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def of_article(candidates: Iterable[Candidate], article: str) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate["chunk"]["law_id"] == article]


def found_by(candidates: Iterable[Candidate], query: str) -> list[Candidate]:
    return [candidate for candidate in candidates if query in candidate["found_by"]]


def with_article(candidates: Sequence[Candidate], article: Iterable[Chunk]) -> list[Candidate]:
    """Return the candidates plus the chunks of the article that the search has not found."""
    ids = {candidate["chunk"]["id"] for candidate in candidates}
    unfound = [chunk for chunk in article if chunk["id"] not in ids]
    return [*candidates, *(candidate(chunk, UNFOUND_SCORE, "direct") for chunk in unfound)]


def order_by_tier(candidates: Sequence[Candidate], article: str, types: Sequence[str]) -> list[Chunk]:
    """Return chunks by tier; within a tier, those of the article first.

    The article's own are in the order of ``types``, because a search may miss its steps, then by score; the others by
    score.
    """
    type_ranks = {chunk_type: rank for rank, chunk_type in enumerate(types)}

    def preference(candidate: Candidate) -> tuple[int, bool, int, float, str, int, int]:
        chunk = candidate["chunk"]
        is_own = chunk["law_id"] == article
        return (
            tier_rank(chunk),
            not is_own,
            type_ranks.get(chunk["chunk_type"], len(type_ranks)) if is_own else 0,
            -ordering_score(candidate),
            chunk["law_id"],
            chunk["part"],
            chunk["id"],
        )

    return [candidate["chunk"] for candidate in sorted(candidates, key=preference)]


def tier_rank(chunk: Chunk) -> int:
    """Return the rank of a chunk's tier, 0 for CRITICAL; the last rank without a tier."""
    return next((rank for rank, tier in enumerate(TIERS) if tier == chunk["tier"]), len(TIERS) - 1)


def order_for_required_data(
    candidates: Sequence[Candidate], profile: RequiredDataProfile, article: str
) -> tuple[list[Chunk], list[Chunk]]:
    """Return the article's own required data, which are always read, and the other chunks in order.

    Required data of other articles are used only if the article has none.
    """
    first = profile.types[0]
    own = [candidate for candidate in candidates if candidate["chunk"]["law_id"] == article]
    always = _ranked(own, profile, article, lambda chunk: chunk["chunk_type"] == first)
    rest = [candidate for candidate in candidates if not always or candidate["chunk"]["chunk_type"] != first]
    return always, _ranked(rest, profile, article, lambda chunk: chunk not in always)


def is_critical(chunk: Chunk, profile: RequiredDataProfile) -> bool:
    """Return True for a chunk of the first tier, or of the profile's first type."""
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
