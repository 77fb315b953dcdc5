"""Metrics against values worked out by hand, and against formulas written down a second time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold.questions import Question
from evaluation.retrieval.run import METRICS, Ranked, means, per_question

LAW = "BOE-A-2015-11430"


def named(number):
    return LAW, f"Artículo {number}"


def ranking(*numbers, score=1.0):
    """All with one score: the order is what counts."""
    return [Ranked(named(number), score) for number in numbers]


def asked(name="q", **grades):
    return Question(name, "¿?", {named(key.removeprefix("a")): grade for key, grade in grades.items()})


def test_values_worked_out_by_hand():
    """Right are 1 and 2 (grade 2) and 3 (grade 1); found are 9, 3, 1, 8, 7, 2."""
    values = per_question([asked(a1=2, a2=2, a3=1)], {"q": ranking(9, 3, 1, 8, 7, 2)})["q"]
    ideal = 3 / 1 + 3 / math.log2(3) + 1 / 2
    found_by_5 = 1 / math.log2(3) + 3 / 2
    assert values == pytest.approx(
        {
            "nDCG@5": found_by_5 / ideal,
            "nDCG@10": (found_by_5 + 3 / math.log2(7)) / ideal,
            "RR": 1 / 2,
            "P@3": 2 / 3,
            "P@3/min(3,R)": 2 / 3,
            "R@5": 2 / 3,
            "R@20": 1.0,
            "hit@1": 0.0,
            "hit@3": 1.0,
            "success@1": 0.0,
            "success@3": 1.0,
        }
    )


def test_a_provision_that_only_helps_is_a_success_and_no_hit():
    values = per_question([asked(a1=1, a2=2)], {"q": ranking(1, 8, 9, 2)})["q"]
    assert (values["success@1"], values["hit@1"], values["success@3"], values["hit@3"]) == (1, 0, 1, 0)


def test_precision_is_normalised_by_what_can_be_reached():
    one = per_question([asked(a1=2)], {"q": ranking(7, 1, 8)})["q"]
    four = per_question([asked(a1=2, a2=2, a3=1, a4=1)], {"q": ranking(1, 2, 9, 3)})["q"]
    assert (one["P@3"], one["P@3/min(3,R)"]) == pytest.approx((1 / 3, 1))
    assert (four["P@3"], four["P@3/min(3,R)"]) == pytest.approx((2 / 3, 2 / 3))


def test_negatives_take_no_part_and_a_question_without_a_ranking_scores_nothing():
    values = per_question([asked("n"), asked("b", a1=2), asked("a", a1=2)], {"a": ranking(1), "n": ranking(1)})
    assert list(values) == ["b", "a"]
    assert set(values["b"].values()) == {0.0}
    assert means(values)["nDCG@10"] == 0.5
    assert per_question([asked("n")], {}) == {}
    assert means({}) == {}


@pytest.mark.parametrize("grades", [(1, 2), (2, 1)])
def test_spellings_of_one_provision_are_one_found_once_at_its_best_rank(grades):
    spelt = dict(zip([(LAW, "Art. 1"), (LAW, "Artículo 1")], grades, strict=True))
    question = Question("q", "¿?", {**spelt, (LAW, "Preámbulo"): 1})
    found = [Ranked((LAW, label), 1.0) for label in ("artículo 1", "Art. 1.2", "PREÁMBULO")]
    values = per_question([question], {"q": found})["q"]
    assert values["nDCG@10"] == pytest.approx(1.0)
    assert values["R@5"] == 1.0
    assert values["hit@1"] == 1.0


def independent(relevant, found):
    """The same metrics, from their definitions."""
    grades = [relevant.get(one, 0) for one in found]
    ideal = sorted(relevant.values(), reverse=True)

    def dcg(gains, k):
        return sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(gains[:k]))

    right = sum(grade > 0 for grade in grades[:3])
    return {
        "nDCG@5": dcg(grades, 5) / dcg(ideal, 5),
        "nDCG@10": dcg(grades, 10) / dcg(ideal, 10),
        "RR": next((1 / (at + 1) for at, grade in enumerate(grades) if grade), 0.0),
        "P@3": right / 3,
        "P@3/min(3,R)": right / min(3, len(relevant)),
        "R@5": sum(grade > 0 for grade in grades[:5]) / len(relevant),
        "R@20": sum(grade > 0 for grade in grades[:20]) / len(relevant),
        "hit@1": float(any(grade >= 2 for grade in grades[:1])),
        "hit@3": float(any(grade >= 2 for grade in grades[:3])),
        "success@1": float(any(grades[:1])),
        "success@3": float(any(grades[:3])),
    }


numbers = st.integers(1, 30)


@given(
    st.dictionaries(numbers, st.integers(1, 3), min_size=1, max_size=15),
    st.lists(numbers, max_size=30, unique=True),
    st.sampled_from([0.0, 1.0, 1e-9]),
)
def test_every_metric_agrees_with_its_definition(relevant, found, score):
    question = Question("q", "¿?", {named(number): grade for number, grade in relevant.items()})
    values = per_question([question], {"q": ranking(*found, score=score)})["q"]
    assert list(values) == list(METRICS)
    assert values == pytest.approx(independent(relevant, found), abs=1e-6)
