"""What speaks for a term of a claim, and what for another in its place: the features of the classifier.

A term of the claim is looked for in the sources, and so are the terms that exclude it. Each occurrence is as near as
the words around it are those around the term: idf-weighted, the nearer the more, and the side counts.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from services.verification.claims.contrasts import contrasts
from services.verification.claims.passages import Passage

DENIAL = -1
"""The number of the contrast between a word that is denied and one that is not."""
FIGURE = -2
"""The number of the contrast between figures of one thing ("33 días", "20 días"); their members are the figures."""
AFFIRMED, DENIED = "affirmed", "denied"

Member = int | str
"""A member of the table by its number, ``AFFIRMED`` or ``DENIED``, or a figure."""

_FAR = 16
"""Content words around a term that are looked at, on each side."""
_NEAR = 3
_OTHER_SIDE = 0.6
"""What a word counts for that stands on the other side of the term."""
_ROLES = {
    "a": "to", "al": "to", "para": "to", "de": "of", "del": "of", "por": "by", "con": "with", "sin": "with",
    "en": "in", "entre": "of", "salvo": "but", "excepto": "but", "o": "or", "y": "or", "e": "or", "u": "or", "si": "if",
}  # fmt: skip
_ARTICLES = frozenset(("el", "la", "los", "las", "un", "una", "su", "sus", "cada", "tu", "mi", "propio", "propia"))

SCALARS = (
    "same", "other", "difference", "share", "same_near", "other_near", "near_difference", "coverage",
    "same_coverage", "other_coverage", "coverage_difference", "same_absent", "log_same", "log_other",
    "same_figure", "other_figure", "figure_difference", "role_same", "role_other", "same_neighbours",
    "other_neighbours", "neighbour_difference", "both_in_other", "in_heading", "in_question", "length",
    "contrasted", "difference_covered", "absent_other", "absent_near", "near_covered", "members_present",
    "overlap_other", "overlap_same",
)  # fmt: skip
"""The features that have a value, in order; after them one for each contrast."""


@dataclass(frozen=True)
class Candidate:
    """A term of a claim that may be at fault: ``words[first:last]``.

    ``anchor`` is the stem of a word that is denied, or of what a figure counts.
    """

    contrast: int
    member: Member
    first: int
    last: int
    anchor: str = ""


@dataclass(frozen=True)
class Occurrence:
    """Where a source has a member of the candidate's contrast, and how alike the words around are, from 0 to 1."""

    passage: Passage
    member: Member
    first: int
    last: int
    likeness: float
    near: float
    figures: float
    role: bool
    neighbours: float
    coverage: float
    overlap: float

    @property
    def rank(self) -> float:
        """How well it goes with the claim."""
        return self.likeness + 0.5 * self.near + 0.1 * self.role + 0.15 * self.figures


@dataclass(frozen=True)
class Evidence:
    """The features of a candidate, and the best occurrence of the same member (or none) and of another."""

    candidate: Candidate
    features: tuple[float, ...]
    same: Occurrence | None
    other: Occurrence


def alternatives(candidate: Candidate, sources: Sequence[Passage]) -> list[Candidate]:
    """Return what might stand in the place of a candidate: what excludes it, of figures those of the sources."""
    members: list[Member]
    if candidate.contrast == DENIAL:
        members = [AFFIRMED, DENIED]
    elif candidate.contrast == FIGURE:
        members = sorted({p.stems[n] for p in sources for n, unit in p.figures if unit == candidate.anchor})
    else:
        members = list(range(len(contrasts()[candidate.contrast].members)))
    return [replace(candidate, member=member) for member in members if member != candidate.member]


def candidates_of(claim: Passage, sources: Sequence[Passage]) -> list[Candidate]:
    """Return the terms of a claim that may be at fault, and its words that a source or the claim itself denies."""
    found = [Candidate(term.contrast, term.member, term.first, term.last) for term in claim.terms]
    found += [Candidate(FIGURE, claim.stems[n], n, n + 1, unit) for n, unit in claim.figures]
    denied = {passage.stems[position] for passage in sources for position in passage.denied}
    for position in claim.content:
        stem = claim.stems[position]
        if not stem[0].isdigit() and position not in claim.unclear and (position in claim.denied or stem in denied):
            member = DENIED if position in claim.denied else AFFIRMED
            found.append(Candidate(DENIAL, member, position, position + 1, stem))
    return found


class EvidenceReader:
    """Reads the evidence on the claims of an answer; ``idf`` is the weight of a stem, ``rarest`` of one not in it."""

    def __init__(self, idf: Mapping[str, float], rarest: float) -> None:
        self._idf = idf
        self._rarest = rarest

    def weight(self, stem: str) -> float:
        """Return the weight of a stem."""
        return self._idf.get(stem, self._rarest)

    def read(
        self, claim: Passage, candidate: Candidate, sources: Sequence[Passage], besides: Passage, question: Passage
    ) -> Evidence | None:
        """Return the evidence on a candidate; none where no source has another term in its place."""
        same: Occurrence | None = None
        other: Occurrence | None = None
        counts = [0, 0]
        members = set()
        window = self._window(claim, candidate.first, candidate.last)
        total = sum(weight for _, weight, _, _ in window)
        if not window or total <= 0:
            return None
        for passage in sources:
            for member, first, last in _occurrences(passage, candidate):
                occurrence = self._compare(claim, candidate, window, total, passage, (member, first, last))
                members.add(member)
                agrees = member == candidate.member
                counts[not agrees] += 1
                if agrees and (same is None or occurrence.rank > same.rank):
                    same = occurrence
                if not agrees and (other is None or occurrence.rank > other.rank):
                    other = occurrence
        if other is None:
            return None
        coverage = self._coverage(claim, sources)
        values = self._scalars(claim, candidate, same, other, counts, coverage, len(members), besides, question)
        kinds = [0.0] * (len(contrasts()) + 2)
        kinds[candidate.contrast] = 1.0  # negative numbers: the last ones
        return Evidence(candidate, (*values, *kinds), same, other)

    def _window(self, passage: Passage, first: int, last: int) -> list[tuple[str, float, int, int]]:
        """Return stem, weight, side and distance of the content words around a term."""
        before = [n for n in passage.content if n < first][-_FAR:]
        after = [n for n in passage.content if n >= last][:_FAR]
        around = [(n, -1, distance) for distance, n in enumerate(reversed(before))]
        around += [(n, 1, distance) for distance, n in enumerate(after)]
        return [
            (passage.stems[n], self.weight(passage.stems[n]) / (1 + distance / 4), side, distance)
            for n, side, distance in around
        ]

    def _compare(
        self,
        claim: Passage,
        candidate: Candidate,
        window: Sequence[tuple[str, float, int, int]],
        total: float,
        passage: Passage,
        place: tuple[Member, int, int],
    ) -> Occurrence:
        member, first, last = place
        there = _around(passage, first, last)
        likeness = near = near_total = figures = overlap = 0.0
        for stem, weight, side, distance in window:
            is_near = distance < _NEAR
            near_total += weight * is_near
            found = there.get(stem)
            if found is None:
                continue
            found_side, found_distance = found
            factor = (1.0 if found_side == side else _OTHER_SIDE) / (1 + found_distance / 10)
            likeness += weight * factor
            overlap += weight
            if is_near and found_distance < 2 * _NEAR:
                near += weight * factor
            if stem[0].isdigit() and distance < 6 and found_distance < 6:
                figures = 1.0
        return Occurrence(
            passage,
            member,
            first,
            last,
            likeness / total,
            near / near_total if near_total else 0.0,
            figures,
            _role(claim, candidate.first) == _role(passage, first),
            _neighbours(claim, candidate.first, candidate.last, passage, first, last),
            self._coverage(claim, [passage]),
            overlap / total,
        )

    def _coverage(self, claim: Passage, passages: Iterable[Passage]) -> float:
        there = frozenset().union(*(passage.stem_set for passage in passages))
        total = sum(self.weight(stem) for stem in claim.stem_set)
        return sum(self.weight(stem) for stem in claim.stem_set if stem in there) / total if total else 0.0

    def _scalars(
        self,
        claim: Passage,
        candidate: Candidate,
        same: Occurrence | None,
        other: Occurrence,
        counts: Sequence[int],
        coverage: float,
        members: int,
        besides: Passage,
        question: Passage,
    ) -> tuple[float, ...]:
        of_same = (same.likeness, same.near, same.coverage, same.figures, same.neighbours) if same else (0.0,) * 5
        likeness, near, same_coverage, figures, neighbours = of_same
        absent = float(same is None)
        both = any(member == candidate.member for member, _, _ in _occurrences(other.passage, candidate))
        contrasted = any(t.contrast == candidate.contrast and t.first != candidate.first for t in claim.terms)
        return (
            likeness,
            other.likeness,
            other.likeness - likeness,
            other.likeness / (likeness + other.likeness + 0.05),
            near,
            other.near,
            other.near - near,
            coverage,
            same_coverage,
            other.coverage,
            other.coverage - same_coverage,
            absent,
            math.log1p(counts[0]),
            math.log1p(counts[1]),
            figures,
            other.figures,
            other.figures - figures,
            float(same.role) if same else 0.0,
            float(other.role),
            neighbours,
            other.neighbours,
            other.neighbours - neighbours,
            float(both),
            float(_has(besides, candidate)),
            float(_has(question, candidate)),
            math.log(len(claim.content)),
            float(contrasted),
            (other.likeness - likeness) * other.coverage,
            absent * other.likeness,
            absent * other.near,
            (other.near - near) * other.coverage,
            float(members),
            other.overlap,
            same.overlap if same else 0.0,
        )


def _occurrences(passage: Passage, candidate: Candidate) -> list[tuple[Member, int, int]]:
    """Return member and place of what a passage has of the candidate's contrast."""
    if candidate.contrast >= 0:
        return [(t.member, t.first, t.last) for t in passage.terms if t.contrast == candidate.contrast]
    if candidate.contrast == FIGURE:
        return [(passage.stems[n], n, n + 1) for n, unit in passage.figures if unit == candidate.anchor]
    places = [n for n in passage.at_stem.get(candidate.anchor, ()) if n not in passage.unclear]
    return [(DENIED if n in passage.denied else AFFIRMED, n, n + 1) for n in places]


def _around(passage: Passage, first: int, last: int) -> dict[str, tuple[int, int]]:
    """Return side and distance of each stem around a term of a source, of its nearest occurrence."""
    if (first, last) in passage.around:
        return passage.around[first, last]
    before = [n for n in passage.content if n < first][-2 * _FAR :]
    after = [n for n in passage.content if n >= last][: 2 * _FAR]
    table: dict[str, tuple[int, int]] = {}
    for side, positions in ((-1, list(reversed(before))), (1, after)):
        for distance, n in enumerate(positions):
            stem = passage.stems[n]
            if stem not in table or table[stem][1] > distance:
                table[stem] = side, distance
    passage.around[first, last] = table
    return table


def _role(passage: Passage, first: int) -> str:
    """Return the part that the words before a term give it."""
    for word in reversed(passage.words[max(0, first - 2) : first]):
        if word in _ROLES:
            return _ROLES[word]
        if word not in _ARTICLES:
            break
    return ""


def _neighbours(claim: Passage, first: int, last: int, passage: Passage, begin: int, end: int) -> float:
    """Return which share of the two words before and the two after, whatever they are, both have."""
    pairs = [(first - 1, begin - 1), (first - 2, begin - 2), (last, end), (last + 1, end + 1)]
    agree = 0
    for here, there in pairs:
        if 0 <= here < len(claim.words) and 0 <= there < len(passage.words):
            stem, stem_there = claim.stems[here], passage.stems[there]
            agree += claim.words[here] == passage.words[there] or bool(stem and stem == stem_there)
    return agree / 4


def _has(passage: Passage, candidate: Candidate) -> bool:
    return any(member == candidate.member for member, _, _ in _occurrences(passage, candidate))
