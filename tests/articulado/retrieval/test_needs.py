"""Which provisions a need names, however a model writes it, and in which order their parts are read."""

from datetime import date

import pytest
from support.doubles import make_chunk

from articulado.legal.citations.items import Place
from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.needs import name_of, nearest_first, needs_in_answer, provisions_needed

ET, LGSS = "BOE-A-2015-11430", "BOE-A-2015-11724"
TODAY = date(2026, 11, 23)


def article(article, law):
    return {"kind": "article", "article": article, "law": law, "keywords": ""}


def keywords(words):
    return {"kind": "keywords", "article": "", "law": "", "keywords": words}


def named(need, default_law=LGSS, **options):
    return [
        (request.law_id, request.provision_key) for request in provisions_needed(need, default_law, TODAY, **options)
    ]


@pytest.mark.parametrize(
    "need",
    [
        article("artículo 59", "Estatuto de los Trabajadores"),
        article("art. 59.3", "ET"),
        article("59", "ET"),
        article("artículo 59", "del Estatuto"),
        article("artículo 59", "Real Decreto Legislativo 2/2015, de 23 de octubre"),
        article("artículo 59", ET),
        keywords("art. 59.3 ET"),
        keywords("59 ET"),
        keywords("plazo despido art 59 ET"),
        keywords("artículo 59 del Estatuto"),
    ],
    ids=str,
)
def test_a_provision_is_found_however_it_is_written(need):
    assert named(need) == [(ET, "art:59")]


def test_an_article_without_a_law_is_of_the_one_that_is_spoken_of():
    assert named(keywords("artículo 205")) == [(LGSS, "art:205")]


@pytest.mark.parametrize("law", ["Código Civil", "Convenio de oficinas y despachos", "LEC"])
def test_unknown_laws_are_not_replaced(law):
    assert named(article("artículo 59", law)) in ([("", "art:59")], [])


@pytest.mark.parametrize(
    "words", ["preaviso dimisión", "preaviso dimisión ET", "33 días por año", "33 días por año ET"]
)
def test_a_topic_names_no_provision(words):
    assert named(keywords(words)) == []


def test_other_domains_read_no_provisions():
    assert named(keywords("article 59 ET"), spanish_law=False) == []


def test_the_name_of_a_need():
    assert name_of(article("artículo 59", "ET")) == "artículo 59 (ET)"
    assert name_of(keywords("preaviso dimisión")) == "preaviso dimisión"


TEXTS = [
    "1. Los trabajadores tendrán derecho a un descanso.\n\n2. Las fiestas laborales.",
    "3. La persona trabajadora podrá ausentarse:\n\na) Quince días por matrimonio.\n\nb) Cinco días por accidente.",
    "f) Por exámenes prenatales.",
    "4. En los supuestos de nacimiento habrá una hora de ausencia.",
    "6. Quien tenga la guarda legal podrá reducir la jornada.",
]
PARTS = [make_chunk(10 - n, "Artículo 37", text=text, part=n + 1, parts=5) for n, text in enumerate(TEXTS)]


def order(*subdivisions, words=""):
    request = ProvisionRequest(ET, "art:37", tuple(Place(*one) for one in subdivisions))
    return [chunk["part"] for chunk in nearest_first(PARTS[::-1], request, words, SPANISH_LAW.stems)]


def test_a_whole_provision_is_read_from_its_beginning():
    assert order() == [1, 2, 3, 4, 5]


def test_the_apartado_that_is_meant_comes_first_then_what_is_around_it():
    assert order(("4", "")) == [4, 5, 3, 2, 1]


def test_a_letter_is_looked_for_from_its_apartado_on():
    assert order(("3", "a")) == [2, 3, 1, 4, 5]
    assert order(("3", "f")) == [3, 4, 2, 5, 1]


def test_keywords_lead_to_the_part_that_has_them():
    assert order(words="reducción de jornada por guarda legal art. 37 ET") == [5, 4, 3, 2, 1]


def test_an_apartado_that_is_not_there_leaves_the_words_to_decide():
    assert order(("9", ""), words="guarda legal") == [5, 4, 3, 2, 1]


LISOS = "BOE-A-2000-15060"


@pytest.mark.parametrize(
    ("text", "provisions"),
    [
        ("La multa es de 7.501 euros [C1]. Falta el artículo 47.1.c de la LISOS.", [(LISOS, "art:47")]),
        ("Para la cuantía faltan los artículos 39 y 40 de la LISOS.", [(LISOS, "art:39"), (LISOS, "art:40")]),
        ("No consta entre los fragmentos el artículo 272.1.c) LGSS.", [(LGSS, "art:272")]),
        ("Habría que ver la disposición transitoria 7.ª de la LGSS.", [(LGSS, "dt:7")]),
        ("Para confirmarlo, faltaría consultar el texto del art. 59.3 ET.", [(ET, "art:59")]),
        ("El artículo 59 del ET no figura entre los textos recibidos.", [(ET, "art:59")]),
        # Without its law, or not missing.
        ("Falta el artículo 47.1.c.", []),
        ("Habría que ver la disposición transitoria séptima.", []),
        ("Es una falta muy grave del artículo 8 de la LISOS.", []),
        ("Si falta el preaviso del artículo 53 del ET, se paga.", []),
        ("Las faltas de asistencia del artículo 54.2.a) del ET son causa de despido.", []),
        ("El plazo es de veinte días (artículo 59.3 ET) [C1].", []),
        ("Falta un dato. El artículo 59.3 del ET da veinte días [C1].", []),
        ("No consta la fecha de la carta que exige el artículo 55 del ET.", []),
    ],
)
def test_an_answer_says_which_provisions_are_missing(text, provisions):
    needs = needs_in_answer(text)
    assert [ref for need in needs for ref in named(need, "")] == provisions
    assert needs_in_answer(text, None, provisions) == []


def test_the_part_that_is_missing_is_asked_for():
    (need,) = needs_in_answer("Falta el artículo 47.1.c de la LISOS.")
    (request,) = provisions_needed(need, "", TODAY)
    assert request.subdivisions == (Place("1", "c"),)
    assert name_of(need) == "artículo 47.1.c (LISOS)"
