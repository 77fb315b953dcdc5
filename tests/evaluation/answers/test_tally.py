"""What became of the questions: counts by hand, over all questions of a kind."""

import pytest

from evaluation.answers.answers import AnswerResult
from evaluation.answers.tally import answers_report, count_words
from evaluation.gold.questions import Question

LAW = "BOE-A-2015-11430"
EVERY_OUTCOME = ("answer", "near", "decline", "ask")


def article(number):
    return LAW, f"Artículo {number}"


def answered(*cited, facts=0, missing=0, words=1, outcome="answer", called=True):
    """A question that article 1 answers and article 2 helps with."""
    question = Question(
        "p", "¿?", {article(1): 2, article(2): 1}, answer_facts=tuple(f"hecho {at}" for at in range(facts))
    )
    return AnswerResult(
        question=question,
        answer="palabra " * words,
        outcome=outcome,
        cited=tuple(map(article, cited)),
        wrong=(),
        unsupported=(),
        missing=question.answer_facts[:missing],
        metrics={},
        principal_called=called,
    )


def negative(outcome, category="", *, called=False):
    return AnswerResult(Question("n", "¿?", {}, category), "…", outcome, (), (), (), (), {}, None, called)


POSITIVES = [
    answered(1, 9, facts=3, missing=1, words=10),
    answered(9, 1, facts=1, words=20),
    answered(9, 2, 1, words=40),
    answered(2, words=30),
    answered(words=60),
    answered(1, 9, facts=2, missing=2, words=500, outcome="near", called=False),
    answered(9, facts=1, missing=1, words=500, outcome="near", called=False),
    answered(facts=2, missing=2, outcome="decline", called=False),
    answered(outcome="decline", called=False),
    answered(facts=1, missing=1, outcome="decline", called=True),
    answered(outcome="ask", called=False),
]
NEGATIVES = [
    negative("decline", "otra_rama"),
    negative("answer", "trampa", called=True),
    negative("decline", "otra_rama", called=True),
    negative("ask", "otra_rama"),
    negative("near", "trampa"),
    negative("decline"),
]


def pair(share):
    return share["count"], share["of"]


def shares(group):
    return {name: pair(share) for name, share in group["outcomes"].items()}


def refusers(group):
    return {name: pair(share) for name, share in group["declined_by"].items()}


def test_every_question_with_an_answer_counts_in_one_outcome():
    found = answers_report([*POSITIVES, *NEGATIVES])["answerable"]
    assert shares(found) == {"answer": (5, 11), "near": (2, 11), "decline": (3, 11), "ask": (1, 11)}
    assert found["outcomes"]["answer"]["share"] == pytest.approx(5 / 11)


def test_refusals_are_of_the_gate_or_of_the_principal():
    assert refusers(answers_report(POSITIVES)["answerable"]) == {"gate": (2, 3), "principal": (1, 3)}
    assert refusers(answers_report(NEGATIVES)["unanswerable"]) == {"gate": (2, 3), "principal": (1, 3)}


def test_the_right_provision_first_is_of_all_questions_and_not_only_of_the_answered_ones():
    found = answers_report([*POSITIVES, *NEGATIVES])["answerable"]
    assert (pair(found["right_first"]), pair(found["right_in_first_two"])) == ((1, 11), (2, 11))


def test_the_nearest_provisions_may_have_one_that_answers():
    assert pair(answers_report(POSITIVES)["answerable"]["near_right"]) == (1, 2)


def test_facts_are_summed_over_all_questions():
    # Expected 3 + 1 + 2 + 1 + 2 + 1, of which the two answers have 2 and 1: neither a mean of shares nor of answers.
    assert pair(answers_report([*POSITIVES, *NEGATIVES])["answerable"]["facts"]) == (3, 10)


def test_words_are_those_of_answers():
    # 10, 20, 30, 40, 60: the 90th percentile is at place 3.6 from 0, so 40 + 0.6 · 20.
    words = answers_report([*POSITIVES, *NEGATIVES])["answerable"]["words"]
    assert words == {"median": 30.0, "p90": pytest.approx(52.0), "maximum": 60, "answers": 5}


def test_marks_and_bare_signs_are_no_words():
    assert count_words("## Plazo\n\n- Son **30 días** [C1, C2] – o 2,5 al mes【C3】.") == 8
    assert count_words("") == 0


def test_questions_without_an_answer_are_counted_by_category_in_the_order_of_the_set():
    found = answers_report([*NEGATIVES, *POSITIVES])["unanswerable"]
    assert shares(found) == {"answer": (1, 6), "near": (1, 6), "decline": (3, 6), "ask": (1, 6)}
    assert {name: shares(group) for name, group in found["by_category"].items()} == {
        "otra_rama": {"answer": (0, 3), "near": (0, 3), "decline": (2, 3), "ask": (1, 3)},
        "trampa": {"answer": (1, 2), "near": (1, 2), "decline": (0, 2), "ask": (0, 2)},
    }
    assert list(found["by_category"]) == ["otra_rama", "trampa"]


def test_without_negatives_there_is_a_share_of_nothing():
    found = answers_report(POSITIVES)["unanswerable"]
    assert shares(found) == dict.fromkeys(EVERY_OUTCOME, (0, 0))
    assert (found["outcomes"]["decline"]["share"], found["by_category"]) == (None, {})


def test_where_all_is_refused_nothing_is_right_and_there_are_no_lengths():
    found = answers_report([answered(facts=2, missing=2, outcome="decline")] * 3)["answerable"]
    counted = [pair(found[name]) for name in ("right_first", "right_in_first_two", "near_right", "facts")]
    assert (counted, found["words"]) == ([(0, 3), (0, 3), (0, 0), (0, 6)], None)
    assert refusers(found)["principal"] == (3, 3)


def test_nothing_at_all_is_counted_as_nothing():
    found = answers_report([])["answerable"]
    assert shares(found) == dict.fromkeys(EVERY_OUTCOME, (0, 0))
    assert (pair(found["right_first"]), pair(found["facts"]), found["words"]) == ((0, 0), (0, 0), None)
