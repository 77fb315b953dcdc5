from datetime import date

import pytest

from legal.citation_owners import CitationContext
from legal.citations import parse_citations

ET, CE = "BOE-A-2015-11430", "BOE-A-1978-31229"
HERE = CitationContext("HERE", "art:9", "art:11")


def cited(text, context=HERE):
    return [(one.law_id, one.provision_key) for one in parse_citations(text, context)]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("artículos 181 y 182 de esta ley", [("HERE", "art:181"), ("HERE", "art:182")]),
        ("de acuerdo con el artículo 49.1.", [("HERE", "art:49")]),
        ("disposición transitoria undécima", [("HERE", "dt:11")]),
        ("el artículo anterior y el artículo siguiente", [("HERE", "art:9"), ("HERE", "art:11")]),
        (
            "artículo 47.5 del texto refundido de la Ley del Estatuto de los Trabajadores, aprobado por el Real "
            "Decreto Legislativo 2/2015, de 23 de octubre",
            [(ET, "art:47")],
        ),
        (
            "artículos 6 y 7 de esta Ley y 75.7 del Estatuto de los Trabajadores",
            [("HERE", "art:6"), ("HERE", "art:7"), (ET, "art:75")],
        ),
        ("artículo 28, 1, de la Constitución española", [(CE, "art:28")]),
        (
            "artículos 21, 28, apartado 2, y artículo 37, apartado 2, de la Constitución",
            [(CE, "art:21"), (CE, "art:28"), (CE, "art:37")],
        ),
        ("artículo 149.1.5.ª, 6.ª, 7.ª y 17.ª de la Constitución Española", [(CE, "art:149")]),
        ("el artículo 68.a), b) y c) del texto refundido de la Ley del Estatuto de los Trabajadores", [(ET, "art:68")]),
        ("la Constitución, en su artículo 28, reconoce", [(CE, "art:28")]),
        ("los artículos 39 y 41, en su caso, de la presente Ley", [("HERE", "art:39"), ("HERE", "art:41")]),
        ("artículos 5 y 6 del capítulo II del título III de esta ley", [("HERE", "art:5"), ("HERE", "art:6")]),
        ("el artículo 215 y el apartado 3 del artículo 216, siempre que", [("HERE", "art:215"), ("HERE", "art:216")]),
        ("en el artículo 10, de 128 euros/mes", [("HERE", "art:10")]),
        ("se añade un nuevo artículo 48 bis al Estatuto de los Trabajadores", [(ET, "art:48 bis")]),
    ],
)
def test_whose_article_it_is(prose, expected):
    assert cited(prose) == expected


@pytest.mark.parametrize(
    "prose",
    [
        "artículo 5 de la Ley 40/2007, de 4 de diciembre",
        "artículo 8 de la Directiva 76/207",
        "artículo 1.154 del Código Civil",
        "artículo 12 del citado Reglamento",
        "artículo 219.5 de dicha ley",
        "disposición transitoria vigésima de la misma",
        "artículo 56.5 de esta última ley",
        "artículo 9 del Reglamento (UE) 2016/679",
        "artículo 49.e) de la Ley 7/2007, de 12 de abril, del Estatuto Básico del Empleado Público",
        "artículo 24 del VI Convenio Estatal de la Construcción",
        "artículo 120.cuatro.8 de la Ley 2/2008, de 23 de diciembre",
        "artículo 92 Ley 30/1992, de 26 de noviembre",
        "artículo 152 de la Ley de Enjuiciamiento Civil",
    ],
)
def test_an_article_of_an_unknown_law_is_not_ours(prose):
    (one,) = parse_citations(prose, HERE)
    assert (one.law_id, one.law_named) == (None, True)


@pytest.mark.parametrize("prose", ["el apartado anterior", "el párrafo anterior", "este artículo", "la letra c)"])
def test_the_same_provision_is_no_citation(prose):
    assert cited(prose) == []


def test_an_article_cited_again_is_of_the_same_law():
    assert cited("el artículo 51 de la Ley 40/2007 y, según el citado artículo 51, procede") == [
        (None, "art:51"),
        (None, "art:51"),
    ]


def test_a_name_is_read_as_of_the_day_of_the_text():
    prose = "artículo 109 de la Ley General de la Seguridad Social"
    assert cited(prose, CitationContext("HERE", day=date(1996, 1, 25))) == [("BOE-A-1994-14960", "art:109")]
    assert cited(prose, CitationContext("HERE", day=date(2020, 1, 1))) == [("BOE-A-2015-11724", "art:109")]


def test_prose_of_an_unknown_law_has_no_law():
    assert cited("según el artículo 5", CitationContext(prose=True)) == [(None, "art:5")]


def test_a_list_of_dispositions():
    assert cited("las disposiciones adicionales primera, cuarta y vigésima primera") == [
        ("HERE", "da:1"),
        ("HERE", "da:4"),
        ("HERE", "da:21"),
    ]
