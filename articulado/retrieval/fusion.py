"""Create, merge, sort and finally score candidates: the same order in every stage."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from articulado.language.table_text import is_row
from articulado.legal.validity import SignalWeights, final_score
from articulado.values.chunks import NAMED_SCORE, Candidate, Chunk, Origin, ProvisionRef, is_card, provision_of


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


_BEST_OF_BOTH: tuple[Literal["similarity", "closeness", "rerank_score"], ...] = (
    "similarity",
    "closeness",
    "rerank_score",
)


def _joined(first: Candidate, second: Candidate) -> Candidate:
    source = second if second.get("changed") and not first.get("changed") else first
    joined: Candidate = {
        "chunk": source["chunk"],
        "score": max(first["score"], second["score"]),
        "origins": list(dict.fromkeys(first["origins"] + second["origins"])),
        "found_by": list(dict.fromkeys(first["found_by"] + second["found_by"])),
    }
    for name in _BEST_OF_BOTH:
        if values := [candidate[name] for candidate in (first, second) if name in candidate]:
            joined[name] = max(values)
    if "changed" in source:
        joined["changed"] = source["changed"]
    return joined


EXTRA_AFTER_REFETCH = 5


def preference(candidate: Candidate) -> tuple[bool, float, float, str, str, int, int]:
    """Sort key: final score, candidates without one last; search score; provision and part; id."""
    score, chunk = candidate.get("final_score"), candidate["chunk"]
    tie_break = (chunk["law_id"], chunk["provision_key"], chunk["part"], chunk["id"])
    return score is None, -(score or 0.0), -candidate["score"], *tie_break


def ranked_provisions(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates without cards, in the order of ``preference``."""
    return sorted((each for each in candidates if not is_card(each["chunk"])), key=preference)


def with_cards(candidates: Iterable[Candidate], cards: Sequence[Candidate]) -> list[Candidate]:
    """Return the chosen ``cards``, the candidates that are no cards, and the provisions that support the cards.

    A candidate that supports a card gets that origin and the purpose of its quotation.
    """
    chosen = [each for each in cards if is_card(each["chunk"])]
    bearing = {each["chunk"]["id"]: each for each in cards if not is_card(each["chunk"])}
    law = {each["chunk"]["id"]: each for each in candidates if not is_card(each["chunk"])}
    return [
        *chosen,
        *(_marked(each, bearing.get(id_)) for id_, each in law.items()),
        *(each for id_, each in bearing.items() if id_ not in law),
    ]


def _marked(known: Candidate, bearing: Candidate | None) -> Candidate:
    if bearing is None:
        return known
    marked: Candidate = {**known, "origins": list(dict.fromkeys((*known["origins"], "card")))}
    if "purpose" not in bearing:
        return marked
    return {**marked, "purpose": bearing["purpose"], "says": bearing["says"], "gloss": bearing.get("gloss", "")}


def nearest(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the first part of each of the best ``limit`` provisions, without cards."""
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in ranked_provisions(candidates):
        first.setdefault(provision_of(candidate["chunk"]), candidate)
    return list(first.values())[:limit]


DECIMALS = 6
SPEAKS_OF_IT = 0.5
"""Relevance + share of words from which an agreement is on the subject: answers have 0.5 to 2, others ≤ 0.42."""
NEAR_THE_BEST = 0.8
ASKED_OF = 0.95
"""Least score of such a text: before all law, after named provisions."""


def with_final_scores(
    candidates: Iterable[Candidate],
    weights: SignalWeights,
    as_of: date | None,
    today: date,
    named_agreements: Collection[str] = (),
) -> list[Candidate]:
    """Add the legal signals to the scored candidates; named provisions are first, then named agreements."""
    return [
        {**candidate, "final_score": _final_score(candidate, weights, as_of, today, named_agreements)}
        if "rerank_score" in candidate
        else candidate
        for candidate in candidates
    ]


def _final_score(
    candidate: Candidate, weights: SignalWeights, as_of: date | None, today: date, named_agreements: Collection[str]
) -> float:
    if "direct" in candidate["origins"]:
        return NAMED_SCORE
    if is_asked_of(candidate, named_agreements):
        return candidate["rerank_score"]
    return round(final_score(candidate["rerank_score"], candidate["chunk"], weights, as_of, today), DECIMALS)


def boosted(
    candidates: Sequence[Candidate], scores: Sequence[float | None], shares: Sequence[float]
) -> list[float | None]:
    """Return the relevance of provisions of named agreements; ``shares`` are their shares of the question's words.

    The learnt models know law only and underrate agreements: their words and rank among themselves decide instead.
    """
    support = [share + (score or 0.0) for score, share in zip(scores, shares, strict=True)]
    best: dict[str, float] = {}
    for candidate, worth in zip(candidates, support, strict=True):
        law_id = candidate["chunk"]["law_id"]
        best[law_id] = max(worth, best.get(law_id, SPEAKS_OF_IT))
    return [
        score and _beside(score, worth, best[candidate["chunk"]["law_id"]])
        for candidate, score, worth in zip(candidates, scores, support, strict=True)
    ]


def _beside(score: float, worth: float, best: float) -> float:
    if worth >= max(SPEAKS_OF_IT, NEAR_THE_BEST * best):
        return ASKED_OF + (NAMED_SCORE - ASKED_OF) * min(1.0, worth / 2)
    return score * worth / best


def is_asked_of(candidate: Candidate, named_agreements: Collection[str]) -> bool:
    """Return True for a relevant provision of an agreement that the question names."""
    return candidate["chunk"]["law_id"] in named_agreements and candidate.get("rerank_score", 0.0) >= ASKED_OF


ON_TOPIC = 0.7
"""Share of the best state law's relevance for the same topic: matching law has 0.84 to 1, other law ≤ 0.13."""
LEAST_ON_TOPIC = 0.5
MAX_COMMUNITIES = 5
_STEP = 1e-4


def of_community(candidate: Candidate) -> str | None:
    """Return the community whose law a candidate is; ``None`` for state law and all other texts."""
    chunk = candidate["chunk"]
    return chunk["territory_ccaa"] if chunk["chunk_type"] == "provision" else None


def with_communities(ranked: Sequence[Candidate], asked: str | None) -> list[Candidate]:
    """Put the law of the ``asked`` community first, if it is on the topic.

    Of each other community the best provision on the topic stays, behind the best state law.
    """
    scored = [each for each in ranked if "final_score" in each]
    general = [each for each in scored if not of_community(each) and not is_card(each["chunk"])]
    best = min(general, key=preference, default=None)
    least = max(LEAST_ON_TOPIC, ON_TOPIC * best.get("rerank_score", 0.0) if best else 0.0)
    top = best["final_score"] if best else NAMED_SCORE
    first: dict[str, Candidate] = {}
    for each in sorted(scored, key=preference):
        if (community := of_community(each)) and each.get("rerank_score", 0.0) >= least:
            first.setdefault(community, each)
    others = {id(each) for community, each in [*first.items()][:MAX_COMMUNITIES] if community != asked}
    placed: list[Candidate] = []
    for each in ranked:
        community, score = of_community(each), each.get("final_score")
        if community and community == asked and score is not None and each.get("rerank_score", 0.0) >= least:
            placed.append({**each, "final_score": max(score, min(top + _STEP, NAMED_SCORE))})
        elif not community or community == asked or "direct" in each["origins"]:
            placed.append(each)
        elif id(each) in others and score is not None:
            placed.append({**each, "final_score": min(score, top - _STEP)})
    return placed


RESERVED = frozenset(("direct", "need", "carryover", "card"))
"""Origins that count more than the score."""
CARRYOVER_SHARE = 2


class Cut(NamedTuple):
    """Share of the best score below which candidates are dropped, and the number kept whatever their score."""

    share: float
    least: int


def pruned(ranked: Sequence[Candidate], cut: Cut) -> list[Candidate]:
    """Drop candidates far less relevant than the best that was not named; keep the first and the reserved ones."""
    best = max((candidate.get("rerank_score", 0.0) for candidate in ranked if not is_kept(candidate)), default=0.0)
    return [
        candidate
        for place, candidate in enumerate(ranked)
        if place < cut.least or is_kept(candidate) or candidate.get("rerank_score", best) >= cut.share * best
    ]


def is_of_card(candidate: Candidate) -> bool:
    """Return True for an answer card, and for a provision that supports one."""
    return "card" in candidate["origins"]


def is_kept(candidate: Candidate) -> bool:
    """Return True for a candidate with an origin of ``RESERVED``, which no cut drops."""
    return not RESERVED.isdisjoint(candidate["origins"])


def reserved_first(ranked: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the candidates with the reserved ones first, each once; the caller admits the first ``limit``.

    Order: requested provisions (needs), cards and their provisions, the best candidate, provisions carried over from
    the conversation (at most half of ``limit``), the rest. The part with the head of a table follows its rows.
    """
    by_part = {_part(candidate["chunk"], candidate["chunk"]["part"]): candidate for candidate in ranked}

    def of(origin: str) -> list[Candidate]:
        return [candidate for candidate in ranked if origin in candidate["origins"]]

    carried = of("carryover")[: limit // CARRYOVER_SHARE]
    claims = [*of("need"), *of("card"), *ranked[:1], *carried, *ranked]
    claimed: dict[int, Candidate] = {}
    for candidate in claims:
        chunk = candidate["chunk"]
        claimed.setdefault(chunk["id"], candidate)
        if is_row(chunk["text"].partition("\n")[0]) and (base := by_part.get(_part(chunk, chunk["part"] - 1))):
            claimed.setdefault(base["chunk"]["id"], base)
    return list(claimed.values())


def _part(chunk: Chunk, number: int) -> tuple[str, str, str, str | None, int]:
    return chunk["collection"], *provision_of(chunk), chunk["valid_from"], number


def by_provision(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Group candidates by provision, the best first, in the order of its wordings and text."""
    provisions: dict[ProvisionRef, list[Candidate]] = {}
    for candidate in ranked:
        provisions.setdefault(provision_of(candidate["chunk"]), []).append(candidate)
    return [candidate for parts in provisions.values() for candidate in sorted(parts, key=_place)]


def _place(candidate: Candidate) -> tuple[str, str, int, int]:
    chunk = candidate["chunk"]
    return chunk["source"], chunk["valid_from"] or "", chunk["part"], chunk["id"]
