"""Reciprocal rank fusion, by hand and by its properties."""

from hypothesis import given
from hypothesis import strategies as st
from support.chunks import NO_TERMS, TUNED, unit

from articulado.store.rrf import Ranked, fuse, rank, weights_of
from articulado.values.protocols import HybridQuery, SparseVector

SIDES = st.lists(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from([0.1, 0.5, 0.9])), unique_by=lambda scored: scored[0]),
    min_size=1,
    max_size=3,
)


def test_by_hand() -> None:
    dense, sparse = [(1, 0.9), (2, 0.8), (3, 0.7)], [(3, 5.0), (1, 4.0)]
    # Highest: 3/20 + 1/20 = 0.2. 1: 3/20 + 1/21; 3: 3/22 + 1/20; 2: 3/21.
    assert fuse([dense, sparse], [3.0, 1.0], k=20, limit=9) == [(1, 0.988095238), (3, 0.931818182), (2, 0.714285714)]


def test_one_side_alone_is_the_whole() -> None:
    assert fuse([[(7, 0.9), (5, 0.8)]], [3.0], k=20, limit=9) == [(7, 1.0), (5, 0.952380952)]


def test_sums_that_are_equal_on_paper_are_tied() -> None:
    # Places change between sides of equal weight: 4 is second and first, 9 first and second.
    assert fuse([[(9, 0.9), (4, 0.8)], [(4, 7.0), (9, 6.0)]], [1.0, 1.0], k=20, limit=9) == [
        (4, 0.976190476),
        (9, 0.976190476),
    ]


def test_equal_scores_of_a_side_rank_by_id() -> None:
    assert [point for point, _ in fuse([[(8, 0.5), (2, 0.5), (5, 0.9)]], [1.0], k=20, limit=9)] == [5, 2, 8]


def test_the_higher_the_constant_the_less_the_first_ranks_stand_out() -> None:
    side = [(7, 0.9), (5, 0.8)]
    assert fuse([side], [1.0], k=1, limit=9) == [(7, 1.0), (5, 0.5)]
    assert fuse([side], [1.0], k=60, limit=9) == [(7, 1.0), (5, 0.983606557)]


def test_weights_belong_to_the_sides_of_a_query() -> None:
    dense, words = unit(1, 0), SparseVector((3,), (1.0,))
    assert weights_of(HybridQuery(dense, words, TUNED)) == [3.0, 1.0]
    assert weights_of(HybridQuery(dense, NO_TERMS, TUNED)) == [3.0]
    assert weights_of(HybridQuery(None, words, TUNED)) == [1.0]
    assert weights_of(HybridQuery(None, NO_TERMS, TUNED)) == []


def test_the_default_fusion_is_plain() -> None:
    query = HybridQuery(unit(1, 0), SparseVector((3,), (1.0,)))
    assert weights_of(query) == [1.0, 1.0]
    # 1: 1/60 + 1/61, 2: 1/61, 3: 1/60, all over 2/60
    assert rank(query, [[(1, 0.9), (2, 0.8)], [(3, 5.0), (1, 4.0)]], limit=9) == [
        Ranked(1, 0.991803279, 0.9),
        Ranked(3, 0.5, None),
        Ranked(2, 0.491803279, 0.8),
    ]


def test_a_ranked_point_has_its_dense_similarity() -> None:
    dense, sparse = [(1, 0.9), (2, -0.25)], [(3, 5.0), (1, 4.0)]
    words = SparseVector((3,), (1.0,))
    assert rank(HybridQuery(unit(1, 0), words, TUNED), [dense, sparse], limit=9) == [
        Ranked(1, 0.988095238, 0.9),
        Ranked(2, 0.714285714, -0.25),
        Ranked(3, 0.25, None),
    ]
    assert rank(HybridQuery(unit(1, 0), words, TUNED), [dense, sparse], limit=1) == [Ranked(1, 0.988095238, 0.9)]
    assert rank(HybridQuery(None, words, TUNED), [sparse], limit=1) == [Ranked(3, 1.0, None)]


def test_no_sides() -> None:
    assert fuse([], [], k=20, limit=5) == []
    assert fuse([[], []], [3.0, 1.0], k=20, limit=5) == []


@given(SIDES, st.integers(1, 40))
def test_properties(sides: list[list[tuple[int, float]]], limit: int) -> None:
    weights = [3.0, 1.0, 0.5][: len(sides)]
    fused = fuse(sides, weights, k=20, limit=limit)
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
    assert fused == fuse([side[::-1] for side in sides], weights, k=20, limit=limit), (
        "the engine's order of ties is of no account"
    )
    assert fused == fuse(sides, weights, k=20, limit=100)[:limit]
    assert {point for point, _ in fused} <= {point for side in sides for point, _ in side}
    assert all(0 < score <= 1 for _, score in fused)
