"""The curve from log odds to the share of right ones, against an optimiser of the same likelihood, and its file."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from articulado.cases.matching import (
    FILE,
    Calibration,
    Curve,
    fit_curve,
    packaged_models,
    read_calibration,
    write_calibration,
)
from articulado.config.profile import load_profile
from articulado.values.errors import ConfigurationError

LOG_ODDS = [-9.5, -8.0, -6.0, -5.0, -4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 4.0, 6.0, 8.0]
RIGHT = [False, False, False, True, False, False, True, True, False, True, True, True, True]
MIN_CASES = 40
CALIBRATION = Calibration(model="0123456789ab", curves={"required_data": Curve(slope=0.5, intercept=1.0, cases=45)})

log_odds = st.lists(st.floats(min_value=-20, max_value=20), min_size=2, max_size=60)


def likeliest(values, right):
    """Slope and intercept that minimise the cross entropy to Platt's targets, found without gradients."""
    positives = sum(right)
    up, down = (positives + 1) / (positives + 2), 1 / (len(right) - positives + 2)
    targets = np.array([up if is_right else down for is_right in right])
    x = np.array(values)

    def loss(weights):
        logits = weights[0] * x + weights[1]
        return float(np.sum(np.logaddexp(0, logits) - targets * logits))

    return minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}).x


def test_the_curve_is_the_likeliest_one():
    curve = fit_curve(LOG_ODDS, RIGHT)
    slope, intercept = likeliest(LOG_ODDS, RIGHT)
    assert curve.slope == pytest.approx(slope, abs=1e-4)
    assert curve.intercept == pytest.approx(intercept, abs=1e-4)
    assert curve.cases == 13


def test_two_levels_get_their_drawn_in_shares():
    # 3 of 4 right at 2 and 1 of 4 at −2: with targets 5/6 and 1/6 (4 right, 4 wrong), the curve meets the means of
    # the targets, (3 · 5/6 + 1/6) / 4 = 2/3 and 1/3: the slope is (ln 2 - ln 1/2) / 4.
    curve = fit_curve([-2.0] * 4 + [2.0] * 4, [True, False, False, False, True, True, True, False])
    assert curve(2.0) == pytest.approx(2 / 3, abs=1e-3)
    assert curve(-2.0) == pytest.approx(1 / 3, abs=1e-3)
    assert curve.slope == pytest.approx(math.log(4) / 4, rel=1e-3)


def test_what_is_parted_without_exception_has_a_finite_curve():
    curve = fit_curve([-7.0] * 20 + [3.0] * 20, [False] * 20 + [True] * 20)
    assert math.isfinite(curve.slope)
    # Platt's targets: 21/22 and 1/22.
    assert curve(3.0) == pytest.approx(21 / 22, abs=1e-3)
    assert curve(-7.0) == pytest.approx(1 / 22, abs=1e-3)


@pytest.mark.parametrize(("right", "share"), [([True] * 8, 9 / 10), ([False] * 8, 1 / 10)])
def test_all_alike_is_a_finite_curve(right, share):
    curve = fit_curve([-3.0, -1.0, 1.0, 3.0] * 2, right)
    assert curve(0.0) == pytest.approx(share, abs=1e-3)


def test_a_better_match_is_never_worth_less():
    # The best matches are wrong: the share of all, (3 · 4/5 + 3 · 1/5) / 6 = 1/2, says more.
    curve = fit_curve([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [True, True, True, False, False, False])
    assert (curve.slope, curve(-3.0), curve(3.0)) == (0.0, 0.5, 0.5)


@given(log_odds, st.randoms(use_true_random=False))
def test_a_curve_is_monotone_and_within_its_range(given, random):
    curve = fit_curve(given, [random.random() < 0.5 for _ in given])
    values = [curve(at) for at in range(-25, 26)]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)


def test_without_cases_there_is_no_curve():
    with pytest.raises(ValueError, match="no cases"):
        fit_curve([], [])


def test_what_is_written_is_read(tmp_path):
    file = write_calibration(tmp_path / "perfil", CALIBRATION)
    assert file == tmp_path / "perfil" / FILE
    assert read_calibration(tmp_path / "perfil") == CALIBRATION
    assert read_calibration(tmp_path) is None


def test_a_curve_is_for_its_own_weights_and_step_alone():
    assert CALIBRATION.curve("required_data", "0123456789ab") is CALIBRATION.curves["required_data"]
    assert CALIBRATION.curve("required_data", "ba9876543210") is None
    assert CALIBRATION.curve("generate_response", "0123456789ab") is None


def test_a_file_of_an_earlier_version_holds_for_no_weights(tmp_path):
    curves = {"required_data": {"slope": 13.0, "intercept": -3.9, "cases": 44}}
    old = {"embedder": "fitted:192:es-1:x", "reranker": "heuristic", "curves": curves}
    (tmp_path / FILE).write_text(json.dumps(old), encoding="utf-8")
    calibration = read_calibration(tmp_path)
    assert calibration is not None
    assert calibration.curve("required_data", packaged_models().words.fingerprint) is None


@pytest.mark.parametrize(
    "written",
    [
        "{",
        "[]",
        json.dumps({**CALIBRATION.model_dump(), "curves": {"answer": {"slope": 1, "intercept": 0, "cases": 9}}}),
        json.dumps(
            {**CALIBRATION.model_dump(), "curves": {"required_data": {"slope": -1, "intercept": 0, "cases": 9}}}
        ),
    ],
)
def test_a_broken_file_is_said_to_be(tmp_path, written):
    (tmp_path / FILE).write_text(written, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"calibration\.json.*articulado case calibrate"):
        read_calibration(tmp_path)


def test_a_folder_that_cannot_be_written_is_said_to_be(tmp_path):
    (tmp_path / "perfil").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="No se puede escribir la calibración"):
        write_calibration(tmp_path / "perfil", CALIBRATION)


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_a_packaged_calibration_is_of_the_packaged_weights_and_of_enough_cases(name):
    calibration = read_calibration(load_profile(name).own_folder)
    if calibration is not None:
        # With other weights it would be left aside without a word.
        assert calibration.model == packaged_models().sentences.fingerprint
        assert set(calibration.curves) == {"required_data", "generate_response"}
    packaged = packaged_models()
    for curve in (
        packaged.words.curve,
        packaged.sentences.curve,
        *(calibration.curves.values() if calibration else ()),
    ):
        assert curve.cases >= MIN_CASES
        # A flat curve would make one confidence of all.
        assert curve.slope > 0.2
