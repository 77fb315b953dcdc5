"""Answers made of cards and worked results: their marks, their order, and what goes where they are long."""

import re
from datetime import date

import pytest
from support.doubles import make_chunk

from articulado.answering.answer_writer import MAX_WORDS, MIN_POINTS, ExtractivePrincipal
from articulado.answering.principal import AnswerTask
from articulado.guides.card_answers import card_text
from articulado.guides.cards import Card, card_chunk
from articulado.language.languages import language
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.prompting.fragments import fragments_of
from articulado.values.answers import Days, question_of

LAW = "BOE-A-2015-11430"
SENTENCE = "Las vacaciones serán de treinta días naturales."
HOLIDAYS = make_chunk(38, "Artículo 38", law_id=LAW, law_name="Estatuto de los Trabajadores", text=f"1. {SENTENCE}")
LEAVE = make_chunk(37, "Artículo 37", law_id=LAW, law_name="Estatuto de los Trabajadores", text="3. Quince días.")


def card(points=1, words=5):
    pins = [f"{LAW}#Artículo 38||treinta días naturales"]
    text = "Son treinta días naturales al año, y el convenio los puede mejorar; " + "no se cambian por dinero " * 7
    point = {"text": "palabra " * words, "pins": [f"{LAW}#Artículo 37||Quince días"]}
    return Card.model_validate(
        {
            "id": "holidays/how_many",
            "need": "¿Cuántas vacaciones tengo?",
            "asks": "how_much",
            "answer": {"text": text.strip(), "pins": pins},
            "points": [{**point, "when": f"Punto {number}"} for number in range(1, points + 1)],
            "regimes": ["laboral"],
            "phrasings": ["una", "dos", "tres", "cuatro"],
        }
    )


def fragment(chunk, purpose=None, says=""):
    found = {"chunk": chunk, "score": 0.9, "origins": ["card"], "found_by": []}
    return {**found, "purpose": purpose, "says": says} if purpose else found


def carded(of):
    return fragment({**card_chunk(of), "text": card_text(of, language("es"))}, "card")


def answer(*fragments):
    asked, days = question_of("¿Cuántas vacaciones tengo?"), Days(None, date(2026, 11, 29))
    task = AnswerTask(asked, fragments, [], days, language("es"))
    return ExtractivePrincipal(SPANISH_LAW).reply(task, fragments_of(fragments))[0]


BORNE = (fragment(HOLIDAYS, "decisive", SENTENCE), fragment(LEAVE))


def test_each_statement_has_the_mark_of_the_provision_that_bears_it_and_the_law_follows():
    heading, first, point, *_ = said = answer(carded(card()), *BORNE).splitlines()
    assert heading == "¿Cuántas vacaciones tengo?"
    assert first.endswith(" [C2]")
    assert point.startswith("- Punto 1: ")
    assert point.endswith(" [C3]")
    assert f"La ley (Estatuto de los Trabajadores, artículo 38): «{SENTENCE}» [C2]" in said


def test_a_statement_whose_provision_is_not_there_has_the_mark_of_the_card():
    assert answer(carded(card()), *BORNE[:1]).splitlines()[2].endswith(" [C1]")


def test_the_last_points_go_where_a_card_is_long():
    text = answer(carded(card(points=4, words=29)), *BORNE)
    assert re.findall("Punto [0-9]", text) == ["Punto 1", "Punto 2", "Punto 3"]
    assert len(text.split()) <= MAX_WORDS
    assert SENTENCE in text


def test_a_worked_result_stands_before_the_card_and_takes_of_its_room():
    worked = fragment(make_chunk(900, "Resultado", law_name="Cálculo", text="Total: 30 días\n" + "línea " * 100))
    text = answer({**worked, "purpose": "calculation", "says": ""}, carded(card(points=4, words=12)), *BORNE)
    assert text.startswith("Total: 30 días [C1]")
    assert text.index("línea") < text.index("¿Cuántas")
    assert text.count("Punto ") == MIN_POINTS
    assert answer(carded(card(points=4, words=12)), *BORNE).count("Punto ") == 4


def test_a_caveat_stands_before_everything():
    caveat = fragment(make_chunk(901, "Advertencia", law_name="Advertencia", text="Puede ser otra ley."), "caveat")
    assert answer(BORNE[1], caveat).startswith("Puede ser otra ley.\n\n")


def test_beside_a_card_a_calculation_says_what_it_lacks_without_its_rule_after_the_card():
    lines = "La indemnización es de 20 días por año.\nPara calcularlo me falta:\n- ¿Cuánto gana? Es la base."
    lacking = fragment(make_chunk(902, "Resultado", law_name="Cálculo", text=lines), "missing_data")
    text = answer(carded(card()), *BORNE, lacking)
    assert text.endswith("Para calcularlo me falta:\n- ¿Cuánto gana? Es la base.")
    assert "20 días por año" not in text
    assert "\nLa indemnización es de 20 días por año. [C2]\nPara calcularlo" in answer(BORNE[1], lacking)


SPANISH_LINE, ENGLISH_LINE = "Resposta en castellà,", "Answered in Spanish:"


def asked_in(code, *fragments):
    asked = {**question_of("How many holidays?"), "language": code}
    spoken = language("en" if code == "en" else "es")
    task = AnswerTask(asked, fragments, [], Days(None, date(2026, 11, 29)), spoken)
    return ExtractivePrincipal(SPANISH_LAW).reply(task, fragments_of(fragments))[0]


def english(of):
    shown = {**card_chunk(of), "text": card_text(of, language("en")), "provision": "How many days?"}
    return {**fragment(shown, "card"), "language": "en"}


GLOSSED = {**BORNE[0], "gloss": "Holidays will be thirty calendar days."}


def test_around_a_card_in_english_everything_but_the_law_is_in_english():
    lines = asked_in("en", english(card()), GLOSSED, BORNE[1]).splitlines()
    assert lines[0] == "How many days?"
    law = "Estatuto de los Trabajadores (Workers’ Statute), artículo 38"
    assert f"The law, in its official wording ({law}): “{SENTENCE}” [C2]" in lines
    assert "In English, not official: Holidays will be thirty calendar days." in lines
    assert not [line for line in lines if line.startswith(("La ley", ENGLISH_LINE))]


@pytest.mark.parametrize(
    ("code", "fragments", "line"),
    [
        ("en", (carded(card()), *BORNE), ENGLISH_LINE),
        ("en", (english(card()), carded(card()), *BORNE), ENGLISH_LINE),
        ("en", (BORNE[1],), ENGLISH_LINE),
        ("ca", (carded(card()), *BORNE), SPANISH_LINE),
        ("ca", (BORNE[1],), SPANISH_LINE),
    ],
)
def test_an_answer_in_spanish_says_so_in_the_language_of_the_question(code, fragments, line):
    first, empty, *rest = asked_in(code, *fragments).splitlines()
    assert first.startswith(line)
    assert empty == ""
    assert rest


@pytest.mark.parametrize("fragments", [(carded(card()), *BORNE), (BORNE[1],)])
def test_an_answer_to_a_spanish_question_says_nothing_of_its_language(fragments):
    assert ENGLISH_LINE not in answer(*fragments)
    assert "castell" not in answer(*fragments)
