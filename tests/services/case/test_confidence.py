"""The confidence of a case, worked out by hand."""

import pytest

from services.case.calibration import Calibration, Curve
from services.case.confidence import ConfidenceEstimator, confidence_of


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


CURVE = Curve(slope=10.0, intercept=-5.0, cases=40)


def estimator(calibration=None):
    return ConfidenceEstimator("required_data", "fitted:8:x", calibration)


def test_the_score_of_the_fusion_never_counts():
    # Every candidate has the fusion score 1.0.
    assert estimator().estimate([candidate(0.333), candidate()], [], 0, "none") == (0.33, 0.33)


def test_the_curve_of_the_profile_is_applied_to_its_own_scores_alone():
    calibration = Calibration(embedder="fitted:8:x", reranker="heuristic", curves={"required_data": CURVE})

    # 1 / (1 + e^-(10 * 0.6 - 5)) = 0.7311
    assert estimator(calibration).estimate([candidate(0.6)], [], 0, "heuristic") == (0.73, 0.6)
    assert estimator(calibration).estimate([candidate(0.6)], [], 0, "none") == (0.6, 0.6)
    other = Calibration(embedder="openai:x:1536", reranker="heuristic", curves={"required_data": CURVE})
    assert estimator(other).estimate([candidate(0.6)], [], 0, "heuristic") == (0.6, 0.6)
    elsewhere = Calibration(embedder="fitted:8:x", reranker="heuristic", curves={"generate_response": CURVE})
    assert estimator(elsewhere).estimate([candidate(0.6)], [], 0, "heuristic") == (0.6, 0.6)


def test_nothing_found_is_no_confidence_whatever_the_curve_says():
    calibration = Calibration(
        embedder="fitted:8:x", reranker="none", curves={"required_data": Curve(slope=0.0, intercept=2.0, cases=9)}
    )

    assert estimator(calibration).estimate([], [], 0, "none") == (0.0, 0.0)
