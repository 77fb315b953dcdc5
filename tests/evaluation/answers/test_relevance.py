"""What relevance is worth: curves by hand of a few answers."""

import pytest

from evaluation.answers.answers import AnswerResult
from evaluation.answers.tally import relevance_report
from evaluation.gold.questions import Question

RIGHT, WRONG = ("BOE-A-2015-11430", "Artículo 1"), ("BOE-A-2015-11430", "Artículo 9")


def asked(relevance, *cited, category="", positive=True, outcome="answer"):
    question = Question("q", "¿?", {RIGHT: 2} if positive else {}, category)
    return AnswerResult(question, "", outcome, cited, (), (), (), {}, relevance)


RESULTS = [
    asked(0.9, WRONG, RIGHT, category="plazos"),
    asked(0.8, WRONG, category="plazos"),
    asked(0.6, RIGHT, category="trampa", positive=False),
    asked(0.4, RIGHT, WRONG, outcome="near", category="plazos"),
    asked(0.1, outcome="decline"),
    asked(None, RIGHT, category="plazos"),
    asked(None, category="otra", positive=False),
    asked(None, positive=False),
]


def test_a_question_is_a_mistake_without_an_answer_in_the_law_or_without_a_provision_that_answers():
    found = relevance_report(RESULTS)["risk_coverage"]
    assert [(point["threshold"], point["wrong"], point["questions"]) for point in found["points"]] == [
        (0.9, 0, 1),
        (0.8, 1, 2),
        (0.6, 2, 3),
        (0.4, 2, 4),
        (0.1, 3, 5),
    ]
    assert [point["coverage"] for point in found["points"]] == pytest.approx([1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8])
    assert found["area"] == pytest.approx((0 + 1 / 2 + 2 / 3 + 1 / 2 + 3 / 5) / 8)


def test_relevance_is_compared_with_whether_there_is_an_answer_and_not_with_the_answer_given():
    found = relevance_report(RESULTS)["calibration"]
    assert (found["relevance"], found["answerable"]["count"]) == (pytest.approx(2.8 / 5), 4)
    # 0.1², 0.2², 0.6², 0.6², 0.9²; one bin of five, of which four are answerable.
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.36 + 0.36 + 0.81) / 5)
    assert found["ece"] == pytest.approx(0.8 - 0.56)
    (bin_,) = found["bins"]
    assert (bin_["right"], bin_["count"]) == (pytest.approx(0.8), 5)
    # Wilson, z² = 3.8415: (0.8 + z²/10 ± 1.96 · √(0.16/5 + z²/100)) / (1 + z²/5).
    assert (bin_["low"], bin_["high"]) == (pytest.approx(0.3755, abs=1e-4), pytest.approx(0.9638, abs=1e-4))


def test_many_questions_are_ten_bins_of_the_same_number():
    found = relevance_report([asked(at / 100, positive=at >= 50) for at in range(100)])["calibration"]
    assert [bin_["count"] for bin_ in found["bins"]] == [10] * 10
    assert [bin_["right"] for bin_ in found["bins"]] == [0.0] * 5 + [1.0] * 5


def test_each_category_has_its_own_calibration_of_the_questions_with_a_relevance():
    found = relevance_report(RESULTS)["by_category"]
    assert list(found) == ["plazos", "trampa"]
    assert (found["plazos"]["relevance"], found["plazos"]["answerable"]["share"]) == (pytest.approx(0.7), 1.0)
    assert found["plazos"]["brier"] == pytest.approx((0.01 + 0.04 + 0.36) / 3)
    assert (found["trampa"]["answerable"]["share"], found["trampa"]["brier"]) == (0.0, pytest.approx(0.36))
    assert found["trampa"]["ece"] == pytest.approx(0.6)


def test_refusing_everything_is_full_risk():
    found = relevance_report([asked(0.7, outcome="decline"), asked(0.2, outcome="decline")])["risk_coverage"]
    assert [point["risk"] for point in found["points"]] == [1.0, 1.0]
    assert found["area"] == 1.0


def test_without_negatives_all_are_answerable():
    assert relevance_report([asked(0.7, RIGHT), asked(0.3, RIGHT)])["calibration"]["answerable"]["share"] == 1.0


@pytest.mark.parametrize("results", [[], [asked(None, RIGHT)]])
def test_without_a_relevance_there_are_no_curves(results):
    assert relevance_report(results) is None
