"""A gold set, question by question."""

from pathlib import Path

import pytest

from articulado.values.errors import InvalidInput
from evaluation.gold.questions import GoldSet, Question
from evaluation.retrieval.evaluate import WARM_UP, Retrieved, Row, evaluate, percentiles

LAW = "BOE-A-2015-11430"


class Answers:
    """Finds for a question the provisions that are its own text; each takes longer than the one before."""

    def __init__(self, declined=()):
        self.asked = []
        self.declined = declined

    async def retrieve(self, question):
        self.asked.append(question)
        if question == "mal":
            raise InvalidInput("La pregunta está vacía.")
        rows = [Row((LAW, f"Artículo {word}"), -at, "ET", ("hybrid",)) for at, word in enumerate(question.split())]
        time = 10.0 * len(self.asked)
        stages = {"search": time, "rerank": 1.0} if len(self.asked) % 2 else {"search": time}
        return Retrieved(tuple(rows), (), question in self.declined, 0.5, stages, time)


def gold(*questions):
    return GoldSet("oro", Path("oro.jsonl"), questions)


def asked(name, text, *right, category=""):
    return Question(name, text, {(LAW, f"Artículo {number}"): 2 for number in right}, category)


async def test_every_question_is_asked_in_turn_after_one_that_does_not_count():
    retriever = Answers()
    outcome = await evaluate(gold(asked("a", "1", 1), asked("b", "2", 1)), retriever)
    assert retriever.asked == [WARM_UP, "1", "2"]
    assert {name: found.milliseconds for name, found in outcome.retrieved.items()} == {"a": 20.0, "b": 30.0}
    assert list(outcome.retrieved) == ["a", "b"]


async def test_metrics_are_of_the_set_and_of_each_category():
    questions = gold(asked("a", "1", 1, category="x"), asked("b", "2", 1, category="y"), asked("c", "9"),
                     asked("d", "1", 1, category="y"), asked("e", "1", 1))  # fmt: skip
    outcome = await evaluate(questions, Answers())
    assert outcome.measured.means["hit@1"] == 0.75
    assert {name: one.means["hit@1"] for name, one in outcome.by_category.items()} == {"x": 1.0, "y": 0.5}
    assert [len(one.per_question) for one in outcome.by_category.values()] == [1, 2]
    assert outcome.measured.intervals["hit@1"].low < 0.75 <= outcome.measured.intervals["hit@1"].high


async def test_abstention_is_wrong_on_what_has_an_answer_and_right_on_what_has_none():
    questions = gold(asked("a", "1", 1), asked("b", "2", 2), asked("c", "3"), asked("d", "4"))
    outcome = await evaluate(questions, Answers(declined=("2", "4")))
    assert [question.id for question in outcome.wrongly_refused] == ["b"]
    assert [question.id for question in outcome.rightly_declined] == ["d"]
    assert [question.id for question in outcome.negatives] == ["c", "d"]


async def test_times_are_of_the_questions_and_of_each_stage():
    outcome = await evaluate(gold(asked("a", "1", 1), asked("b", "2", 1), asked("c", "3", 1)), Answers())
    assert outcome.latency == {"p50": 30.0, "p95": 39.0}
    assert outcome.stage_latency["search"]["p50"] == 30.0
    assert outcome.stage_latency["rerank"]["p50"] == 1.0


async def test_a_set_of_negatives_alone_has_no_metrics():
    outcome = await evaluate(gold(asked("a", "1")), Answers(declined=("1",)))
    assert (outcome.measured.means, outcome.measured.intervals, outcome.by_category) == ({}, {}, {})
    assert len(outcome.rightly_declined) == 1


async def test_a_question_that_fails_is_named():
    with pytest.raises(InvalidInput, match=r"^Pregunta «b» de oro\.jsonl: La pregunta está vacía\.$"):
        await evaluate(gold(asked("a", "1", 1), asked("b", "mal", 1)), Answers())


def test_percentiles_lie_between_neighbours():
    assert percentiles([4.0]) == {"p50": 4.0, "p95": 4.0}
    assert percentiles([3.0, 1.0, 2.0])["p50"] == 2.0
