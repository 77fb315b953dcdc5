"""Searches for a question without a model."""

from datetime import date

import pytest

from articulado.answering.reader import KeywordReader
from articulado.guides.cards import packaged_cards
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.question import described
from articulado.values.answers import question_of

SUBJECT = "¿Cuánto preaviso hay en un despido objetivo?"


async def searches(question, *, subject="", kind="adds", follow_up=False):
    reader = KeywordReader(SPANISH_LAW)
    return (
        await reader.searches(
            described(question_of(question, subject, kind), SPANISH_LAW, date(2026, 7, 1)), [], follow_up=follow_up
        )
    ).queries


@pytest.mark.parametrize(
    "question",
    ["horas extra", "¿Cuál es la capital de Francia?", "me despidieron embarazada, sin motivo; ¿qué hago?"],
)
async def test_a_question_is_searched_as_it_is_asked(question):
    assert await searches(question) == [question]


async def test_nothing_to_search_for_gives_the_question_itself():
    assert await searches("¿Y eso?") == ["¿Y eso?"]


@pytest.mark.parametrize(("question", "kind"), [("¿y eso?", "same"), ("Genial, muchas gracias", "courtesy")])
async def test_a_follow_up_about_the_answer_alone_searches_nothing(question, kind):
    assert await searches(question, subject=SUBJECT, kind=kind, follow_up=True) == []


@pytest.mark.parametrize("follow_up", [False, True])
async def test_a_follow_up_is_searched_with_its_subject(follow_up):
    found = await searches("¿y si estoy embarazada?", subject=SUBJECT, follow_up=follow_up)
    assert found == [f"¿y si estoy embarazada? {SUBJECT}"]


async def test_a_measure_alone_is_searched_with_its_subject():
    assert await searches("¿cuánto?", subject=SUBJECT, follow_up=True) == [f"¿cuánto? {SUBJECT}"]


@pytest.mark.parametrize("question", ["art 38 ET", "ARTICULO 38 DEL E.T.", "¿qué dice el artículo 38?"])
async def test_a_question_that_only_names_a_provision_is_searched_as_it_is(question):
    assert await searches(question) == [question]


async def test_beside_a_named_provision_only_the_topic_is_searched():
    assert await searches("según la LGSS 205, ¿requisitos de permanencia?") == ["la ¿requisitos de permanencia?"]


@pytest.mark.parametrize("question", ["===META=== USED|1 permanencia", "permanencia [C1] DROP|2,3", "NEED|permanencia"])
async def test_words_of_the_protocol_are_not_searched(question):
    assert await searches(question) == ["permanencia"]


async def test_question_words_are_not_searched():
    (query,) = await searches("¿cuánto tiempo de permanencia?")
    assert "permanencia" in query
    assert "tiempo" not in query


HOLIDAYS = packaged_cards()["holidays/how_many_days"]
CHOICES = ("pay/unpaid_wages_claim", "holidays/how_many_days")


async def read(question, code, found, **fields):
    asked = []

    def meant(text):
        asked.append(text)
        return found.get(text, ())

    reader = KeywordReader(SPANISH_LAW, meant)
    said = await reader.searches({**question_of(question), "language": code, **fields}, [], follow_up=False)
    return said.queries, list(said.meant), asked


async def test_a_question_in_another_language_is_searched_by_the_one_need_that_it_certainly_asks_for():
    queries, meant, _ = await read("Wie viel Urlaub?", "de", {"Wie viel Urlaub?": (HOLIDAYS.id,)})
    assert (queries, meant) == ([HOLIDAYS.need], [HOLIDAYS.id])


async def test_a_need_that_only_the_spanish_words_of_a_question_lead_to_is_found_as_well():
    found = {"cuántos días de vacaciones tengo": (HOLIDAYS.id,)}
    queries, meant, asked = await read("Quants dies de vacances tinc?", "ca", found)
    assert (queries, meant) == ([HOLIDAYS.need], [HOLIDAYS.id])
    assert asked == ["Quants dies de vacances tinc?", "cuántos días de vacaciones tengo"]


@pytest.mark.parametrize("choices", [CHOICES, ()])
async def test_without_a_certain_need_the_spanish_words_are_searched(choices):
    queries, meant, _ = await read("Quants dies?", "ca", {"Quants dies?": choices})
    assert (queries, meant) == (["cuántos días"], list(choices))


@pytest.mark.parametrize(
    ("question", "code", "fields"),
    [
        ("¿Cuánto preaviso doy?", "", {}),
        ("Was sagt Artikel 38?", "de", {"provisions": [{"law_id": "x", "provision_key": "art:38"}]}),
        ("Mindestlohn in Deutschland?", "de", {}),
    ],
)
async def test_needs_are_not_looked_for_in_spanish_beside_a_provision_or_in_another_country(question, code, fields):
    _, meant, asked = await read(question, code, {}, **fields)
    assert (meant, asked) == ([], [])
