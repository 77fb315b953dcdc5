"""Recognising the topics of a question: by what was found for it and by its words together."""

import pytest
from support.doubles import make_chunk

from articulado.config.companions import Companion, Condition, Topic
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from nodes.add_companions import topics_of

BRING = (Companion(provision="BOE-A-2011-15936#art:103", says="veinte días", **{"for": "claim_deadline"}),)
ET = "BOE-A-2015-11430"
DISMISSAL = Topic(
    name="despido",
    when=Condition(provisions=(f"{ET}#art:55", f"{ET}#art:56"), words=("despido", "renovar el contrato")),
    unless=Condition(provisions=("BOE-A-2015-11719",), words=("funcionario",)),
    bring=BRING,
)
HOLIDAYS = Topic(name="vacaciones", when=Condition(provisions=(f"{ET}#art:38",), words=("vacaciones",)), bring=BRING)


def ranked(*keys, law=ET):
    """Return candidates of these provisions, best first; a key may stand twice, for two parts."""
    return [
        candidate(make_chunk(n, provision_key=f"art:{key}", law_id=law), 1 - n / 100, "hybrid")
        for n, key in enumerate(keys)
    ]


def names(question, candidates, *topics):
    return [topic.name for topic in topics_of(question, candidates, topics or (DISMISSAL, HOLIDAYS), SPANISH_LAW)]


@pytest.mark.parametrize(
    "question",
    ["¿Es válido mi despido?", "me han despedido", "me echaron ayer", "no me quieren renovar el contrato"],
)
def test_a_topic_is_recognised_in_the_words_of_people(question):
    assert names(question, ranked(55, 56)) == ["despido"]


@pytest.mark.parametrize("question", ["¿cuántas vacaciones tengo?", "¿qué dice el contrato?", "quiero renovar el DNI"])
def test_what_was_found_alone_is_no_topic(question):
    assert names(question, ranked(55, 56)) == []


def test_words_alone_are_no_topic():
    assert names("vacaciones tras el despido", ranked(37, 34)) == []


def test_the_three_best_provisions_count_each_once():
    assert names("despido", ranked(49, 49, 49, 50, 55)) == ["despido"]
    assert names("despido", ranked(49, 50, 51, 55)) == []
    assert names("despido", ranked(55, law="BOE-A-1995-7730")) == []


def test_topics_come_in_the_order_of_what_was_found():
    question = "vacaciones sin disfrutar y despido"
    assert names(question, ranked(55, 38)) == ["despido", "vacaciones"]
    assert names(question, ranked(38, 55)) == ["vacaciones", "despido"]


def test_a_whole_law_recognises_a_topic():
    minimum = Topic(name="imv", when=Condition(provisions=("BOE-A-2021-21007",), words=("ingreso",)), bring=BRING)
    assert names("ingreso mínimo", ranked(7, law="BOE-A-2021-21007"), minimum) == ["imv"]
    assert names("ingreso mínimo", ranked(7), minimum) == []


def test_a_word_of_the_question_tells_that_it_is_another_topic():
    assert names("soy funcionaria y temo un despido", ranked(55)) == []


def test_what_a_word_only_stands_for_does_not_tell_that_it_is_another_topic():
    # "económicas" stands for a collective dismissal, too.
    question = "¿me pueden despedir por causas económicas?"
    assert ("despido colectivo", 0.8) in SPANISH_LAW.terms(question)
    alone = DISMISSAL.model_copy(update={"unless": Condition(words=("colectivo",))})
    assert names(question, ranked(55), alone) == ["despido"]
    assert names(f"{question} ¿es colectivo?", ranked(55), alone) == []


def test_the_best_provision_tells_that_it_is_another_topic_and_a_later_one_does_not():
    officials = ranked(96, law="BOE-A-2015-11719")
    assert names("despido", [*officials, *ranked(55)]) == []
    assert names("despido", [*ranked(55), *officials]) == ["despido"]


def test_a_topic_may_do_without_provisions_or_without_words():
    by_words = Topic(name="palabras", when=Condition(words=("despido",)), bring=BRING)
    by_provisions = Topic(name="preceptos", when=Condition(provisions=(f"{ET}#art:55",)), bring=BRING)
    assert names("despido", ranked(38), by_words, by_provisions) == ["palabras"]
    assert names("¿y ahora?", ranked(55), by_words, by_provisions) == ["preceptos"]


def test_without_topics_or_candidates_there_is_none():
    assert topics_of("despido", ranked(55), (), SPANISH_LAW) == []
    assert names("despido", []) == []
