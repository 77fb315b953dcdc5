"""Reciprocal rank fusion, by hand and by its properties."""

from hypothesis import given
from hypothesis import strategies as st

from services.store.rrf import fuse

SIDES = st.lists(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from([0.1, 0.5, 0.9])), unique_by=lambda scored: scored[0]),
    min_size=1,
    max_size=3,
)


def test_by_hand() -> None:
    dense, sparse = [(1, 0.9), (2, 0.8), (3, 0.7)], [(3, 5.0), (1, 4.0)]
    # 1: 1/2 + 1/3; 3: 1/4 + 1/2; 2: 1/3
    assert fuse([dense, sparse], limit=9) == [(1, 0.833333333), (3, 0.75), (2, 0.333333333)]


def test_sums_that_are_equal_on_paper_are_tied() -> None:
    # 9 is first in one side: 1/2; 4 is second in one and fifth in the other: 1/3 + 1/6
    dense = [(9, 0.9), (4, 0.8)]
    sparse = [(20, 9.0), (21, 8.0), (22, 7.0), (23, 6.0), (4, 5.0)]
    assert [point for point, score in fuse([dense, sparse], limit=9) if score == 0.5] == [4, 9, 20]


def test_equal_scores_of_a_side_rank_by_id() -> None:
    assert fuse([[(8, 0.5), (2, 0.5), (5, 0.9)]], limit=9) == [(5, 1.0), (2, 0.666666667), (8, 0.5)]


def test_no_sides() -> None:
    assert fuse([], limit=5) == []
    assert fuse([[], []], limit=5) == []


@given(SIDES, st.integers(1, 40))
def test_properties(sides: list[list[tuple[int, float]]], limit: int) -> None:
    fused = fuse(sides, limit=limit)
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
    assert fused == fuse([side[::-1] for side in sides], limit=limit), "the engine's order of ties is of no account"
    assert fused == fuse(sides, limit=100)[:limit]
    assert {point for point, _ in fused} <= {point for side in sides for point, _ in side}
    assert all(0 < score <= 1 for _, score in fused)
