"""Choose the provisions and the parts of provisions that a chat model reads.

``without_repealed`` leaves out law that is no longer in force. ``chosen_parts`` keeps the best provisions
and, of each, the parts with the answer, their lead-in and the apartados that they refer to. The thresholds
were measured with each ranking (docs/retrieval.md).
"""

import re
from collections.abc import Callable, Mapping, Sequence

from articulado.language.folding import fold
from articulado.language.table_text import is_row
from articulado.legal.dates.forms import dates_in
from articulado.legal.validity import in_force, is_of_day
from articulado.prompting.notes import shown_apartados
from articulado.retrieval.fusion import Cut
from articulado.values.answers import Days, RerankStrategy
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, ordering_score, provision_of, relevance

PROVISIONS: Mapping[RerankStrategy, Cut] = {"learnt": Cut(0.25, 8), "heuristic": Cut(0.65, 6)}
"""Which provisions a chat model reads, by what ordered them (docs/retrieval.md)."""

FIRST_PROVISIONS, NEAR_IN_FIRST, NEAR_IN_OTHERS = 3, 0.1, 0.05
"""A part is read if its relevance is at most so far below that of the best part of its provision."""

_ITEM = re.compile(r"(?:[a-zñ]{1,2}|\d{1,2}[.]?[ªº])\)?[.)] |[-–—•·] ", re.IGNORECASE)
"""Begins an item of an enumeration, not an apartado ("1. ")."""
_OPENS = re.compile(r":\s*$", re.MULTILINE)
"""Ends the sentence that opens an enumeration."""
_APARTADO = re.compile(r"\b(?:apartados?|números?) (\d{1,2})(?:\.[\w.ªº]+\)?)?(?: y (\d{1,2}))?")
_OF_ANOTHER = re.compile(
    r"[^.;]{0,30}?\bdel? (?:la |el |los |las )?(?:art|ley|real|disposici|anexo|reglamento)", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:apartado|párrafo|número)s? (?:anterior|precedente)", re.IGNORECASE)


def without_repealed(
    candidates: Sequence[Candidate], question: str, days: Days, is_kept: Callable[[Candidate], bool]
) -> list[Candidate]:
    """Leave out wordings that are not law on the day asked about.

    A wording of a past day that the question mentions stays, and so does what begins later than today. Candidates that
    ``is_kept`` accepts stay, too, and so do all if none is in force.
    """
    said = [mention.day for mention in dates_in(fold(question), today=days.today)]
    kept = [
        candidate
        for candidate in candidates
        if in_force(candidate["chunk"], *days)
        or is_kept(candidate)
        or (days.as_of is None and (candidate["chunk"]["valid_from"] or "") > days.today.isoformat())
        or any(is_of_day(candidate["chunk"], day) and day < days.today for day in said)
    ]
    return kept or list(candidates)


def chosen_parts(
    ranked: Sequence[Candidate], is_kept: Callable[[Candidate], bool], cut: Cut = PROVISIONS["heuristic"]
) -> list[Candidate]:
    """Return the candidates that a chat model reads, in their order.

    A provision is read if its final score is at least the share of ``cut`` of the best one, if it is among the first
    ones, or if ``is_kept`` accepts one of its parts. The best final score is that of the others.
    """
    by_provision: dict[ProvisionRef, list[Candidate]] = {}
    for candidate in ranked:
        by_provision.setdefault(provision_of(candidate["chunk"]), []).append(candidate)
    scores = {ref: max(map(ordering_score, parts)) for ref, parts in by_provision.items()}
    reserved = {ref for ref, parts in by_provision.items() if any(map(is_kept, parts))}
    best = max((score for ref, score in scores.items() if ref not in reserved), default=0.0)
    read: set[int] = set()
    for place, ref in enumerate(sorted(scores, key=lambda ref: -scores[ref])):
        if ref in reserved or place < cut.least or scores[ref] >= cut.share * best:
            near = NEAR_IN_FIRST if place < FIRST_PROVISIONS else NEAR_IN_OTHERS
            read |= _parts_of(by_provision[ref], near, is_kept)
    return [candidate for candidate in ranked if candidate["chunk"]["id"] in read]


def _parts_of(parts: Sequence[Candidate], near: float, is_kept: Callable[[Candidate], bool]) -> set[int]:
    """Return the ids of the parts of a provision that are read; ``near`` is the greatest distance to the best part."""
    best = max(map(relevance, parts))
    chosen = [part["chunk"] for part in parts if relevance(part) >= best - near or is_kept(part)]
    chunks = [part["chunk"] for part in parts]
    besides = [other for chunk in chosen for other in chunks if _goes_with(chunk, other, chunks)]
    return {chunk["id"] for chunk in (*chosen, *besides)}


def _goes_with(chunk: Chunk, other: Chunk, parts: Sequence[Chunk]) -> bool:
    """Tell whether another part of a provision is read with a chosen one."""
    if other["valid_from"] != chunk["valid_from"]:
        return False
    lead_in = opening_part(chunk, parts)
    return other["part"] in (1, lead_in) or bool(apartados_referred_to(chunk) & shown_apartados([other]))


def opening_part(chunk: Chunk, parts: Sequence[Chunk]) -> int | None:
    """Return the number of the part that opens the enumeration, table or apartado with which a part begins."""
    begin = chunk["text"].strip().partition("\n")[0]
    before = sorted((each for each in parts if each["part"] < chunk["part"]), key=lambda each: -each["part"])
    if is_row(begin) or _BEFORE.search(begin):
        return chunk["part"] - 1
    if not _ITEM.match(begin):
        return None
    return next((each["part"] for each in before if _OPENS.search(each["text"])), chunk["part"] - 1)


def apartados_referred_to(chunk: Chunk) -> frozenset[int]:
    """Return the numbers of the apartados of its own provision that a part refers to.

    >>> sorted(apartados_referred_to({"text": "Se aplica el apartado 2. Véase el apartado 3 del artículo 5."}))
    [2]
    """
    text = chunk["text"]
    return frozenset(
        int(number)
        for match in _APARTADO.finditer(text)
        if not _OF_ANOTHER.match(text, match.end())
        for number in match.groups()
        if number
    )
