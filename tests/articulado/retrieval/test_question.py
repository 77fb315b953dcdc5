"""Spans, topic and stems of a question, read once."""

from datetime import date

import pytest

from articulado.legal import reading
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.reading import LegalReading, Mention, mentions
from articulado.retrieval.question import described, provisions_asked, read_question, up_to_date
from articulado.values.answers import question_of, searched_topic

TODAY = date(2026, 11, 29)
TEXT = "Me despidieron en Sevilla el 3/3/2022, ¿qué dice el art. 56 ET si cobraba 1.200 € al mes, con 3 años allí?"


def spans(named):
    return [TEXT[each["start"] : each["end"]] for each in named]


def test_named_items_of_a_question_have_spans():
    question = described(question_of(TEXT), SPANISH_LAW, TODAY)
    assert [(each["law_id"], each["provision_key"]) for each in question["citations"]] == [
        ("BOE-A-2015-11430", "art:56")
    ]
    assert spans(question["citations"]) == ["art. 56"]
    assert (spans(question["laws"]), question["laws"][0]["law_id"]) == (["ET"], "BOE-A-2015-11430")
    assert (spans(question["places"]), question["places"][0]["name"]) == (["Sevilla"], "Sevilla")
    assert (spans(question["days"]), question["days"][0]["day"]) == (["el 3/3/2022"], "2022-03-03")
    values = [(each["type"], each["value"], each["unit"], each["per"]) for each in question["values"]]
    assert values == [
        ("date", "2022-03-03", "", ""),
        ("amount", "1200", "euro", "month"),
        ("count", "3", "year", ""),
    ]


def test_a_value_becomes_the_mention_that_it_was():
    found = mentions(TEXT, today=TODAY)
    assert [Mention.of(each.as_value()) for each in found] == list(found)


def test_topic_and_stems_are_without_provisions_days_measures_and_agreements():
    named = {**question_of("¿Cuánto tiempo de vacaciones da el convenio del metal según el art. 38 ET?"), "subject": ""}
    question = described({**named, "agreement_names": ["convenio del metal"]}, SPANISH_LAW, TODAY)
    assert searched_topic(question).split() == ["¿Cuánto", "de", "vacaciones", "da", "el"]
    assert question["stems"] == SPANISH_LAW.stems("vacaciones da")


def test_an_edited_text_or_subject_is_read_anew_and_an_edited_topic_stays():
    read_before = described(question_of("¿Cuántas vacaciones tengo?"), SPANISH_LAW, TODAY)
    assert up_to_date(read_before, SPANISH_LAW, TODAY) is read_before
    edited = "¿Cuánto es el preaviso de 15 días?"
    other = up_to_date({**read_before, "text": edited}, SPANISH_LAW, TODAY)
    assert other["topic"] == edited
    assert [each["value"] for each in other["values"]] == ["15"]
    of_subject = up_to_date({**read_before, "subject": "¿Y el despido?"}, SPANISH_LAW, TODAY)
    assert of_subject["subject_topic"] == "¿Y el despido?"
    assert up_to_date({**read_before, "topic": "preaviso"}, SPANISH_LAW, TODAY)["topic"] == "preaviso"


def test_a_text_is_parsed_once_however_many_ask(monkeypatch):
    parsed = []
    parse = reading.parse_citations
    monkeypatch.setattr(reading, "parse_citations", lambda text, *context: parsed.append(text) or parse(text, *context))
    asked = LegalReading("¿Qué dice el artículo 38 del ET sobre vacaciones?", TODAY)
    for _ in range(3):
        read_question(asked, provisions_asked(asked, [], "BOE-A-2015-11430"))
        assert asked.topic
    assert parsed == [asked.text]


@pytest.mark.parametrize("text", ["", "  ", "¿?", "ET" * 500])
def test_any_text_can_be_described(text):
    assert described(question_of(text), SPANISH_LAW, TODAY)["text"] == text
