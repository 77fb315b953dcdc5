"""Two disjoint halves of labelled inquiries: one to fit a curve on, the other to say what it is worth."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.run import Tried

Half = Literal["fit", "report"]


class Halves(NamedTuple):
    """The inquiries that the curve is fitted on, and those that it is reported on."""

    fit: list[Tried]
    report: list[Tried]


def halves(tried: Sequence[Tried]) -> Halves:
    """Part inquiries into disjoint halves, each in the order given.

    Those of a profile that have an article, and those that have none, are each sorted by the SHA-256 of their ids and
    dealt out by turns: the halves differ by one of each at most. It depends on nothing but the ids, so that an inquiry
    stays in its half whatever the search finds.
    """
    dealt = _dealt([one.case for one in tried], 2, lambda case: (case.profile, case.answerable))
    return Halves(
        [one for one in tried if dealt[one.case.id] == 0],
        [one for one in tried if dealt[one.case.id] == 1],
    )


def folds(tried: Sequence[Tried], number: int) -> list[int]:
    """Return for each inquiry the fold, in [0, number), that it is in: dealt out alike, by right and wrong."""
    right = {one.case.id: one.right for one in tried}
    dealt = _dealt([one.case for one in tried], number, lambda case: (case.profile, right[case.id]))
    return [dealt[one.case.id] for one in tried]


def _dealt(
    cases: Sequence[LabelledCase], number: int, stratum: Callable[[LabelledCase], tuple[str, bool]]
) -> dict[str, int]:
    strata: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for case in cases:
        strata[stratum(case)].append(case.id)
    return {
        name: place % number
        for names in strata.values()
        for place, name in enumerate(sorted(names, key=lambda name: sha256(name.encode()).digest()))
    }
