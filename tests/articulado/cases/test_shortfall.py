"""What an answer lacks of its article, and how many tokens would make room for it."""

import pytest
from support.doubles import CharacterCounter, make_chunk

from articulado.cases.author import Answer, AnswerSection
from articulado.cases.budget import answer_json, essential_chunks, find_shortfall, least_for_answer, least_max_tokens

COUNTER = CharacterCounter()
STEPS = make_chunk(1, title="How", details={"steps": ["Ask.", "Sign."]})
FEES = make_chunk(2, title="Fees", details={"warnings": [{"about": "fees", "text": "A fee."}]})
ISSUES = make_chunk(3, title="Issues", details={"warnings": [{"about": "other", "text": "A form."}]})
ARTICLE = [STEPS, FEES, ISSUES]
CONTEXT = 700


def answer(*, sentences=("Yes.",), steps=(), warnings=()):
    section = AnswerSection(topic="T", answer_components=list(sentences), steps=list(steps), warnings=list(warnings))
    return Answer(sections=[section])


WHOLE = answer(steps=["Ask."], warnings=["A fee."])
OF_ARTICLE = Answer(
    sections=[
        AnswerSection(topic="How", answer_components=[], steps=["Ask.", "Sign."], warnings=[]),
        AnswerSection(topic="Fees", answer_components=[], steps=[], warnings=["A fee."]),
        AnswerSection(topic="Issues", answer_components=[], steps=[], warnings=["A form."]),
    ]
)


def test_an_answer_with_a_step_and_a_warning_lacks_nothing():
    assert find_shortfall(WHOLE, WHOLE, ARTICLE, ARTICLE, CONTEXT, COUNTER) == {"parts": [], "max_tokens": 0}


@pytest.mark.parametrize(
    ("short", "parts"),
    [
        (answer(warnings=["A fee."]), ["steps"]),
        (answer(steps=["Ask."]), ["warnings"]),
        (answer(), ["steps", "warnings"]),
    ],
)
def test_dropped_parts_are_lacking_until_the_budget_grows(short, parts):
    found = find_shortfall(WHOLE, short, ARTICLE, ARTICLE, CONTEXT, COUNTER)

    # the article's own wording is longer than that of the draft
    assert found == {"parts": parts, "max_tokens": least_max_tokens(CONTEXT, len(answer_json(OF_ARTICLE)))}


def test_parts_not_shown_to_the_author_are_lacking():
    found = find_shortfall(WHOLE, WHOLE, ARTICLE, [FEES, ISSUES], CONTEXT, COUNTER)

    assert found["parts"] == ["steps"]
    assert found["max_tokens"] > 0


def test_parts_omitted_by_the_author_need_no_tokens():
    assert find_shortfall(answer(), answer(), ARTICLE, ARTICLE, CONTEXT, COUNTER) == {
        "parts": ["steps", "warnings"],
        "max_tokens": 0,
    }


def test_an_article_without_steps_and_warnings_asks_for_none():
    plain = [make_chunk(1)]

    assert find_shortfall(answer(), answer(), plain, plain, CONTEXT, COUNTER) == {"parts": [], "max_tokens": 0}


def test_a_draft_that_is_longer_than_its_article_needs_room_for_itself_without_what_may_be_dropped():
    long = answer(sentences=["Yes.", "And more."], steps=["x" * 500], warnings=["A fee."])
    kept = answer(steps=["x" * 500], warnings=["A fee."])

    assert least_for_answer(ARTICLE, 0, COUNTER, long) == least_max_tokens(0, len(answer_json(kept)))


def test_the_context_counts_too():
    assert least_for_answer(ARTICLE, 7_000, COUNTER) == 10_000


def test_essential_are_the_first_steps_and_the_first_warnings():
    assert essential_chunks([ISSUES, STEPS, FEES]) == [STEPS, ISSUES]
    assert essential_chunks([make_chunk(1)]) == []
