"""What an abstention rests on, so that whoever reads it can judge it."""

from collections.abc import Sequence
from datetime import date

from articulado.language.languages import Language
from articulado.values.chunks import Candidate, indexed_text, ordering_score, provision_of, relevance
from articulado.values.findings import Certificate, NearestProvision

MAX_BEST = 3
"""Provisions that came nearest, at most."""
_READ_FOR_MISSING = 5


def certificate_of(
    question: str,
    candidates: Sequence[Candidate],
    *,
    searches: Sequence[str],
    collections: Sequence[str],
    store: str,
    as_of: date | None,
    territory: str | None,
    probability: float | None,
    language: Language,
) -> Certificate:
    """Return what was searched, where, what came nearest, and which words of the question nothing of it has."""
    ordered = sorted(candidates, key=lambda candidate: (-ordering_score(candidate), candidate["chunk"]["id"]))
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in ordered:
        first.setdefault(provision_of(candidate["chunk"]), candidate)
    had = {
        stem for candidate in ordered[:_READ_FOR_MISSING] for stem in language.stems(indexed_text(candidate["chunk"]))
    }
    words = dict.fromkeys(language.content_words(question))
    return {
        "searches": list(searches),
        "collections": list(collections),
        "store": store,
        "as_of": as_of.isoformat() if as_of else None,
        "territory": territory,
        "candidates": len(candidates),
        "relevance": probability,
        "best": [_nearest(candidate) for candidate in list(first.values())[:MAX_BEST]],
        "missing": [word for word in words if not had.intersection(language.stems(word))],
    }


def _nearest(candidate: Candidate) -> NearestProvision:
    chunk = candidate["chunk"]
    return {
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "title": chunk["title"],
        "url": chunk["url"],
        "relevance": round(relevance(candidate), 3),
    }
