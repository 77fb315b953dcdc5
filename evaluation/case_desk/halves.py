"""Two disjoint halves of labelled inquiries: one to fit a curve on, the other to say what it is worth."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.run import CaseResult

Half = Literal["fit", "report"]


class Halves(NamedTuple):
    """The inquiries that the curve is fitted on, and those that it is reported on."""

    fit: list[CaseResult]
    report: list[CaseResult]


def halves(results: Sequence[CaseResult]) -> Halves:
    """Split inquiries into disjoint halves, each in the order given.

    Those of a profile that have an article, and those that have none, are each sorted by the SHA-256 of their ids and
    dealt out by turns: the halves differ by one of each at most. It depends on nothing but the ids, so that an inquiry
    stays in its half whatever the search finds.
    """
    dealt = _dealt([result.case for result in results], 2, lambda case: (case.profile, case.answerable))
    return Halves(
        [result for result in results if dealt[result.case.id] == 0],
        [result for result in results if dealt[result.case.id] == 1],
    )


def folds(results: Sequence[CaseResult], number: int) -> list[int]:
    """Return for each inquiry the fold, in [0, number), that it is in: dealt out alike, by right and wrong."""
    right = {result.case.id: result.right for result in results}
    dealt = _dealt([result.case for result in results], number, lambda case: (case.profile, right[case.id]))
    return [dealt[result.case.id] for result in results]


def _dealt(
    cases: Sequence[LabelledCase], number: int, stratum: Callable[[LabelledCase], tuple[str, bool]]
) -> dict[str, int]:
    strata: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for case in cases:
        strata[stratum(case)].append(case.id)
    return {
        name: position % number
        for names in strata.values()
        for position, name in enumerate(sorted(names, key=lambda name: sha256(name.encode()).digest()))
    }
