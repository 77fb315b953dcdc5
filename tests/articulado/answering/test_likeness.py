"""How much of a point a passage has: the same whatever the order in which a set of words is gone through."""

from types import SimpleNamespace
from typing import Any, cast

from articulado.answering.rating import RatedProvision

STEMS = [f"palabra{number}" for number in range(10)]


def test_likeness_sums_without_rounding() -> None:
    # Ten tenths added one after the other are 0.9999999999999999, in which a rounding for each order hides.
    scorer = SimpleNamespace(
        worth=lambda text: (dict.fromkeys(STEMS, 0.1), 1.0), stems_of=lambda text: frozenset([*STEMS, "otra"])
    )
    provision = RatedProvision([], cast(Any, scorer), None, outdated=False)
    text = cast(Any, SimpleNamespace(text=""))
    assert provision.likeness(text, text) == 0.5
