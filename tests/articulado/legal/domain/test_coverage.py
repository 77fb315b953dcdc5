"""When a text of one's own says what is asked: by the words of its passages, and what kind of thing they give."""

import pytest
from support.doubles import make_chunk

from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.ranking.comparison import Wanted

GUIDE = make_chunk(
    1,
    "Parte 1",
    chunk_type="document",
    law_id="guia-del-molino",
    law_name="Guía del Molino Viejo",
    breadcrumb="Guía del Molino Viejo",
    title="Guía del Molino Viejo",
    text="El comedor abre a las 13:30 y cierra a las 16:00.\n"
    "Las barcas se alquilan en el muelle. Hay que devolverlas limpias.\n"
    "El guarda vigila la presa. El puente se cruza a pie.",
)
# Weights of 1,000 texts: a word of one of them weighs 0.9, of 100 0.33, and one that none has 1.
COMMON = ("dejar", "llevar", "empresa", "derecho")
LEXICON = Lexicon(
    1000,
    dict.fromkeys(SPANISH_LAW.stems(" ".join(COMMON)), 100)
    | dict.fromkeys(SPANISH_LAW.stems(GUIDE["text"] + " " + GUIDE["law_name"]), 1),
)


def says(question, domain=SPANISH_LAW, weights=LEXICON, **fields):
    return Wanted(question, domain, weights).is_said_by({**GUIDE, **fields})


@pytest.mark.parametrize(
    "question",
    [
        "¿a qué hora abre el comedor?",
        "¿cuándo cierra el comedor?",
        "horario del comedor",
        "en el molino, ¿a qué hora abre el comedor?",
        "¿tengo que devolver limpias las barcas?",
        "¿puedo cruzar el puente a pie?",
    ],
)
def test_a_passage_says_what_is_asked_whatever_words_ask_for_it(question):
    assert says(question)


@pytest.mark.parametrize(
    "question",
    [
        "¿cuántos días dura el permiso de remo?",
        "¿Cuántas horas duran los permisos de remo?",
        "¿cuántos meses dura el permiso de remo en Galicia?",
        "en Sevilla, ¿cuántos días dura el permiso de remo?",
        "¿cuántos días de permiso de remo tengo en el País Vasco?",
    ],
)
def test_neither_the_verb_of_a_duration_nor_a_place_must_be_in_the_passage(question):
    leave = {
        "text": "El permiso de remo es de 4 días u horas.",
        "title": "Permiso de remo",
        "law_name": "Ley de permisos",
    }
    assert says(question, **leave)


@pytest.mark.parametrize(
    "question",
    [
        "¿a qué hora abre la piscina?",
        "¿a qué hora abre el comedor del hospital?",
        "¿vigila el guarda la presa y se cruza el puente a pie con linterna?",
        "¿cuánto cuesta el comedor?",
        "¿qué dice la guía del Molino Viejo?",
        "¿tengo derecho a dejar la empresa?",
        "¿abre el comedor y se cruza el puente?",
        "¿tengo derecho en mi empresa a llevar y dejar a alguien en el comedor?",
    ],
    ids=[
        "other",
        "rare word lacking",
        "one rare word of many lacking",
        "no price",
        "all in the name",
        "no rare word",
        "far apart",
        "common words lacking",
    ],
)
def test_a_passage_without_the_words_does_not_cover_them(question):
    assert not says(question)


def test_a_word_in_the_name_of_a_document_is_not_what_its_passages_say():
    assert not says("¿a qué hora abre la tahona del molino?")
    assert says("¿a qué hora abre el comedor del molino?")


def test_the_title_of_a_provision_is_of_what_it_says():
    order = {"law_name": "Orden de pesca", "breadcrumb": "", "title": "Comedor", "text": "Abre a las 13:30."}
    assert says("¿a qué hora abre el comedor?", chunk_type="provision", **order)


def test_only_running_text_of_no_known_law_is_judged_so():
    question = "¿a qué hora abre el comedor?"
    assert not says(question, chunk_type="provision", law_id="BOE-A-2015-11430")
    assert not says(question, chunk_type="doctrine")


def test_in_english_too():
    text = "The canteen opens at 13:30 on weekdays."
    asked = {"domain": PlainDomain(language("en")), "weights": Lexicon(1000, {}), "text": text}
    assert says("What time does the canteen open?", **asked)
    assert not says("How much does the canteen charge?", **asked)


def test_beside_a_text_that_says_it_what_lacks_a_rare_word_loses_half():
    law = make_chunk(2, law_id="BOE-A-2015-11430", text="El horario lo fija la empresa.")
    of_canteens = make_chunk(3, law_id="BOE-A-2015-11430", text="Un comedor que abre la empresa.")
    chunks = [law, GUIDE, of_canteens]
    # 0.9 + 0.1 · 0.2 for the guide.
    wanted = Wanted("¿a qué hora abre el comedor?", SPANISH_LAW, LEXICON)
    assert wanted.reconsidered([0.8, 0.2, 0.6], chunks) == pytest.approx([0.4, 0.92, 0.6])
    assert wanted.reconsidered([0.8, 0.6], [law, of_canteens]) == [0.8, 0.6]


def test_a_note_that_is_called_by_its_first_line_says_it():
    line = "El comedor abre a las 13:30 y cierra a las 16:00"
    named = {"law_name": line, "breadcrumb": line, "title": line}
    assert says("¿a qué hora abre el comedor?", **named, text=f"{line}.")
    assert not says("¿a qué hora abre el comedor?", **named, text="Las barcas se alquilan a las 10:00.")
