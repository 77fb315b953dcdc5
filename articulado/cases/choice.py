"""Choose the article of a case, explain a rejection, and order chunks by tier.

``choose`` ranks the matches that pass the filter: the topic named by the caller adds 2.0 to the log odds,
and complete required data add 1.0. The returned ``log_odds`` excludes both bonuses. ``say_kept_out`` and
``say_out_of_scope`` write the rejection message. ``order_by_tier`` sorts chunks from CRITICAL (rank 0) to
LOW.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from articulado.cases.data.bounds import sent_values
from articulado.cases.evidence import Guide
from articulado.cases.fields import kept_out_by, unknown_values
from articulado.cases.matching import Match
from articulado.config.sections import TOPIC, FilterField, RequiredDataProfile, Tier
from articulado.language.languages import Language
from articulado.retrieval.fusion import candidate
from articulado.values.chunks import Candidate, Chunk, ordering_score

TOPIC_ODDS = 2.0
"""Log odds that the topic which a caller names weighs among articles: one that matches 7 times better is taken all the
same (docs/cases.md)."""

DATA_ODDS = 1.0
"""Log odds that data weigh which are all that an article needs."""


@dataclass(frozen=True)
class Choice:
    """The article of a case, its match, and the best match of any that could handle it.

    ``is_redirected``: it is of another topic than the one that the caller named. ``of_data`` is another article that
    the data are of, if they are.
    """

    guide: Guide
    log_odds: float
    best: float
    is_redirected: bool
    of_data: Guide | None


def choose(matches: Sequence[Match], topic: str, collected: Mapping[str, str]) -> Choice | None:
    """Return the article that handles a case, by matches that pass its filter; ``None`` where there are none.

    Topic and data choose among articles. They have no part in ``log_odds``: whether the inquiry is of that article.
    """
    if not matches:
        return None

    def preference(match: Match) -> tuple[float, str]:
        asked_for = TOPIC_ODDS if topic and match.guide.topic == topic else 0.0
        return -(match.log_odds + asked_for + DATA_ODDS * _share(match.guide, collected)), match.guide.article_id

    chosen = min(matches, key=preference)
    return Choice(
        guide=chosen.guide,
        log_odds=chosen.log_odds,
        best=max(match.log_odds for match in matches),
        is_redirected=bool(topic) and chosen.guide.topic != topic,
        of_data=_of_data(chosen.guide, [match.guide for match in matches], collected),
    )


def unasked_data(guides: Iterable[Guide], collected: Mapping[str, str]) -> list[str]:
    """Return the names of the data that no article asks for, in the order in which they were sent."""
    asked = {name for guide in guides for name in _asked(guide, collected)}
    return [name for name in collected if name not in asked]


def _of_data(chosen: Guide, guides: Iterable[Guide], collected: Mapping[str, str]) -> Guide | None:
    """Return the article that all required data were sent of, where some of the chosen one's were not.

    What was sent of the chosen one is all asked for by the other, too, and something only by that. Of several, the one
    that asks for most of what was sent; of equal ones, the one that matches best.
    """
    if _share(chosen, collected) == 1:
        return None
    own = _asked(chosen, collected)
    others = [guide for guide in guides if _share(guide, collected) == 1 and own < _asked(guide, collected)]
    return max(others, key=lambda guide: len(_asked(guide, collected)), default=None)


def _asked(guide: Guide, collected: Mapping[str, str]) -> set[str]:
    """Return the names of the data that an article asks for among those sent."""
    return {name for spec in guide.fields for name in sent_values(spec, collected)}


def _share(guide: Guide, collected: Mapping[str, str]) -> float:
    """Return the share in [0, 1] of the data that an article requires which were sent; 0 where it requires none."""
    required = [spec for spec in guide.fields if spec["required"]]
    return sum(bool(sent_values(spec, collected)) for spec in required) / len(required) if required else 0.0


MAX_TITLES = 8
"""Titles that are listed: more of them nobody reads."""


def say_kept_out(
    match: Match,
    passing: Sequence[Match],
    fields: Sequence[FilterField],
    filters: Mapping[str, str],
    language: Language,
) -> str:
    """Say why the filter keeps out the article of a match: by a value that is not held, or by another than its own.

    ``passing`` are the matches that pass: that there are none, because no article has all the values, is said, too.
    """
    names = kept_out_by(match.guide.attributes, filters)
    keeping = [field for field in fields if field.name in names]
    if unknown := unknown_values(keeping, filters, language):
        return ". ".join(unknown)
    reasons = [
        language.translate(
            "case_kept_out",
            title=match.guide.title,
            field=field.label,
            own=match.guide.attributes[field.name],
            value=filters[field.name],
        )
        for field in keeping
    ]
    if not passing:
        given = [filters[field.name] for field in fields if field.name != TOPIC and field.name in filters]
        reasons.insert(0, language.translate("case_no_article_for", values=" + ".join(given)))
    return ". ".join(reasons)


def say_out_of_scope(
    matches: Sequence[Match], fields: Sequence[FilterField], filters: Mapping[str, str], language: Language
) -> str:
    """Say that no article handles an inquiry, and which ones there are: of those that pass, the nearest.

    Where none passes, it is said which values are not held.
    """
    message = language.translate("case_out_of_scope")
    if not matches:
        return ". ".join([message, *unknown_values(fields, filters, language)])
    titles = "; ".join(match.guide.title for match in matches[:MAX_TITLES])
    more = len(matches) - MAX_TITLES
    listed = (
        language.translate("case_nearest_titles", titles=titles, number=more)
        if more > 0
        else language.translate("case_titles", titles=titles)
    )
    return f"{message}. {listed}"


UNFOUND_SCORE = 0.0
"""Of the chunks of the article that the search has not found."""

TIERS: tuple[Tier, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def of_article(candidates: Iterable[Candidate], article: str) -> list[Candidate]:
    """Return the candidates that are chunks of an article."""
    return [candidate for candidate in candidates if candidate["chunk"]["law_id"] == article]


def found_by(candidates: Iterable[Candidate], query: str) -> list[Candidate]:
    """Return the candidates that a query has found."""
    return [candidate for candidate in candidates if query in candidate["found_by"]]


def with_article(candidates: Sequence[Candidate], article: Iterable[Chunk]) -> list[Candidate]:
    """Return the candidates, and the chunks of the article that the search has not found."""
    ids = {candidate["chunk"]["id"] for candidate in candidates}
    unfound = [chunk for chunk in article if chunk["id"] not in ids]
    return [*candidates, *(candidate(chunk, UNFOUND_SCORE, "direct") for chunk in unfound)]


def order_by_tier(candidates: Sequence[Candidate], article: str, types: Sequence[str]) -> list[Chunk]:
    """Return chunks by tier; within a tier, those of the article go before those of others.

    The article's are in the order of ``types``, and only then by descending score: a search may have missed its steps.
    Those of others are by score; ties by article, part of it, and id.
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
