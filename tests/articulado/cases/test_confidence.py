"""The confidence of a case, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.cases.matching import HIGHEST, Calibration, ConfidenceEstimator, Curve, confidence_of, raw_confidence


@pytest.mark.parametrize(
    ("similarities", "reranked", "critical", "expected"),
    [
        # (0.9 + 0.8 + 0.7) / 3; the fourth does not count
        ([0.7, 0.9, 0.8, 0.1], None, 0, 0.8),
        # fewer than three: of those there are
        ([0.6, 0.4], None, 0, 0.5),
        ([], None, 5, 0.0),
        # clipped to [0, 1] before the mean: (1 + 0.5 + 0) / 3
        ([1.2, 0.5, -0.4], None, 0, 0.5),
        # averaged with the mean of the best three rerank scores: (0.8 + 0.4) / 2
        ([0.8, 0.8, 0.8], [0.4, 0.4, 0.4, 0.1], 0, 0.6),
        ([0.8], [0.2], 0, 0.5),
        # x 1.1 from two critical chunks on
        ([0.5], None, 1, 0.5),
        ([0.5], None, 2, 0.55),
        ([0.5], None, 9, 0.55),
        # at most 1
        ([0.95], None, 2, 1.0),
    ],
)
def test_confidence_is_that_of_the_formula(similarities, reranked, critical, expected):
    assert confidence_of(similarities, reranked, critical) == pytest.approx(expected)


def candidate(similarity=None, rerank=None):
    scored = {"chunk": {}, "score": 1.0, "origins": [], "found_by": []}
    if similarity is not None:
        scored["similarity"] = similarity
    if rerank is not None:
        scored["rerank_score"] = rerank
    return scored


def test_the_score_of_the_fusion_never_counts():
    # Every candidate has the fusion score 1.0.
    assert raw_confidence([candidate(0.333), candidate()], [], 0) == 0.33


def test_the_confidence_of_what_was_found_has_two_decimals():
    # (0.601 + 0.4) / 2 = 0.5005, x 1.1 = 0.55055; what the search found and what was reranked are two lists
    assert raw_confidence([candidate(0.601, 0.9)], [candidate(0.1, 0.4)], 2) == 0.55
    assert raw_confidence([], [], 4) == 0.0


OWN = Curve(slope=0.5, intercept=1.0, cases=40)
DEFAULT = Curve(slope=1.0, intercept=0.0, cases=90)
LOG_ODDS = 1.5
CALIBRATION = Calibration(model="weights", curves={"required_data": OWN})


@pytest.mark.parametrize(
    ("graph", "model", "calibration", "expected"),
    [
        # 1 / (1 + e^-(0.5 * 1.5 + 1)) = 0.8520
        ("required_data", "weights", CALIBRATION, 0.85),
        # The default for other weights, another step and a profile without a calibration: 1 / (1 + e^-1.5) = 0.8176
        ("required_data", "others", CALIBRATION, 0.82),
        ("generate_response", "weights", CALIBRATION, 0.82),
        ("required_data", "weights", None, 0.82),
    ],
)
def test_the_curve_of_the_profile_is_for_its_own_weights_and_step(graph, model, calibration, expected):
    estimator = ConfidenceEstimator(graph, model, calibration, DEFAULT)
    assert estimator.confidence(LOG_ODDS) == expected
    assert estimator.curve is (OWN if expected == 0.85 else DEFAULT)


@given(st.floats(min_value=-1_000, max_value=1_000))
def test_no_estimate_is_a_certainty(log_odds):
    confidence = ConfidenceEstimator("required_data", "", None, DEFAULT).confidence(log_odds)
    assert 0 <= confidence <= HIGHEST < 1
    assert confidence == round(confidence, 2)


def test_what_hardly_matches_is_hardly_sure_and_the_best_stays_below_one():
    estimator = ConfidenceEstimator("required_data", "", None, DEFAULT)
    assert (estimator.confidence(-20.0), estimator.confidence(20.0)) == (0.0, 0.99)
