"""What a question asks for, and which figures it claims."""

import pytest

from articulado.answering.figures import Asked, claimed_figures, figures_in, without_facts
from articulado.language.languages import language

ES = language("es")
PATTERNS = ES.query_patterns


@pytest.mark.parametrize(
    ("question", "sentence", "match"),
    [
        ("¿cuántos días de vacaciones?", "Serán treinta días naturales.", 1.0),
        ("¿cuántos días de vacaciones?", "Serán 2 meses.", 0.4),
        ("¿cuántos días de vacaciones?", "2. Los días se pactan.", 0.0),
        ("¿cuántos días de vacaciones?", "Los del artículo 38 y el apartado 2.", 0.0),
        ("llevo 3 meses, ¿cuántos días tengo?", "Serán 2 meses.", 0.4),
        ("plazo para reclamar", "El plazo es de veinte días.", 1.0),
        ("plazo para reclamar", "El plazo se fijará por escrito.", 0.0),
        ("plazo para reclamar", "El plazo es de 600 euros.", 0.4),
        ("edad de jubilación", "Haber cumplido 67 años.", 1.0),
        ("qué porcentaje cobro", "El 75 por ciento de la base.", 1.0),
        ("qué porcentaje cobro", "La mitad de la base.", 1.0),
        ("cuánto me pagan", "Percibirá 600 euros.", 1.0),
        ("cuánto me pagan", "Percibirá un salario digno.", 0.0),
        ("¿quién me paga?", "La empresa, en todo caso.", 0.3),
        ("¿pueden despedirme?", "El despido será nulo.", 0.3),
        ("¿cómo se pide?", "Se solicita por escrito.", 0.3),
        ("qué son las vacaciones", "Treinta días.", 0.0),
    ],
)
def test_match_scores_the_kind_of_answer(question, sentence, match):
    assert Asked(question, ES).match(sentence) == match


def test_figures_are_numbers_with_a_unit_in_digits_or_words():
    text = "2. En el artículo 38 son treinta y tres días hábiles, 1.200,50 euros o el 50 por 100."
    figures = figures_in(text, PATTERNS)
    assert [(str(figure.value), figure.unit, figure.written) for figure in figures] == [
        ("33", "dia", "treinta y tres días hábiles"),
        ("1200.50", "eur", "1.200,50 euros"),
        ("50", "porcentaj", "50 por 100"),
    ]
    assert all(text[figure.start : figure.end] == figure.written for figure in figures)


@pytest.mark.parametrize(
    ("question", "claimed"),
    [
        ("¿son 22 días de vacaciones?", ["22 días"]),
        ("me dan 15 días de vacaciones", ["15 días"]),
        ("dicen que me corresponden solo 2 meses", ["2 meses"]),
        ("llevo 3 meses y me dan 15 días", ["15 días"]),
        ("llevo 3 meses", []),
        ("tengo 45 años y me despiden", []),
        ("me despidieron hace 10 días", []),
        ("mi contrato es de 6 meses", []),
    ],
)
def test_claims_are_told_from_personal_facts(question, claimed):
    assert [figure.written for figure in claimed_figures(question, PATTERNS)] == claimed


def test_days_of_different_kinds_cannot_be_compared():
    plain, working, calendar = (figures_in(f"22 días{kind}", PATTERNS)[0] for kind in ("", " hábiles", " naturales"))
    assert plain.is_like(working)
    assert not working.is_like(calendar)


def test_personal_facts_are_no_topic():
    assert without_facts("llevo 3 meses, ¿cuánto preaviso hay?", PATTERNS) == "llevo , ¿cuánto preaviso hay?"
    assert without_facts("con 15 años cotizados, ¿qué porcentaje?", PATTERNS).startswith("con 15 años")
