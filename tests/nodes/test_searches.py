"""The question as it was asked is a search of its own, where it adds something."""

import pytest

from nodes.decompose import searches_of as searches_in
from services.domain.spanish_law import SPANISH_LAW


def searches_of(given):
    return searches_in(given, given["queries"], SPANISH_LAW)


def state(question, *queries, **fields):
    return {"question": question, "queries": list(queries), **fields}


def test_a_first_question_is_searched_beside_the_readers_searches():
    asked = "me han echado estando de baja, ¿puedo reclamar?"
    assert searches_of(state(asked, "despido incapacidad temporal")) == ["despido incapacidad temporal", asked]


def test_where_there_are_several_searches_it_comes_last():
    asked = "¿cobro el paro si me despiden por llegar tarde?"
    found = searches_of(state(asked, "despido disciplinario impuntualidad", "prestación por desempleo"))
    assert found == ["despido disciplinario impuntualidad", "prestación por desempleo", asked]


@pytest.mark.parametrize(
    "query",
    ["vacaciones anuales", "duración vacaciones anual retribuida", "VACACIÓN ANUAL"],
)
def test_a_search_with_all_words_of_the_question_makes_it_superfluous(query):
    assert searches_of(state("¿Y las vacaciones anuales?", query)) == [query]


def test_words_spread_over_two_searches_do_not_cover_it():
    queries = ["excedencia voluntaria", "paro"]
    assert searches_of(state("paro en excedencia voluntaria", *queries)) == [*queries, "paro en excedencia voluntaria"]


def test_a_follow_up_that_carries_chunks_along_says_too_little_by_itself():
    asked, query = "¿y si trabajo media jornada?", "jubilación parcial"
    assert searches_of(state(asked, query, carried=[{"score": 0.5}])) == [query]
    assert searches_of(state(asked, query)) == [query, asked]


def test_nothing_carried_is_a_first_question():
    assert searches_of(state("me echaron del bar", "despido", carried=[])) == ["despido", "me echaron del bar"]


def test_without_searches_nothing_is_searched():
    assert searches_of(state("explícamelo mejor")) == []


def test_the_provisions_that_a_question_names_are_not_searched():
    found = searches_of(state("¿me pueden negar la excedencia según el art. 46.2 ET?", "excedencia voluntaria"))
    assert len(found) == 2
    assert "excedencia" in found[1]
    assert "46" not in found[1]
    assert "ET" not in found[1].split()


def test_a_question_that_names_provisions_and_nothing_else_adds_nothing():
    assert searches_of(state("¿qué dice el art. 55.4 ET?", "artículo 55.4 ET")) == ["artículo 55.4 ET"]


def test_the_state_stays_untouched():
    given = state("me echaron del bar", "despido")
    searches_of(given).append("x")
    assert given == state("me echaron del bar", "despido")
