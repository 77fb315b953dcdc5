"""Legal signals: what the law's own order says of a provision, beside how relevant it is to the question."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from articulado.values.chunks import REPEALED, Chunk
from legal.laws.registry import known_laws
from legal.validity import in_force

HIERARCHY: Mapping[int, float] = {1: 1.0, 2: 0.7625, 3: 0.525, 4: 0.2875, 5: 0.05}
"""By rank, in even steps: from 1.0 for the Constitution to 0.05 for orders, rulings and criteria."""
RECENT, OLD = 3.0, 15.0
"""Years up to which a law is recent (1.0), and from which its age says nothing for it (0.0)."""
_YEAR = 365.25


@dataclass(frozen=True)
class SignalWeights:
    """What each signal counts for; ``repealed`` is taken off what is law no longer."""

    relevance: float
    hierarchy: float
    recency: float
    in_force: float
    repealed: float


def final_score(relevance: float, chunk: Chunk, weights: SignalWeights, as_of: date | None, today: date) -> float:
    """Return relevance and legal signals together; all inputs are in [0, 1], the result in [−repealed, 1].

    final = w_r · relevance + w_h · hierarchy + w_t · recency + w_f · in force − repealed, where it is. All of them are
    of the day asked about: what was law then is in force and not repealed. A provision of which only parts are
    repealed, or that was amended, loses nothing: its note says so.
    """
    force = in_force(chunk, as_of, today)
    gone = chunk["status"] in REPEALED and not force
    return (
        weights.relevance * relevance
        + weights.hierarchy * HIERARCHY[min(max(chunk["rank"], 1), 5)]
        + weights.recency * recency(chunk, as_of or today)
        + weights.in_force * force
        - weights.repealed * gone
    )


def recency(chunk: Chunk, day: date) -> float:
    """Return 1.0 for a law younger than 3 years on a day, falling in a line to 0.0 at 15.

    What counts is the law's own date: amendments of single provisions say how often it is mended, not how new it is.
    For what is no known law (a ruling, a document) it is the day from which it holds; without one, 0.0.
    """
    law = known_laws().get(chunk["law_id"])
    since = law.published if law else date.fromisoformat(chunk["valid_from"]) if chunk["valid_from"] else None
    if since is None:
        return 0.0
    years = (day - since).days / _YEAR
    return min(1.0, max(0.0, (OLD - years) / (OLD - RECENT)))
