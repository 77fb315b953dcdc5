"""Intervals and paired comparison, against values by hand, full enumeration and SciPy."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import bootstrap

from evaluation.bootstrap import Interval, compare, interval, intervals


def test_values_that_agree_leave_no_doubt():
    assert interval([0.25] * 7) == Interval(0.25, 0.25)
    assert interval([0.5]) == Interval(0.5, 0.5)


def test_two_values_can_be_drawn_as_either_twice():
    """Each of the two extremes has a probability of a quarter, far more than 2.5 %."""
    assert interval([0.0, 1.0]) == Interval(0.0, 1.0)


def test_the_interval_is_that_of_scipy():
    values = np.random.default_rng(1).beta(2, 3, size=60)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert interval(list(values)) == pytest.approx((theirs.low, theirs.high), abs=0.004)


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
    assert paired.interval.low < 0.1 < paired.interval.high


def test_p_is_that_of_all_signs():
    first, second = [0.2, 0.4, 0.1, 0.9, 0.3, 0.5, 0.2, 0.6], [0.5, 0.9, 0.2, 0.8, 0.7, 0.5, 0.6, 0.7]
    differences = np.subtract(second, first)
    means = [abs(np.dot(signs, differences)) / 8 for signs in product((-1, 1), repeat=8)]
    exact = np.mean([mean >= abs(differences.mean()) - 1e-9 for mean in means])
    assert 0.01 < exact < 0.2
    assert compare(first, second).p == pytest.approx(exact, abs=0.01)


def test_runs_that_agree_are_not_told_apart():
    paired = compare([0.2, 0.7, 1.0], [0.2, 0.7, 1.0])
    assert (paired.difference, paired.p, paired.ties) == (0.0, 1.0, 3)


def test_a_clear_difference_is_seen():
    assert compare([0.1] * 30, [0.6] * 30).p < 0.001


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="no values"):
        interval([])
    with pytest.raises(ValueError, match="2 values against 1"):
        compare([0.1, 0.2], [0.3])
