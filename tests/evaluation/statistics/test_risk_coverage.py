"""What a confidence risks and how far off it is: curves and errors worked out by hand."""

import pytest

from evaluation.statistics import Prediction, brier, risk_coverage


def test_the_brier_score_is_the_mean_squared_error():
    found = [Prediction(0.8, 1.0), Prediction(0.4, 0.0), Prediction(1.0, 0.0)]
    assert brier(found) == pytest.approx(0.4)


def test_each_confidence_lets_through_those_that_have_it_or_more():
    found = risk_coverage([Prediction(0.2, 0.0), Prediction(0.9, 1.0), Prediction(0.5, 0.0), Prediction(0.7, 1.0)], 4)
    assert [tuple(point.values()) for point in found["points"]] == [
        (0.9, 0.25, 0.0, 1, 0),
        (0.7, 0.5, 0.0, 2, 0),
        (0.5, 0.75, pytest.approx(1 / 3), 3, 1),
        (0.2, 1.0, 0.5, 4, 2),
    ]
    assert list(found["points"][0]) == ["threshold", "coverage", "risk", "questions", "wrong"]
    # No two are the same: the mean of 0, 0, 1/3 and 1/2.
    assert found["area"] == pytest.approx(5 / 24)


def test_equal_confidences_are_let_through_together_whatever_their_order():
    tied = [
        Prediction(0.5, 1.0),
        Prediction(0.5, 0.0),
        Prediction(0.8, 0.0),
        Prediction(0.8, 1.0),
        Prediction(0.8, 1.0),
    ]
    found = risk_coverage(tied, 5)
    assert [tuple(point.values()) for point in found["points"]] == [
        (0.8, 0.6, pytest.approx(1 / 3), 3, 1),
        (0.5, 1.0, 0.4, 5, 2),
    ]
    assert found["area"] == pytest.approx(0.6 / 3 + 0.4 * 0.4)
    assert risk_coverage(tied[::-1], 5) == found


def test_questions_without_a_confidence_are_never_answered():
    found = risk_coverage([Prediction(0.9, 0.0), Prediction(0.6, 1.0)], 8)
    assert [(point["coverage"], point["risk"]) for point in found["points"]] == [(0.125, 1.0), (0.25, 0.5)]
    assert found["area"] == pytest.approx(0.125 * 1.0 + 0.125 * 0.5)
    assert found["total"] == 8


def test_a_confidence_that_is_never_wrong_risks_nothing():
    assert risk_coverage([Prediction(0.9, 1.0), Prediction(0.1, 1.0)], 2)["area"] == 0.0
