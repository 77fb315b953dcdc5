"""Two disjoint halves of labelled cases: one to fit a curve on, the other to say what it is worth."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from hashlib import sha256
from typing import Literal

from evaluation.case_desk.cases import LabelledCase

Half = Literal["fit", "report"]


def half_of(cases: Sequence[LabelledCase], half: Half) -> list[LabelledCase]:
    """Return one of the two disjoint halves of some cases, in the order given.

    Those of a profile of each class, with and without an article, are sorted by the SHA-256 of their ids and dealt out
    by turns: the halves differ by one of each at most. It depends on nothing but labels and ids, so that a case stays
    in its half whatever the search finds.
    """
    strata: dict[Hashable, list[str]] = defaultdict(list)
    for case in cases:
        strata[case.profile, case.kind, case.answerable].append(case.id)
    turn = 0 if half == "fit" else 1
    chosen = {name for names in strata.values() for name in sorted(names, key=_digest)[turn::2]}
    return [case for case in cases if case.id in chosen]


def _digest(name: str) -> bytes:
    return sha256(name.encode()).digest()
