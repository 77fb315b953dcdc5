from datetime import date

import pytest

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations

ET, CE = "BOE-A-2015-11430", "BOE-A-1978-31229"
HERE = CitationContext("HERE", "art:9", "art:11")


def cited(text, context=HERE):
    return [(citation.law_id, citation.provision_key) for citation in parse_citations(text, context)]


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
        (
            "artículos 34, apartado 7, 36, apartado 1, y 37, apartado 1, de la Ley del Estatuto de los Trabajadores",
            [(ET, "art:34"), (ET, "art:36"), (ET, "art:37")],
        ),
        ("artículos 161 bis 1 y 2, 166.1 y 2.f)", [("HERE", "art:161 bis"), ("HERE", "art:166")]),
        ("las disposiciones transitorias primera y segunda", [("HERE", "dt:1"), ("HERE", "dt:2")]),
        ("la disposición transitoria y la disposición final primera", [("HERE", "dt:unica"), ("HERE", "df:1")]),
        (
            "El artículo 1, los apartados 4 a 8 del artículo 2, y la disposición final tercera del Estatuto de los "
            "Trabajadores",
            [(ET, "art:1"), (ET, "art:2"), (ET, "df:3")],
        ),
        (
            "el artículo 9.2 de la Ley 42/1997, de 14 de noviembre, ordenadora de la Inspección, y 79 del Estatuto de "
            "los Trabajadores",
            [(None, "art:9"), (ET, "art:79")],
        ),
        ("la disposición adicional segunda del Reglamento que se aprueba por este real decreto", [("HERE", "da:2")]),
        ("el Estatuto de los Trabajadores, excepto sus artículos 15 y 16", [(ET, "art:15"), (ET, "art:16")]),
        ("los artículos 27 y 37 y el anexo del Decreto 3158/1966", [(None, "art:27"), (None, "art:37")]),
        ("artículo 149.1.18.ªde la Constitución", [(CE, "art:149")]),
        ("se añade un nuevo artículo 48 bis al Estatuto de los Trabajadores", [(ET, "art:48 bis")]),
    ],
)
def test_resolves_the_law_of_articles_in_prose(prose, expected):
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
        "artículo 5 de la citada Ley de Enjuiciamiento Civil",
    ],
)
def test_an_article_of_an_unknown_law_is_not_ours(prose):
    (citation,) = parse_citations(prose, HERE)
    assert (citation.law_id, citation.law_named) == (None, True)


@pytest.mark.parametrize("prose", ["el apartado anterior", "el párrafo anterior", "este artículo", "la letra c)"])
def test_the_same_provision_is_no_citation(prose):
    assert cited(prose) == []


def test_an_article_cited_again_is_of_the_same_law():
    assert cited("el artículo 51 de la Ley 40/2007 y, según el citado artículo 51, procede") == [
        (None, "art:51"),
        (None, "art:51"),
    ]


@pytest.mark.parametrize(
    ("prose", "law_id"),
    [
        ("el artículo 51 del Estatuto de los Trabajadores, y el artículo 2 de dicha Ley", ET),
        ("el artículo 51 del Estatuto de los Trabajadores, y el artículo 2 del citado texto refundido", ET),
        ("el artículo 51 del Estatuto de los Trabajadores, y el artículo 2 del mismo texto legal", ET),
        ("la Constitución, según el artículo 2 de la misma", CE),
        ("el Estatuto de los Trabajadores y la Constitución; el artículo 2 de la citada Ley", ET),
        ("el artículo 51 de la Ley 40/2007, y el artículo 2 de dicha Ley", None),
        ("el Estatuto de los Trabajadores y la Ley General Tributaria; el artículo 2 de dicha Ley", None),
        ("los anexos 1 y 2 de este real decreto; el artículo 2 del mismo", "HERE"),
        ("el Estatuto de los Trabajadores y la presente Ley; el artículo 2 de dicha Ley", ET),
        ("el Reglamento General de Cotización; el artículo 2 del reglamento citado", "BOE-A-1996-1579"),
    ],
)
def test_an_anaphora_means_the_last_law_that_fits(prose, law_id):
    last = parse_citations(prose, HERE)[-1]
    assert (last.law_id, last.provision_key) == (law_id, "art:2")


def test_an_item_may_begin_with_the_law_of_its_articles():
    prose = (
        "Quedan derogadas:\n\na) De la Ley 30/1984, de 2 de agosto, los artículos 2 y 3.\n\n"
        "b) Del Estatuto de los Trabajadores:\n\n1. El artículo 4.\n\n2. El artículo 5.\n\n"
        "c) Las normas previstas en el artículo 6.\n\nd) De la Ley 3/1989: la disposición adicional."
    )
    owners = [(None, "art:2"), (None, "art:3"), (ET, "art:4"), (ET, "art:5"), ("HERE", "art:6"), (None, "da:unica")]
    assert cited(prose) == owners


def test_a_list_of_articles_of_a_law():
    prose = (
        "Según los siguientes preceptos de la Constitución:\n\na) Artículo 149.1.\n\nb) Lo que dice el artículo 4.\n\n"
        "El artículo 5."
    )
    assert cited(prose) == [(CE, "art:149"), ("HERE", "art:4"), ("HERE", "art:5")]


def test_the_apartado_of_the_neighbour():
    (citation,) = parse_citations("los sujetos del apartado 2 del artículo anterior", HERE)
    assert (citation.provision_key, citation.apartado) == ("art:9", "2")


def test_an_article_mentioned_before_is_of_the_same_law():
    assert cited("el artículo 6 de la Ley 40/2007; en el artículo 6 mencionado en el párrafo anterior") == [
        (None, "art:6"),
        (None, "art:6"),
    ]


@pytest.mark.parametrize(
    ("prose", "day", "named", "today"),
    [
        ("artículo 15 del Estatuto de los Trabajadores", date(2000, 8, 8), "BOE-A-1995-7730", ET),
        ("artículo 15 del Estatuto de los Trabajadores", date(1985, 8, 12), None, ET),
        ("artículo 15 del Real Decreto Legislativo 1/1995", date(2020, 1, 1), "BOE-A-1995-7730", ET),
        ("artículo 15 de la Ley General de la Seguridad Social", date(2000, 1, 1), *["BOE-A-1994-14960"] * 2),
        # What a decree was called is of its own day.
        (
            "el Real Decreto 488/1998, de 27 de marzo, por el que se desarrolla el artículo 11 del Estatuto de los "
            "Trabajadores",
            date(2025, 11, 27),
            "BOE-A-1995-7730",
            ET,
        ),
        # No text names a law of the future: this one was amended.
        ("artículo 15 del Estatuto de los Trabajadores y Ley 3/2023, de 28 de febrero", date(1994, 6, 2), ET, ET),
    ],
)
def test_gives_the_named_law_and_its_successor(prose, day, named, today):
    citation = parse_citations(prose, CitationContext("HERE", day=day))[0]
    assert (citation.law_id, citation.current_id) == (named, today)


def test_anaphoras_of_other_things_do_not_resolve():
    assert cited("los derechos del artículo 53 referidos a los interesados") == [("HERE", "art:53")]


def test_a_question_about_the_past_reads_a_law_that_kept_its_numbers_today():
    (citation,) = parse_citations("art. 15 del ET", CitationContext(day=date(2000, 1, 1)))
    assert citation.law_id == ET


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
