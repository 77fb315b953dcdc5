import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations

ET, LGSS, LISOS, LPRL = "BOE-A-2015-11430", "BOE-A-2015-11724", "BOE-A-2000-15060", "BOE-A-1995-24292"


def cited(text):
    return [(citation.law_id, citation.provision_key) for citation in parse_citations(text)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("qué dice el art. 48 bis del ET", [(ET, "art:48 bis")]),
        ("LGSS 205", [(LGSS, "art:205")]),
        ("ET 38", [(ET, "art:38")]),
        ("el 38 del ET", [(ET, "art:38")]),
        ("DT 7ª LGSS", [(LGSS, "dt:7")]),
        ("RDL 5/2000 art. 7.5", [(LISOS, "art:7")]),
        ("disposición adicional vigésima tercera del RDLeg 2/2015", [(ET, "da:23")]),
        ("artículo once del decreto de alta dirección", [("BOE-A-1985-17006", "art:11")]),
        ("Reglamento General de Cotización, artículo 23", [("BOE-A-1996-1579", "art:23")]),
        ("el artículo 55.4 ET", [(ET, "art:55")]),
        ("arts. 51 y 52 ET", [(ET, "art:51"), (ET, "art:52")]),
        ("ARTICULO 38 DEL ESTATUTO DE LOS TRABAJADORES", [(ET, "art:38")]),
        ("art 38 et", [(ET, "art:38")]),
        ("art 9 ley 31/1995", [(LPRL, "art:9")]),
        ("ley de prevención artículos 14 a 16", [(LPRL, "art:14"), (LPRL, "art:15"), (LPRL, "art:16")]),
        ("art. 14.2 LPRL y 42 LISOS", [(LPRL, "art:14"), (LISOS, "art:42")]),
        ("En la LGSS, ¿qué dice el artículo 205?", [(LGSS, "art:205")]),
        ("el art. 34.8 y el 37.6 del Estatuto", [(ET, "art:34"), (ET, "art:37")]),
        ("D.A. 3.ª LETA", [("BOE-A-2007-13409", "da:3")]),
        ("artículos 44 a 47", [(None, f"art:{number}") for number in range(44, 48)]),
        ("disposición transitoria undécima", [(None, "dt:11")]),
    ],
)
def test_citations_of_questions(question, expected):
    assert cited(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "en 2024 me dieron 30 días",
        "ET 2015",
        "me corresponden según el et 15 dias",
        "la empresa me da 7 días y el comité 2 meses",
        "la empresa me da 7 y no 8",
        "Ley 31/1995, de 8 de noviembre",
        "el artículo de la ley que regula los 15 días",
        "artículo 30 días de vacaciones",
    ],
)
def test_dates_amounts_and_years_are_no_articles(question):
    assert cited(question) == []


def test_distinguishes_an_unknown_law_from_no_law():
    (unknown,) = parse_citations("artículo 5 de la Ley 40/2007")
    (none,) = parse_citations("el artículo 5")
    assert (unknown.law_id, unknown.law_named) == (None, True)
    assert (none.law_id, none.law_named) == (None, False)


def test_two_laws_in_a_question_are_not_mixed():
    assert cited("¿Se aplica el artículo 42 del ET o la LGSS en el artículo 168?") == [
        (ET, "art:42"),
        (LGSS, "art:168"),
    ]


@pytest.mark.parametrize(
    ("text", "apartado", "letter"),
    [
        ("artículo 49.1.c) ET", "1", "c"),
        ("art. 52 c) ET", None, "c"),
        ("letra n) del artículo 49.1 del ET", "1", "n"),
        ("el apartado 3 del artículo 37 del ET", "3", None),
        ("artículo 37, apartado 3, letra b), del ET", "3", "b"),
        ("artículo 83.2 y 3 ET", "2", None),
        ("apartados 1 y 2 del artículo 37 del ET", "1", None),
        ("párrafo d) del apartado 2 del artículo 37 del ET", "2", "d"),
        ("párrafos a) y f), apartado 1, del artículo 37 del ET", "1", "a"),
        ("letras c) y d), respectivamente, del referido número 1 del artículo 37 del ET", "1", "c"),
        ("apartado tercero del artículo 37 del ET", "3", None),
        ("artículo 37, apartados 4.bis y 5 del ET", "4 bis", None),
        ("artículo treinta y siete.dos del ET", "2", None),
        ("artículo 48 bis 1 del ET", "1", None),
        ("artículo 37. 2 del ET", "2", None),
        ("un apartado 5 en el artículo 16 del ET", "5", None),
    ],
)
def test_apartado_and_letter(text, apartado, letter):
    (citation,) = parse_citations(text)
    assert (citation.law_id, citation.apartado, citation.letter) == (ET, apartado, letter)


def test_spans_point_at_the_words():
    text = "según los arts. 51 y 52 ET"
    assert [text[citation.start : citation.end] for citation in parse_citations(text)] == ["arts. 51", "52"]


PIECES = st.sampled_from(
    ["artículo ", "arts. ", "disposición adicional ", "DT ", "48", " bis", ".1", ".c)", " a ", " y ", ", ", "ET",
     " del ", "Ley 31/1995", "LGSS", " de esta ley", "vigésima", "7ª", " letra n)", "«", "\n", " anterior",
     " en su ", "(", "CE",
     " de dicha Ley", " del citado texto refundido", " del mismo", "\n\na) De la ", ":", "la disposición transitoria",
     " citado", "1.", "sus "]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join)), st.booleans())
def test_never_raises_and_spans_are_ordered_and_inside(text, prose):
    context = CitationContext("BOE-A-2015-11724", "art:1", "art:3") if prose else None
    previous = 0
    for citation in parse_citations(text, context):
        assert previous <= citation.start < citation.end <= len(text)
        previous = citation.start


@given(st.lists(PIECES, max_size=10).map("".join), st.lists(PIECES, max_size=6).map("".join))
def test_a_later_paragraph_does_not_change_what_an_earlier_one_cites(first, second):
    context = CitationContext("BOE-A-2015-11724", "art:1", "art:3")
    alone = parse_citations(first + ".", context)
    together = parse_citations(f"{first}.\n\n{second}", context)
    assert [citation for citation in together if citation.start <= len(first)] == alone


def test_a_law_of_the_next_paragraph_is_not_that_of_a_disposition_before_it():
    context = CitationContext("BOE-A-2015-11724")
    [cited] = parse_citations("la disposición transitoria.\n\n del ET", context)
    assert cited.law_id == "BOE-A-2015-11724"


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("¿Qué dice el apartado segundo de la Resolución de 3 de mayo de 2031?", ["apartado:2"]),
        ("la base décima segunda de la Orden FAR/7/2031", ["base:12"]),
        ("norma 3.ª de la Circular 4/2031", ["norma:3"]),
        ("regla 2.1 de la Instrucción 4/2031", ["regla:2.1"]),
        # A place in an article, and a law of the registry, whose articles have apartados.
        ("artículo 5, apartado 2, de la Orden FAR/7/2031", ["art:5"]),
        ("apartado 2 del artículo 5 de la Orden FAR/7/2031", ["art:5"]),
        ("el apartado 2 del Estatuto de los Trabajadores", []),
        ("¿a qué apartado segundo se refiere?", []),
    ],
)
def test_a_question_cites_units_of_norms_without_articles(question, keys):
    assert [citation.provision_key for citation in parse_citations(question)] == keys
