"""The curve from confidence to the share of right ones, against an optimiser of the same likelihood, and its file."""

import json
import math
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.paths import DATA

from services.case.calibration import FILE, Calibration, Curve, fit_curve, read_calibration, write_calibration
from services.case.confidence import ConfidenceEstimator
from services.profile.profile import load_profile
from state.errors import ConfigurationError

CONFIDENCES = [0.05, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9]
RIGHT = [False, False, False, True, False, False, True, True, False, True, True, True, True]
MIN_CASES = 40
CALIBRATION = Calibration(
    embedder="e:1", reranker="heuristic", curves={"required_data": Curve(slope=8.0, intercept=-3.0, cases=45)}
)

confidences = st.lists(st.floats(min_value=0, max_value=1), min_size=2, max_size=60)


def likeliest(confidences, right):
    """Slope and intercept that minimise the cross entropy to Platt's targets, found without gradients."""
    positives = sum(right)
    up, down = (positives + 1) / (positives + 2), 1 / (len(right) - positives + 2)
    targets = np.array([up if is_right else down for is_right in right])
    x = np.array(confidences)

    def loss(weights):
        logits = weights[0] * x + weights[1]
        return float(np.sum(np.logaddexp(0, logits) - targets * logits))

    return minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}).x


def test_the_curve_is_the_likeliest_one():
    curve = fit_curve(CONFIDENCES, RIGHT)
    slope, intercept = likeliest(CONFIDENCES, RIGHT)
    assert curve.slope == pytest.approx(slope, abs=1e-4)
    assert curve.intercept == pytest.approx(intercept, abs=1e-4)
    assert curve.cases == 13


def test_two_levels_of_confidence_get_their_drawn_in_shares():
    # 3 of 4 right at 0.2 and 1 of 4 at 0.1: with targets 5/6 and 1/6 (4 right, 4 wrong), the curve meets the means of
    # the targets, (3 · 5/6 + 1/6) / 4 = 2/3 and 1/3: the slope is (ln 2 - ln 1/2) / 0.1.
    curve = fit_curve([0.1] * 4 + [0.2] * 4, [True, False, False, False, True, True, True, False])
    assert curve(0.2) == pytest.approx(2 / 3, abs=1e-3)
    assert curve(0.1) == pytest.approx(1 / 3, abs=1e-3)
    assert curve.slope == pytest.approx(math.log(4) / 0.1, rel=1e-3)


def test_what_is_parted_without_exception_has_a_finite_curve():
    curve = fit_curve([0.1] * 20 + [0.9] * 20, [False] * 20 + [True] * 20)
    assert math.isfinite(curve.slope)
    # Platt's targets: 21/22 and 1/22.
    assert curve(0.9) == pytest.approx(21 / 22, abs=1e-3)
    assert curve(0.1) == pytest.approx(1 / 22, abs=1e-3)


@pytest.mark.parametrize(("right", "share"), [([True] * 8, 9 / 10), ([False] * 8, 1 / 10)])
def test_all_alike_is_a_finite_curve(right, share):
    curve = fit_curve([0.3, 0.4, 0.5, 0.6] * 2, right)
    assert curve(0.45) == pytest.approx(share, abs=1e-3)


def test_more_confidence_is_never_worth_less():
    # The sure ones are wrong: the share of all, (3 · 4/5 + 3 · 1/5) / 6 = 1/2, says more.
    curve = fit_curve([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [True, True, True, False, False, False])
    assert (curve.slope, curve(0.0), curve(1.0)) == (0.0, 0.5, 0.5)


@given(confidences, st.randoms(use_true_random=False))
def test_a_curve_is_monotone_and_within_its_range(given, random):
    curve = fit_curve(given, [random.random() < 0.5 for _ in given])
    values = [curve(at / 10) for at in range(11)]
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


def test_a_curve_is_for_its_own_scores_alone():
    assert CALIBRATION.curve("required_data", "e:1", "heuristic") is CALIBRATION.curves["required_data"]
    assert CALIBRATION.curve("required_data", "e:2", "heuristic") is None
    assert CALIBRATION.curve("required_data", "e:1", "cross_encoder") is None
    assert CALIBRATION.curve("generate_response", "e:1", "heuristic") is None


def test_a_calibrated_confidence_keeps_the_raw_one_beside_it():
    # 1 / (1 + e^-(8 · 0.5 - 3)) = 0.731; nothing found stays 0, though the curve gives 0.047 there.
    half = [{"chunk": {}, "score": 1.0, "origins": [], "found_by": [], "similarity": 0.5}]
    estimator = ConfidenceEstimator("required_data", "e:1", CALIBRATION)
    assert estimator.estimate(half, [], 0, "heuristic") == (0.73, 0.5)
    assert estimator.estimate(half, [], 0, "cross_encoder") == (0.5, 0.5)
    assert estimator.estimate([], [], 0, "heuristic") == (0.0, 0.0)


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


HALVES = [json.loads(line) for line in (DATA / "calibration_halves.jsonl").read_text("utf-8").splitlines()]
"""What the packaged curves were fitted on: raw confidences, and whether each was right."""


@pytest.mark.parametrize("half", HALVES, ids=lambda half: f"{half['profile']}-{half['graph']}")
def test_a_packaged_curve_is_the_one_that_is_fitted_again(half):
    packaged = read_calibration(load_profile(half["profile"]).own_folder)
    assert packaged is not None
    curve = packaged.curves[half["graph"]]
    again = fit_curve(half["raw"], [bool(right) for right in half["right"]])
    assert (again.slope, again.intercept) == pytest.approx((curve.slope, curve.intercept), abs=5e-5)
    assert again.cases == curve.cases
    # No confidence that is shown, with two decimals, is another.
    shown = [round(raw / 100, 2) for raw in range(1, 101)]
    assert [round(again(raw), 2) for raw in shown] == [round(curve(raw), 2) for raw in shown]


def test_a_packaged_curve_is_applied_as_its_formula_says():
    packaged = read_calibration(load_profile("laboral").own_folder)
    assert packaged is not None
    curve = packaged.curve("required_data", packaged.embedder, "heuristic")
    assert curve is not None
    # 13.010264 · 0.5 - 3.954419 = 2.5507130, and 1 / (1 + e^-2.5507130) = 0.9276214.
    assert curve(0.5) == pytest.approx(0.9276214, abs=1e-6)


PACKAGED = sorted(Path(str(resources.files("profiles"))).glob(f"*/{FILE}"))


@pytest.mark.parametrize("file", PACKAGED, ids=lambda file: file.parent.name)
def test_a_packaged_calibration_rests_on_enough_cases(file):
    assert load_profile(file.parent.name).own_folder == file.parent
    calibration = read_calibration(file.parent)
    assert calibration is not None
    assert set(calibration.curves) == {"required_data", "generate_response"}
    for curve in calibration.curves.values():
        assert curve.cases >= MIN_CASES
        # A flat curve would make one confidence of all.
        assert curve.slope > 1
