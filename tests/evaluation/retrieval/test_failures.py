"""Where a question went wrong."""

import pytest

from evaluation.gold.questions import Question
from evaluation.retrieval.evaluate import diagnose
from evaluation.retrieval.run import Ranked

LAW = "BOE-A-2015-11430"


def named(number):
    return LAW, f"Artículo {number}"


def ranking(*numbers):
    return [Ranked(named(number), -at) for at, number in enumerate(numbers)]


def asked(name, *right, helps=()):
    return Question(name, "¿?", dict.fromkeys(map(named, right), 2) | dict.fromkeys(map(named, helps), 1))


@pytest.mark.parametrize(("place", "kind"), [(1, None), (3, None), (4, "ranking"), (20, "ranking"), (21, "retrieval")])
def test_the_rank_of_the_answering_provision_decides_the_failure(place, kind):
    found = ranking(*range(101, 100 + place), 1, *range(201, 210))
    failure = diagnose(asked("q", 1, 2), found)
    assert (failure.kind, failure.rank) == (kind, place)
    assert failure.instead == tuple(one.provision for one in found[:3])


def test_a_provision_not_found_has_no_rank():
    failure = diagnose(asked("q", 1), ranking(7))
    assert (failure.kind, failure.rank, failure.instead) == ("retrieval", None, (named(7),))
    assert diagnose(asked("q", 1), []).kind == "retrieval"


def test_the_highest_grade_present_answers():
    assert diagnose(asked("q", 1, helps=[2]), ranking(2, 3, 4, 1)).kind == "ranking"
    assert diagnose(asked("q", helps=[2]), ranking(2, 3, 4, 1)).kind is None


def test_found_but_not_cited_is_a_failure_of_the_answer():
    run = {"a": ranking(1, 9), "b": ranking(1), "c": ranking(7, 8, 9, 1), "d": ranking(7, 8, 9, 1), "e": ranking(7)}
    questions = [asked(name, 1) for name in run]
    cited = {"a": [named(9)], "b": [(LAW, "Art. 1.2")], "c": [named(1)], "d": [], "e": [named(1)]}
    kinds = [diagnose(question, run[question.id], cited).kind for question in questions]
    assert kinds == ["answer", None, None, "ranking", "retrieval"]
    kinds = [diagnose(question, run[question.id]).kind for question in questions]
    assert kinds == [None, None, "ranking", "ranking", "retrieval"]


def test_negatives_cannot_fail():
    assert diagnose(asked("n"), ranking(1)).kind is None
