"""How people ask in English: follow-ups, courtesies, figures; and what the offline models make of it."""

from datetime import date

import pytest
from support.doubles import make_chunk

from articulado.answering.answer_writer import ExtractivePrincipal
from articulado.answering.figures import Asked
from articulado.answering.principal import AnswerTask
from articulado.answering.reader import KeywordReader
from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, PlainDomain
from articulado.legal.domain.spanish_law import (
    is_courtesy,
    points_back,
)
from articulado.prompting.fragments import fragments_of
from articulado.retrieval.question import described
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.values.answers import Days, question_of, searched_topic

EN = language("en")
TODAY = date(2026, 11, 29)
PLAIN = PlainDomain(EN)


@pytest.mark.parametrize("text", ["Thanks!", "ok, thank you very much", "Great. Bye", "got it, thanks for your help"])
def test_courtesies(text):
    assert is_courtesy(text, EN)


@pytest.mark.parametrize("text", ["", "thanks, and the fee?", "ok to roll over?", "great loan", "gracias"])
def test_other_messages_are_no_courtesies(text):
    assert not is_courtesy(text, EN)


@pytest.mark.parametrize("text", ["And the fee?", "what about a loan", "How long does it take?", "So who signs them?"])
def test_recognises_follow_ups(text):
    assert points_back(text, EN)


@pytest.mark.parametrize("text", ["Android app login fails", "What is an itinerary fee?", "The order of the court"])
def test_questions_that_stand_alone(text):
    assert not points_back(text, EN)


def test_a_measure_is_not_searched():
    question = described(question_of("How long of a time does a rollover take? USED|1"), PLAIN, TODAY)
    assert searched_topic(question) == "How long does a rollover take?"


@pytest.mark.parametrize(
    ("question", "sentence", "match"),
    [
        ("How many days does it take?", "The check is mailed after 7 business days.", 1.0),
        ("How many days does it take?", "It takes five days.", 1.0),
        ("How many days does it take?", "The fee is $75.", 0.4),
        ("How much is withheld?", "20 percent is withheld.", 1.0),
        ("How much is withheld?", "Half of it.", 1.0),
        ("How many days does it take?", "Use Form 210 of the 401(k) plan, section 3.", 0.0),
        ("How many days does it take?", "1. The check is mailed.", 0.0),
        ("Who signs the form?", "It takes 7 days.", 0.0),
    ],
)
def test_a_sentence_serves_by_the_figure_that_it_has(question, sentence, match):
    assert Asked(question, EN).match(sentence) == match


def provision(number, title, text, **fields):
    return make_chunk(number, title, title=title, law_id="rollover", law_name="Rolling over", text=text, **fields)


FEES = provision(1, "Rollover fees", "LT Trust charges $75 for each request. “Overnight” delivery costs $30 more.")
TIMES = provision(
    2, "Processing times", "The check is mailed 7 business days after approval. The form must be complete."
)
LOANS = provision(3, "Open loans", "An unpaid loan is offset from the account.")
ALL = [FEES, TIMES, LOANS]
WEIGHTS = Lexicon.build([f"{chunk['title']} {chunk['text']}" for chunk in ALL] + ["participant"] * 9, PLAIN.stems)


def candidates(*chunks):
    return [{"chunk": chunk, "score": 1.0, "origins": ["hybrid"], "found_by": []} for chunk in chunks]


def written(question, found, history=(), kind="alone"):
    task = AnswerTask(question_of(question, kind=kind), found, history, Days(None, date(2026, 11, 29)), EN)
    return ExtractivePrincipal(PLAIN, weights=WEIGHTS).reply(task, fragments_of(found))[0]


def answer(question, *history, best=FEES, kind="alone"):
    found = [{**found, "score": 0.9 if found["chunk"] is best else 0.4} for found in candidates(*ALL)]
    return written(question, found, history, kind)


def test_quotations_are_introduced_and_marked_in_english():
    quoted = answer("How many days until the check is mailed?", best=TIMES)
    assert quoted.startswith(
        "What the knowledge base says:\n"
        "- Rolling over, Processing times: “The check is mailed 7 business days after approval."
    )
    assert "‘Overnight’ delivery costs $30 more." in answer("What does overnight delivery cost?")


def test_a_courtesy_is_answered_in_english():
    history = {"role": "user", "content": "loan"}, {"role": "assistant", "content": "x"}
    assert answer("Thank you!", *history, kind="courtesy") == EN.translate("courtesy")


def test_summaries_and_notes_are_told_in_english():
    summary = {**FEES, "source": "plain_language", "status_note": "Repealed"}
    reply = written("What does overnight delivery cost?", candidates(summary))
    assert reply.startswith("In our words (Rolling over, Rollover fees): “Overnight” delivery costs $30 more. [C1]")
    assert "\n\nIn our words, not official:\n- Rolling over, Rollover fees: LT Trust charges" in reply
    assert "(Note: Repealed)" in reply


async def searches(question, subject="", *, kind="adds", follow_up=False):
    asked = described(question_of(question, subject, kind), PLAIN, TODAY)
    return (await KeywordReader(PLAIN).searches(asked, [], follow_up=follow_up)).queries


async def test_a_question_is_searched_as_it_is_asked():
    assert await searches("Is there a fee for art. 38 ET?") == ["Is there a fee for art. 38 ET?"]


async def test_a_follow_up_is_searched_with_what_it_is_about():
    about = "What are the rollover fees for a check?"
    found = await searches("And with an unpaid loan?", about, follow_up=True)
    assert found == ["And with an unpaid loan? What are the rollover fees for a check?"]
    assert await searches("thanks!", about, kind="courtesy", follow_up=True) == []


async def test_the_heuristic_compares_stems_of_the_language():
    judged = candidates(*ALL, provision(4, "Taking money out", "Withdrawals are requested online."))
    scores = (
        await HeuristicReranker(Comparer(PLAIN, WEIGHTS)).score(question_of("can it be withdrawn?"), [], judged)
    ).scores
    assert min(scores) == scores[0] == scores[1] == scores[2] < scores[3]
