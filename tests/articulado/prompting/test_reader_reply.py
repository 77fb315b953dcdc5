"""What a reader may write, and what is read of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.prompting.prompts import MAX_QUERY_CHARACTERS, ReaderReply, read_reader_reply

TALK = "No hacen falta búsquedas nuevas: la persona solo pide que se le explique mejor la respuesta anterior."


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('["despido embarazo"]', ["despido embarazo"]),
        ('```json\n["a b", "c d"]\n```', ["a b", "c d"]),
        ('Aquí tiene: ["a b"] Espero que sirva.', ["a b"]),
        ('["a", 3, null, {"x": 1}, ["y"], "b"]', ["a", "b"]),
        ('["a", "b", "c", "d", "e"]', ["a", "b", "c", "d"]),
        ('["a", "a", " ", "", "¿?"]', ["a"]),
        ("[]", []),
        ("[[[[", []),
        ("despido por embarazo", ["despido por embarazo"]),
        ('{"queries": ["a b"]}', ["a b"]),
        ("", []),
        (TALK, []),
    ],
)
def test_the_searches_of_a_reply(reply, queries):
    assert read_reader_reply(reply, 4) == ReaderReply(queries)


@pytest.mark.parametrize("denial", [TALK, "Nada.", "Ninguna búsqueda", "None needed", "No new searches are needed."])
def test_a_follow_up_that_is_denied_in_prose_searches_nothing(denial):
    assert read_reader_reply(denial, 3, follow_up=True).queries == []


def test_the_words_of_a_follow_up_are_searched_with_or_without_an_array():
    assert read_reader_reply("despido por embarazo", 3, follow_up=True).queries == ["despido por embarazo"]
    assert read_reader_reply('Falta: ["despido por embarazo"]', 3, follow_up=True).queries == ["despido por embarazo"]


@pytest.mark.parametrize(
    ("reply", "matter", "queries"),
    [
        ("[] OTRA_MATERIA: derecho fiscal", "derecho fiscal", []),
        ("[]\nOTRA_MATERIA: derecho fiscal.\n", "derecho fiscal", []),
        ("[] OTRA_MATERIA", "", []),
        ('["OTRA_MATERIA"]', "", []),
        ('["OTRA_MATERIA: herencias"]', "herencias", []),
        ("OTRA_MATERIA", "", []),
        ("[OTRA_MATERIA]", "", []),
        ("**OTRA\\_MATERIA:** arrendamientos urbanos", "arrendamientos urbanos", []),
        ("```json\n[]\n```\notra_materia: tráfico", "tráfico", []),
        ('["OTRA_MATERIA", "IRPF tramos"]', "", ["IRPF tramos"]),
        ('["otra materia de estudio"]', None, ["otra materia de estudio"]),
    ],
)
@pytest.mark.parametrize("follow_up", [False, True])
def test_another_field_is_told_and_never_searched_for(reply, matter, queries, follow_up):
    assert read_reader_reply(reply, 4, follow_up=follow_up) == ReaderReply(queries, matter)


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('["TEMA_NUEVO", "smi cuantía 2026"]', ["smi cuantía 2026"]),
        ('["TEMA_NUEVO: smi cuantía 2026"]', ["smi cuantía 2026"]),
        ('TEMA_NUEVO ["smi cuantía 2026"]', ["smi cuantía 2026"]),
        ('["TEMA_NUEVO", "a", "b", "c", "d"]', ["a", "b", "c"]),
        ('["TEMA_NUEVO"]', []),
        ("TEMA_NUEVO", []),
    ],
)
def test_a_new_topic_is_told_and_never_searched_for(reply, queries):
    assert read_reader_reply(reply, 3, follow_up=True) == ReaderReply(queries, new_topic=True)


@given(st.text() | st.lists(st.sampled_from(["[", "]", '"', "OTRA_MATERIA", "TEMA_NUEVO", "a", ": "])).map("".join))
def test_any_text_gives_few_short_searches(text):
    queries = read_reader_reply(text, 2).queries
    assert len(queries) <= 2
    assert all(query.strip() and len(query) <= MAX_QUERY_CHARACTERS for query in queries)
    assert not any("OTRA_MATERIA" in query or "TEMA_NUEVO" in query for query in queries)
