"""The question as it was asked is a search of its own, where it adds something."""

from datetime import date

import pytest

from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.question import described
from articulado.values.answers import question_of
from nodes.decompose import searches_of as searches_in


def searches_of(question, *queries, subject=""):
    return searches_in(
        described(question_of(question, subject, "adds"), SPANISH_LAW, date(2026, 7, 1)), queries, SPANISH_LAW
    )


def test_a_first_question_is_searched_beside_the_readers_searches():
    asked = "me han echado estando de baja, ¿puedo reclamar?"
    assert searches_of(asked, "despido incapacidad temporal") == ["despido incapacidad temporal", asked]


def test_the_question_comes_last_among_the_searches():
    asked = "¿cobro el paro si me despiden por llegar tarde?"
    found = searches_of(asked, "despido disciplinario impuntualidad", "prestación por desempleo")
    assert found == ["despido disciplinario impuntualidad", "prestación por desempleo", asked]


@pytest.mark.parametrize(
    "query",
    ["vacaciones anuales", "duración vacaciones anual retribuida", "VACACIÓN ANUAL"],
)
def test_a_search_with_all_words_replaces_the_question(query):
    assert searches_of("¿Y las vacaciones anuales?", query) == [query]


def test_words_spread_over_two_searches_do_not_replace_the_question():
    queries = ["excedencia voluntaria", "paro"]
    assert searches_of("paro en excedencia voluntaria", *queries) == [*queries, "paro en excedencia voluntaria"]


def test_a_follow_up_is_searched_with_its_subject_beside_what_the_reader_finds_new():
    asked, subject = "¿y si trabajo media jornada?", "¿Cuándo me puedo jubilar?"
    assert searches_of(asked, "jubilación parcial", subject=subject) == [
        "jubilación parcial",
        "¿y si trabajo media jornada? ¿Cuándo me puedo jubilar?",
    ]


def test_without_searches_nothing_is_searched():
    assert searches_of("explícamelo mejor", subject="¿Cuántas vacaciones tengo?") == []


def test_the_provisions_that_a_question_names_are_not_searched():
    found = searches_of("¿me pueden negar la excedencia según el art. 46.2 ET?", "excedencia voluntaria")
    assert len(found) == 2
    assert "excedencia" in found[1]
    assert "46" not in found[1]
    assert "ET" not in found[1].split()


def test_a_question_that_names_provisions_and_nothing_else_adds_nothing():
    assert searches_of("¿qué dice el art. 55.4 ET?", "artículo 55.4 ET") == ["artículo 55.4 ET"]


def test_the_queries_stay_untouched():
    given = ["despido"]
    searches_of("explícamelo", *given).append("x")
    assert given == ["despido"]
