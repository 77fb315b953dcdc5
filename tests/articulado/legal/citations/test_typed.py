"""Citations as people type and dictate them: parted, with points and figures, and in Spanish, at their own spans."""

from datetime import date

import pytest

from articulado.legal.citations.parser import parse_citations
from articulado.legal.citations.typed import as_printed
from articulado.retrieval.references import read_reference

ET, LGSS, LISOS = "BOE-A-2015-11430", "BOE-A-2015-11724", "BOE-A-2000-15060"
LPRL, LRJS, CE = "BOE-A-1995-24292", "BOE-A-2011-15936", "BOE-A-1978-31229"
TODAY = date(2026, 7, 1)


def read_parts(text):
    """Return law, key, apartado and letter of all that a text names."""
    asked = read_reference(text, ET, TODAY).provisions
    return [(one.law_id, one.provision_key, *place) for one in asked for place in one.subdivisions or [("", "")]]


GLUED = [
    ("art.48.4ET", [(ET, "art:48", "4", "")]),
    ("arts.205y207LGSS", [(LGSS, "art:205", "", ""), (LGSS, "art:207", "", "")]),
    ("art.8.13bisLISOS", [(LISOS, "art:8", "13 bis", "")]),
    ("LGSS205.1", [(LGSS, "art:205", "1", "")]),
    ("arts.14.1,16.2y19LPRL", [(LPRL, "art:14", "1", ""), (LPRL, "art:16", "2", ""), (LPRL, "art:19", "", "")]),
    ("DT11ET", [(ET, "dt:11", "", "")]),
    ("art.54.2.d)ET", [(ET, "art:54", "2", "d")]),
]
SEPARATORS = [
    ("art. 52/1 ET", [(ET, "art:52", "1", "")]),
    ("art. 49-1-c) ET", [(ET, "art:49", "1", "c")]),
    ("art. 40,1 ET", [(ET, "art:40", "1", "")]),
    ("artículo 54,2,d) del ET", [(ET, "art:54", "2", "d")]),
    ("art. 205/1 LGSS", [(LGSS, "art:205", "1", "")]),
    ("arts. 14,15 LPRL", [(LPRL, "art:14", "", ""), (LPRL, "art:15", "", "")]),
    ("arts. 51-52 ET", [(ET, "art:51", "", ""), (ET, "art:52", "", "")]),
]
SPOKEN = [
    ("artículo treinta y cuatro ocho del estatuto", [(ET, "art:34", "8", "")]),
    ("doscientos cinco uno be de la LGSS", [(LGSS, "art:205", "1", "b")]),
    ("cincuenta y cuatro punto dos", [(ET, "art:54", "2", "")]),
    ("artículo cuarenta y nueve uno eme del e te", [(ET, "art:49", "1", "m")]),
    ("artículo cincuenta y dos ce del estatuto de los trabajadores", [(ET, "art:52", "", "c")]),
    ("artículo cincuenta y dos de del estatuto", [(ET, "art:52", "", "d")]),
    ("artículo cincuenta y dos de la LGSS", [(LGSS, "art:52", "", "")]),
    ("artículo ciento noventa y tres be de la LRJS", [(LRJS, "art:193", "", "b")]),
    ("artículo siete letra ge, LISOS", [(LISOS, "art:7", "", "g")]),
    ("artículo ciento tres uno de la ele erre jota ese", [(LRJS, "art:103", "1", "")]),
    ("artículo catorce punto cuatro de la ele pe erre ele", [(LPRL, "art:14", "4", "")]),
    ("artículo ochenta y cuatro bis dos de la LGSS", [(LGSS, "art:84 bis", "2", "")]),
]
LANGUAGES = [
    ("article 34.8 de l'Estatut dels Treballadors", [(ET, "art:34", "8", "")]),
    ("apartat 4 de l'article 48 de l'ET", [(ET, "art:48", "4", "")]),
    ("disposició addicional cinquena de la Llei general de la Seguretat Social", [(LGSS, "da:5", "", "")]),
    ("articles 14 i 28 de la Constitució", [(CE, "art:14", "", ""), (CE, "art:28", "", "")]),
    ("lletra d) de l'article 54.2 ET", [(ET, "art:54", "2", "d")]),
    ("artigo 205 da Lei Xeral da Seguridade Social", [(LGSS, "art:205", "", "")]),
    ("artigos 14 e 16 da Lei de prevención de riscos laborais", [(LPRL, "art:14", "", ""), (LPRL, "art:16", "", "")]),
    ("artigo 37, apartado 3, do Estatuto dos Traballadores", [(ET, "art:37", "3", "")]),
    ("the tenth additional provision of Act 20/2007", [("BOE-A-2007-13409", "da:10", "", "")]),
    ("article 47 of the consolidated text of the Workers' Statute Act", [(ET, "art:47", "", "")]),
    ("section 15 of Law 31/1995", [(LPRL, "art:15", "", "")]),
    ("section 34 of Royal Legislative Decree 2/2015", [(ET, "art:34", "", "")]),
    ("fourth transitional provision of Law 31/1995", [(LPRL, "dt:4", "", "")]),
]
UNNAMED = [
    ("¿puedo acogerme al 37.6?", [(ET, "art:37", "6", "")]),
    ("me despiden por el 52.1 y no lo entiendo", [(ET, "art:52", "1", "")]),
    ("según el 34.8, puedo pedir la adaptación", [(ET, "art:34", "8", "")]),
    ("me aplican el 41, ¿qué hago?", [(ET, "art:41", "", "")]),
    ("el 48 bis da ocho semanas", [(ET, "art:48 bis", "", "")]),
    ("¿cuánto es la indemnización del 49.1.g?", [(ET, "art:49", "1", "g")]),
    ("47 bis y red de empleo", [(ET, "art:47 bis", "", "")]),
    ("no es el 52 ET, sino el 51.1", [(ET, "art:52", "", ""), (ET, "art:51", "1", "")]),
]
LISTS = [
    ("despido: 55.4 ET y 108.2 LRJS", [(ET, "art:55", "4", ""), (LRJS, "art:108", "2", "")]),
    ("según 41.3 ET y 138 LRJS", [(ET, "art:41", "3", ""), (LRJS, "art:138", "", "")]),
    ("(14 CE, 17.1 ET)", [(CE, "art:14", "", ""), (ET, "art:17", "1", "")]),
    ("vid. 164.1 LGSS; 42.3 LISOS", [(LGSS, "art:164", "1", ""), (LISOS, "art:42", "3", "")]),
    ("art. 41.3 y .4 ET", [(ET, "art:41", "3", ""), (ET, "art:41", "4", "")]),
    ("RD 1382/1985, art. 11. Dos, letra a)", [("BOE-A-1985-17006", "art:11", "2", "a")]),
    ("art. 10. Dos del RD 1382/1985", [("BOE-A-1985-17006", "art:10", "2", "")]),
    ("aa. 14-16 LPRL", [(LPRL, "art:14", "", ""), (LPRL, "art:15", "", ""), (LPRL, "art:16", "", "")]),
    ("a. 97.2 LRJS", [(LRJS, "art:97", "2", "")]),
]
LAWS = [
    ("R. Decreto Legislativo 2/2015 de 23/10, art. 34", [(ET, "art:34", "", "")]),
    ("RD Legislativo 8/2015, art. 205", [(LGSS, "art:205", "", "")]),
    ("RDLvo 5/2000, art. 8.11", [(LISOS, "art:8", "11", "")]),
    ("RD-Legislativo 2/2015 (23.10), art. 37.3", [(ET, "art:37", "3", "")]),
    ("Ley 31/1995, 14.2", [(LPRL, "art:14", "2", "")]),
    ("art. 115 LGSS/94", [("BOE-A-1994-14960", "art:115", "", "")]),
    ("art. 56 ET/1995", [("BOE-A-1995-7730", "art:56", "", "")]),
    ("art. 191 de la ley rituaria laboral", [(LRJS, "art:191", "", "")]),
    ("art. 15.1 de prevención de riesgos laborales", [(LPRL, "art:15", "1", "")]),
    ("art. 205.1 b) de la Seguridad Social", [(LGSS, "art:205", "1", "b")]),
    ("97.2 de la jurisdicción social", [(LRJS, "art:97", "2", "")]),
    ("art. 8.2 de infracciones y sanciones", [(LISOS, "art:8", "2", "")]),
    ("la quinta disposición adicional del ET", [(ET, "da:5", "", "")]),
    ("3.ª disposición transitoria LPRL", [(LPRL, "dt:3", "", "")]),
]
FOREIGN = [
    "artículo 4 del Estatuto de los Trabajadores italiano",
    "art. 37 de la Constitución portuguesa",
    "art. 7 de la Constitución de Italia",
    "art. 11.3 del Reglamento (UE) n.º 492/2011",
    "Reglamento (CE) nº 883/2004, artículo 13",
    "article 45 de l'Estatut d'Autonomia de Catalunya",
]


@pytest.mark.parametrize(
    ("text", "parts"), [*GLUED, *SEPARATORS, *SPOKEN, *LANGUAGES, *UNNAMED, *LISTS, *LAWS], ids=lambda value: str(value)
)
def test_a_typed_citation_is_read_as_the_printed_one(text, parts):
    assert read_parts(text) == parts


@pytest.mark.parametrize("text", FOREIGN)
def test_a_law_of_another_state_or_the_union_is_none_of_ours(text):
    [asked] = read_reference(text, ET, TODAY).provisions
    assert (asked.law_id, bool(asked.law_words)) == ("", True)


@pytest.mark.parametrize(
    "text",
    [
        "el salario sube el 37.5 según el IPC",
        "trabajo el 37.5 a la semana",
        "cobro el 75.5 de la base reguladora",
        "entro a las ocho treinta de la mañana y salgo a las dos",
        "me retienen el 15.5 por ciento",
        "me aplican el 41 % de irpf",
        "tengo cuarenta y dos años y dos hijos",
        "el 25.12 no trabajo",
        "mide 34/8 metros",
        "LGSS, 1,55 % más",
        "adjudicación por el 50",
        "2 bis. Si la sanción es grave",
        "0.5 GB; 0.1 GB",
        "Do you know the law of the land? I work 37.5 hours",
    ],
)
def test_numbers_that_name_no_provision_name_none(text):
    assert parse_citations(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("infringe los arts.14.2,15.4y17LPRL", ["arts.14.2", "15.4", "17"]),
        ("según el 34.8, puedo", ["34.8"]),
        ("artículo treinta y siete tres ge", ["artículo treinta y siete tres ge"]),
        ("l'article 41.4 de l'ET", ["article 41.4"]),
        ("art. 46/3 del E.T.", ["art. 46/3"]),
    ],
)
def test_a_citation_stands_where_it_was_typed(text, words):
    assert [text[one.start : one.end] for one in parse_citations(text)] == words


def test_printed_text_stays_as_it_is():
    text = "El artículo 37.3 b bis) del ET y la disposición adicional 15.ª de la LGSS, de 30 de octubre de 2015"
    assert as_printed(text).text == text
