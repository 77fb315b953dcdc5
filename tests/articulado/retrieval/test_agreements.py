"""Which agreements apply to a question, in the ways in which people name them; companies and agreements are made up."""

from datetime import date

import pytest

from articulado.legal.agreements.scope import read_title
from articulado.legal.reading import read
from articulado.retrieval.agreements import applicable, without_agreement_names
from articulado.retrieval.question import provisions_asked, read_question, with_agreements
from articulado.store.layout import IndexedAgreement

TITLES = {
    "host-sev": "Convenio colectivo del sector de la hostelería de la provincia de Sevilla",
    "host-mal": "Convenio colectivo del sector de la hostelería de la provincia de Málaga",
    "metal-sev": "Convenio colectivo de la industria siderometalúrgica de la provincia de Sevilla",
    "ofi-bcn": "Convenio colectivo del sector de oficinas y despachos de la provincia de Barcelona",
    "ofi-est": "Convenio colectivo estatal de oficinas y despachos",
    "taller-sor": "Convenio colectivo del sector de talleres del metal de la provincia de Soria",
    "tilaran": "Convenio colectivo de la empresa Cestas Tilarán, S.A.",
    "tara": "Convenio colectivo de la empresa Tarambana Logística, S.L.",
}
TODAY = date(2026, 7, 1)
AGREEMENTS = tuple(IndexedAgreement(law_id, title, read_title(title)) for law_id, title in TITLES.items())


def named(*questions: str, territory: str | None = None) -> set[str]:
    *earlier, question = questions
    return set(applicable(question, earlier, AGREEMENTS, territory).named)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿cuántos días de vacaciones da el convenio de hostelería de Málaga?", {"host-mal"}),
        ("vacaciones en el convenio de la hostelería malagueña", {"host-mal"}),
        ("convenio de bares y restaurantes de la provincia de Sevilla: ¿pagas?", {"host-sev"}),
        ("convenio hosteleria malaga vacaciones", {"host-mal"}),
        ("¿qué plus de nocturnidad fija el convenio del metal?", {"metal-sev"}),
        ("¿qué plus de nocturnidad fija el convenio del metal de Soria?", {"taller-sor"}),
        ("el convenio de hostelería, ¿qué dice?", {"host-sev", "host-mal"}),
        ("trabajo en Jerez, ¿y el convenio estatal de oficinas?", {"ofi-est"}),
        ("mi convenio es el de oficinas y despachos de Barcelona", {"ofi-bcn", "ofi-est"}),
        ("¿cuántas vacaciones hay en Tarambana Logística?", {"tara"}),
        ("el convenio de la empresa Tarambana Logística", {"tara"}),
        ("¿cuántas vacaciones hay en un bar de la hostelería de Málaga?", {"host-mal"}),
        ("jornada oficinas y despachos Barcelona", {"ofi-bcn", "ofi-est"}),
        ("¿qué paga el convenio de Tilarán?", {"tilaran"}),
        ("vacaciones del convenio de hostelería de Málaga y las del de Sevilla", {"host-mal", "host-sev"}),
    ],
)
def test_the_agreements_that_a_question_names(question, expected):
    assert named(question) == expected
    assert set(applicable(question, [], AGREEMENTS, None).excluded) == set(TITLES) - expected


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("¿pagas del convenio de la construcción de Sevilla?", "convenio de la construcción de Sevilla"),
        ("el convenio de hostelería de Cádiz, ¿qué dice?", "convenio de hostelería de Cádiz"),
        ("convenio de la empresa Zeltia Norte", "convenio de la empresa Zeltia Norte"),
    ],
)
def test_an_agreement_that_the_index_does_not_have(question, missing):
    read = applicable(question, [], AGREEMENTS, None)
    assert (read.named, read.missing, set(read.excluded)) == ((), (missing,), set(TITLES))


@pytest.mark.parametrize(
    "question",
    [
        "¿cuántas vacaciones tengo según el convenio?",
        "¿qué convenio rige si la empresa cambia de dueño, el de origen o el nuevo?",
        "¿cuánto cuesta el convenio especial con la Seguridad Social?",
        "En la negociación de un convenio de empresa, ¿quién tiene preferencia?",
    ],
)
def test_questions_without_an_agreement(question):
    assert applicable(question, [], AGREEMENTS, None).excluded == ()
    assert applicable(question, [], AGREEMENTS, None).missing == ()


def test_agreements_of_other_places_are_excluded():
    assert set(applicable("¿cuánto dura la prueba?", [], AGREEMENTS, "Málaga").excluded) == {
        "host-sev",
        "metal-sev",
        "ofi-bcn",
        "taller-sor",
    }
    assert set(applicable("¿cuánto dura la prueba?", [], AGREEMENTS, "Andalucía").excluded) == {"ofi-bcn", "taller-sor"}


def test_a_conversation_keeps_its_agreement_until_another_is_named():
    first = "¿vacaciones del convenio de hostelería de Málaga?"
    assert named(first, "¿y las pagas extra?") == {"host-mal"}
    assert named(first, "¿y en el de Sevilla?") == {"host-sev"}
    assert named(first, "¿y en Sevilla?") == {"host-sev"}
    assert named(first, "¿y el del metal?", "¿y las pagas?") == {"metal-sev"}


def test_agreement_names_are_removed_from_the_search():
    names = ["convenio de hostelería de Málaga", "el de Sevilla"]
    assert without_agreement_names("¿y en el de Sevilla?", names) == "¿y?"
    asked = "¿cuántos días da el convenio de hostelería de Málaga?"
    assert without_agreement_names(asked, names) == "¿cuántos días da?"


def test_an_article_of_the_agreement_is_of_the_one_that_is_named():
    question = "¿qué dice el artículo 5 del convenio de hostelería de Málaga?"
    reading = read(question, TODAY)
    asked = read_question(reading, provisions_asked(reading, [], "BOE-A-2015-11430"))
    named = with_agreements(asked, applicable(question, [], AGREEMENTS, None), TODAY)
    assert named["provisions"] == [{"law_id": "host-mal", "provision_key": "art:5"}]
    assert named["is_lookup"]
