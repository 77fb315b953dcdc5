"""What an answer may not say is taken out of it and reported."""

import pytest
from support.doubles import make_chunk

from articulado.cases.author import Answer, AnswerSection, GuardrailBroken
from articulado.cases.guardrails import FIGURES_GUARDRAIL, check, guards_of
from articulado.language.languages import language

ENGLISH = language("en")
NO_TAX = {"id": "no-tax", "rule": "Do not give a tax bill", "violated_by": [r"you (will|would) owe", r"tax bill is"]}
NO_DATE = {"id": "no-date", "rule": "Do not promise a date", "violated_by": [r"by (monday|friday)"]}


def answer(*components, steps=(), warnings=()):
    section = AnswerSection(topic="T", answer_components=list(components), steps=list(steps), warnings=list(warnings))
    return Answer(sections=[section])


def checked(drafted, guards=(NO_TAX, NO_DATE), source_text="", reported=()):
    return check(drafted, guards, source_text, reported, ENGLISH)


def violated(result, key):
    return [violation[key] for violation in result.guardrails["violated"]]


def test_an_item_that_breaks_a_guardrail_is_removed_and_reported_and_the_rest_stays():
    result = checked(answer("Fine.", "You WILL owe a lot.", steps=["Call us by Friday.", "Sign."], warnings=["Mind."]))

    section = result.answer.sections[0]
    assert section.answer_components == ["Fine."]
    assert section.steps == ["Sign."]
    assert section.warnings == ["Mind."]
    assert result.guardrails == {
        "checked": 3,
        "violated": [
            {"guardrail": "no-tax", "rule": "Do not give a tax bill", "removed": "You WILL owe a lot."},
            {"guardrail": "no-date", "rule": "Do not promise a date", "removed": "Call us by Friday."},
        ],
    }


def test_an_item_that_breaks_two_is_reported_for_both():
    result = checked(answer("You would owe it by Monday.", "Fine."))

    assert violated(result, "guardrail") == ["no-tax", "no-date"]


def test_an_answer_of_which_nothing_is_left_has_no_sections():
    assert checked(answer("Your tax bill is high.")).answer.sections == []


def test_self_reported_violations_are_removed():
    result = checked(answer("Trust me.", "Fine."), reported=[GuardrailBroken(guardrail="no-date", text="Trust me.")])

    assert result.answer.sections[0].answer_components == ["Fine."]
    assert result.guardrails["violated"] == [
        {"guardrail": "no-date", "rule": "Do not promise a date", "removed": "Trust me."}
    ]


@pytest.mark.parametrize(
    ("item", "source_text", "stays"),
    [
        ("Up to $50,000.", "at most 50000 dollars", True),
        ("Up to $50,000.", "at most $50,000", True),
        ("Up to $60,000.", "at most $50,000", False),
        ("20% is withheld.", "20 % are withheld", True),
        ("25% is withheld.", "20% are withheld", False),
        ("Within 60 days.", "the 60-day rule", True),
        ("Within 90 days.", "the 60-day rule", False),
        # bare small numbers count steps and copies
        ("Send 2 copies.", "", True),
        ("A fee of $2.", "", False),
        ("Form 1099-R.", "the 1099-R form", True),
        ("1.234,56 €", "importe: 1234.56", True),
        # the same value, written otherwise
        ("It costs $75.00.", "a fee of $75", True),
        ("$10,000", "10000.00", True),
        ("Until 59.5 years.", "age 59½", True),
        ("3.000,00 €", "3.000 euros", True),
        ("20 percent is withheld.", "20% is withheld", True),
        ("$10K", "10,000 dollars", True),
        # the same number of something else
        ("There is a $60 fee.", "the 60-day rule", False),
        ("A penalty of 60% applies.", "the 60-day rule", False),
        ("Within 20 days.", "20% is withheld", False),
        ("Within 5 days.", "", False),
        ("A USD500 fee.", "", False),
        ("A 10K fee.", "", False),
        ("See art.77.", "art. 55", False),
    ],
)
def test_a_figure_must_have_been_given(item, source_text, stays):
    result = checked(answer(item), guards=(), source_text=source_text)

    assert bool(result.answer.sections) is stays
    assert violated(result, "guardrail") == ([] if stays else [FIGURES_GUARDRAIL])


def test_guardrails_of_a_context_count_once():
    chunks = [make_chunk(1, details={"guards": [NO_TAX, NO_DATE]}), make_chunk(2, details={"guards": [NO_TAX]})]

    assert [guard["id"] for guard in guards_of([*chunks, make_chunk(3)])] == ["no-tax", "no-date"]


def test_a_topic_is_checked_too_and_the_section_keeps_the_rest():
    section = AnswerSection(topic="You will owe $4,321", answer_components=["Fine."], steps=[], warnings=[])

    result = checked(Answer(sections=[section]))

    assert [(kept.topic, kept.answer_components) for kept in result.answer.sections] == [("Answer", ["Fine."])]
    assert result.guardrails["violated"][0]["removed"] == "You will owe $4,321"


@pytest.mark.parametrize("text", ["send it to bob", '"Send it to Bob."', "Send it to Bob. Then wait for it."])
def test_self_reports_match_despite_punctuation(text):
    result = checked(answer("Send it to Bob.", "Fine."), reported=[GuardrailBroken(guardrail="no-date", text=text)])

    assert result.answer.sections[0].answer_components == ["Fine."]
    assert violated(result, "removed") == ["Send it to Bob."]


def test_a_report_that_is_not_of_the_answer_removes_nothing_and_is_not_lost():
    reported = [GuardrailBroken(guardrail="no-date", text="e"), GuardrailBroken(guardrail="x", text="Something else")]

    result = checked(answer("Fine sentence."), reported=reported)

    assert result.answer.sections[0].answer_components == ["Fine sentence."]
    assert violated(result, "guardrail") == ["no-date", "x"]
    assert violated(result, "removed") == ["", ""]


@pytest.mark.parametrize(
    ("item", "stays"),
    [
        ("Nobody can say what you will owe.", True),
        ("We cannot promise that the check arrives by Friday.", True),
        ("Do not worry, you will owe little.", False),
        ("It is not much, but you will owe it.", False),
        ("You will owe nothing.", False),
    ],
)
def test_a_clause_that_denies_what_is_forbidden_does_not_say_it(item, stays):
    assert bool(checked(answer(item)).answer.sections) is stays


def test_two_guardrails_of_one_name_both_count():
    other = {**NO_TAX, "violated_by": ["sixty percent"]}
    chunks = [make_chunk(1, details={"guards": [NO_TAX]}), make_chunk(2, details={"guards": [other]})]

    assert checked(answer("It is sixty percent."), guards=guards_of(chunks)).answer.sections == []
