"""Confidence of a case, by hand: curves against an optimiser of the same likelihood, their file, the raw confidence."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from articulado.cases.confidence import (
    FILE,
    HIGHEST,
    IDENTITY,
    Calibration,
    ConfidenceEstimator,
    Curve,
    confidence_of,
    fit_curve,
    raw_confidence,
    read_calibration,
    says_too_little,
    write_calibration,
)
from articulado.language.languages import language
from articulado.values.errors import ConfigurationError

LOG_ODDS = [-9.5, -8.0, -6.0, -5.0, -4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 4.0, 6.0, 8.0]
RIGHT = [False, False, False, True, False, False, True, True, False, True, True, True, True]
OWN = Curve(slope=0.5, intercept=1.0, cases=45)
CALIBRATION = Calibration(model="0123456789ab", curves={"required_data": OWN})


def test_the_curve_is_the_likeliest_one():
    # 7 of 13 are right: Platt's targets are 8/9 and 1/8. Their cross entropy, minimised without gradients.
    targets, x = np.where(RIGHT, 8 / 9, 1 / 8), np.array(LOG_ODDS)

    def loss(weights):
        logits = weights[0] * x + weights[1]
        return float(np.sum(np.logaddexp(0, logits) - targets * logits))

    likeliest = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    curve = fit_curve(LOG_ODDS, RIGHT)
    assert (curve.slope, curve.intercept) == pytest.approx(tuple(likeliest), abs=1e-4)
    assert curve.cases == 13


def test_with_many_cases_the_curve_is_that_of_a_logistic_regression():
    # The targets of many cases are next to 1 and 0.
    values, right = LOG_ODDS * 2_000, RIGHT * 2_000
    plain = LogisticRegression(C=1e6, tol=1e-9, max_iter=1_000).fit([[value] for value in values], right)

    curve = fit_curve(values, right)
    assert curve.slope == pytest.approx(plain.coef_[0, 0], abs=1e-3)
    assert curve.intercept == pytest.approx(plain.intercept_[0], abs=1e-3)


@pytest.mark.parametrize(
    ("values", "right", "at", "shares"),
    [
        # 4 right, 4 wrong: targets 5/6 and 1/6. 3 of 4 right at 2: (3 · 5/6 + 1/6) / 4 = 2/3.
        ([-2.0] * 4 + [2.0] * 4, [1, 0, 0, 0, 1, 1, 1, 0], (2.0, -2.0), (2 / 3, 1 / 3)),
        # Parted without exception, it is finite: 21/22 and 1/22.
        ([-7.0] * 20 + [3.0] * 20, [0] * 20 + [1] * 20, (3.0, -7.0), (21 / 22, 1 / 22)),
        ([-3.0, -1.0, 1.0, 3.0] * 2, [1] * 8, (0.0,), (9 / 10,)),
        ([-3.0, -1.0, 1.0, 3.0] * 2, [0] * 8, (0.0,), (1 / 10,)),
        # The best matches are wrong: flat, by the share of all, (3 · 4/5 + 3 · 1/5) / 6.
        ([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [1, 1, 1, 0, 0, 0], (-3.0, 3.0), (0.5, 0.5)),
    ],
)
def test_shares_by_hand(values, right, at, shares):
    curve = fit_curve(values, [bool(each) for each in right])

    assert tuple(map(curve, at)) == pytest.approx(shares, abs=1e-3)


@given(st.lists(st.tuples(st.floats(-20, 20), st.booleans()), min_size=1, max_size=60))
def test_a_curve_never_falls_and_stays_within_its_range(cases):
    curve = fit_curve([log_odds for log_odds, _ in cases], [right for _, right in cases])
    values = [curve(at) for at in range(-25, 26)]

    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)


def test_without_cases_there_is_no_curve():
    with pytest.raises(ValueError, match="no cases"):
        fit_curve([], [])


def test_a_written_calibration_is_read_back(tmp_path):
    assert read_calibration(tmp_path) is None
    assert write_calibration(tmp_path / "perfil", CALIBRATION) == tmp_path / "perfil" / FILE
    assert read_calibration(tmp_path / "perfil") == CALIBRATION


@pytest.mark.parametrize(
    "written",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"model": "m", "curves": {"answer": OWN.model_dump()}}),
        json.dumps({"model": "m", "curves": {"required_data": {**OWN.model_dump(), "slope": -1}}}),
        json.dumps({"model": "m", "curves": {"required_data": {**OWN.model_dump(), "cases": 0}}}),
    ],
)
def test_a_broken_calibration_raises_with_instructions(tmp_path, written):
    (tmp_path / FILE).write_text(written, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"calibration\.json.*articulado case calibrate"):
        read_calibration(tmp_path)


def test_an_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "perfil").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"No se puede escribir la calibración en .*calibration\.json"):
        write_calibration(tmp_path / "perfil", CALIBRATION)


@pytest.mark.parametrize(
    ("graph", "weights", "calibration", "expected"),
    [
        # 1 / (1 + e^-(0.5 * 1.5 + 1)) = 0.8520
        ("required_data", "0123456789ab", CALIBRATION, 0.85),
        # Other weights, another graph, no calibration: the curve of the package, 1 / (1 + e^-1.5) = 0.8176
        ("required_data", "ba9876543210", CALIBRATION, 0.82),
        ("generate_response", "0123456789ab", CALIBRATION, 0.82),
        ("required_data", "0123456789ab", None, 0.82),
    ],
)
def test_the_curve_of_the_profile_is_for_its_own_weights_and_graph(graph, weights, calibration, expected):
    assert ConfidenceEstimator(graph, weights, IDENTITY, calibration).confidence(1.5) == expected


def test_no_estimate_is_a_certainty():
    estimator = ConfidenceEstimator("required_data", "", IDENTITY)
    assert [estimator.confidence(odds) for odds in (-1e3, -20.0, 20.0, 1e3)] == [0.0, 0.0, HIGHEST, 0.99]


def test_a_single_word_says_too_little():
    said = {"en": ["loan", "The loan!", "How to rollover?", "loan fees"], "es": ["el finiquito", "Quiero mi finiquito"]}
    found = {code: [says_too_little(text, language(code)) for text in texts] for code, texts in said.items()}
    assert found == {"en": [True, True, False, False], "es": [True, False]}


@pytest.mark.parametrize(
    ("similarities", "reranked", "critical", "expected"),
    [
        ([0.7, 0.9, 0.8, 0.1], None, 0, 0.8),  # (0.9 + 0.8 + 0.7) / 3; the fourth does not count
        ([0.6, 0.4], None, 1, 0.5),  # of fewer than three, of those there are
        ([], None, 5, 0.0),
        ([1.2, 0.5, -0.4], None, 0, 0.5),  # clipped to [0, 1] before the mean: (1 + 0.5 + 0) / 3
        ([0.8, 0.8, 0.8], [0.4, 0.4, 0.4, 0.1], 0, 0.6),  # (0.8 + 0.4) / 2, each the mean of its best three
        ([0.5], None, 2, 0.55),  # x 1.1 from two critical chunks on, at most 1
        ([0.95], None, 9, 1.0),
    ],
)
def test_confidence_is_that_of_the_formula(similarities, reranked, critical, expected):
    assert confidence_of(similarities, reranked, critical) == pytest.approx(expected)


def candidate(**scores):
    return {"chunk": {}, "score": 1.0, "origins": [], "found_by": [], **scores}


def test_the_raw_confidence_is_of_similarities_and_rerank_scores_and_has_two_decimals():
    # (0.601 + 0.4) / 2 = 0.5005, x 1.1 = 0.55055; what the search found and what was reranked are two lists
    found, reranked = candidate(similarity=0.601, rerank_score=0.9), candidate(similarity=0.1, rerank_score=0.4)

    assert raw_confidence([found], [reranked], 2) == 0.55
    # The score of the fusion, 1.0, never counts.
    assert raw_confidence([candidate(similarity=0.333), candidate()], [candidate()], 0) == 0.33
    assert raw_confidence([], [], 4) == 0.0
