"""Intervals and paired comparison, against values by hand, full enumeration and NumPy."""

from itertools import product

import numpy as np
import pytest

from evaluation.statistics import Interval, compare, interval, intervals


def test_equal_values_have_an_interval_of_zero_width():
    assert interval([0.25] * 7) == Interval(0.25, 0.25)
    assert interval([0.5]) == Interval(0.5, 0.5)


def test_two_values_can_be_drawn_as_either_twice():
    """Each of the two extremes has a probability of a quarter, far more than 2.5 %."""
    assert interval([0.0, 1.0]) == Interval(0.0, 1.0)


def test_the_interval_has_the_quantiles_of_means_drawn_again():
    values = np.random.default_rng(1).beta(2, 3, size=60)
    means = np.random.default_rng(2).choice(values, size=(10_000, 60)).mean(axis=1)
    assert interval(list(values)) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.004)


def test_the_same_values_give_the_same_interval():
    values = list(np.random.default_rng(3).random(40))
    assert interval(values) == interval(values)
    assert compare(values, values[::-1]) == compare(values, values[::-1])


def test_every_metric_has_its_interval():
    values = {"a": {"x": 0.0, "y": 1.0}, "b": {"x": 1.0, "y": 1.0}}
    assert intervals(values) == {"x": Interval(0.0, 1.0), "y": Interval(1.0, 1.0)}
    assert intervals({}) == {}


def test_wins_ties_and_losses_are_of_the_second_run():
    paired = compare([0.1, 0.5, 0.5, 0.9], [0.3, 0.5 + 1e-12, 0.8, 0.8])
    assert (paired.wins, paired.ties, paired.losses) == (2, 1, 1)
    assert (paired.first, paired.second, paired.difference) == pytest.approx((0.5, 0.6, 0.1))
    assert paired.low < 0.1 < paired.high


def exact_p(first: list[float], second: list[float]) -> float:
    """Enumerate all signs of the differences."""
    differences = np.subtract(second, first)
    signs = np.array(list(product((-1, 1), repeat=len(differences))))
    return float(np.mean(np.abs(signs @ differences) / len(differences) >= abs(differences.mean()) - 1e-9))


def test_p_of_few_questions_is_that_of_all_signs():
    first, second = [0.2, 0.4, 0.1, 0.9, 0.3, 0.5, 0.2, 0.6], [0.5, 0.9, 0.2, 0.8, 0.7, 0.5, 0.6, 0.7]
    assert 0.01 < exact_p(first, second) < 0.2
    assert compare(first, second).p == pytest.approx(exact_p(first, second))


def test_p_of_more_questions_is_drawn_close_to_that_of_all_signs():
    source = np.random.default_rng(4)
    first = list(source.random(16).round(2))
    second = list((first + source.normal(0.1, 0.15, size=16)).round(2))
    assert 0.02 < exact_p(first, second) < 0.3
    assert compare(first, second).p == pytest.approx(exact_p(first, second), abs=0.015)


def test_means_that_differ_by_rounding_alone_are_as_far():
    """All eight signs of three equal differences but two give a mean that is nearer: p = 2 / 8, whatever the sums."""
    assert compare([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]).p == pytest.approx(2 / 8)
    # 0.3 - 0.3 + 0.3 and 0.3 + 0.3 - 0.3 differ in the last digit; six of the eight signs leave one of three.
    assert compare([0.1, 0.2, 0.6], [0.4, 0.5, 0.3]).p == pytest.approx(1.0)


def test_one_question_has_p_one():
    paired = compare([0.25], [0.75])
    assert (paired.low, paired.high, paired.p) == (0.5, 0.5, 1.0)


def test_runs_that_agree_are_not_told_apart():
    paired = compare([0.2, 0.7, 1.0], [0.2, 0.7, 1.0])
    assert (paired.difference, paired.p, paired.ties) == (0.0, 1.0, 3)


def test_a_clear_difference_is_seen():
    assert compare([0.1] * 30, [0.6] * 30).p < 0.001


def test_empty_or_unequal_samples_are_refused():
    with pytest.raises(ValueError, match="no values"):
        interval([])
    with pytest.raises(ValueError, match="2 values against 1"):
        compare([0.1, 0.2], [0.3])
