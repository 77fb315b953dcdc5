"""Shortening: what stays, where it is cut, and what is never parted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.answering.shortening import LEFT_OUT, shorten

PLAZO = "El plazo será de un mes, salvo que las partes pacten otro; corre desde el día siguiente al de la firma."


def pieces(text):
    return [piece.strip() for piece in text.split(LEFT_OUT) if piece.strip()]


def test_what_fits_stays_as_it_is():
    assert shorten(PLAZO, 21) == PLAZO


def test_without_a_wish_the_beginning_stays_up_to_the_end_of_a_clause():
    assert shorten(PLAZO, 12) == "El plazo será de un mes, salvo que las partes pacten otro […]"
    assert shorten(PLAZO, 8) == "El plazo será de un mes […]"
    assert shorten(PLAZO, 8, keep=r"(?<=;) ") == "El plazo será de un mes […]"
    assert shorten(PLAZO, 12, keep="no está") == shorten(PLAZO, 12)


def test_the_clause_with_what_is_asked_for_stays():
    assert shorten(PLAZO, 10, keep="firma") == "[…] corre desde el día siguiente al de la firma."
    assert shorten(PLAZO, 7, keep=re.compile("pacten")) == "[…] salvo que las partes pacten otro […]"


def test_clauses_far_apart_stay_with_a_mark_between():
    text = "Uno cobra diez euros, lo que dice la tabla, lo que dice el anexo, y otro cobra veinte euros."
    assert shorten(text, 10, keep="euros") == "Uno cobra diez euros […] y otro cobra veinte euros."


def test_of_a_long_clause_the_words_around_stay():
    text = "palabra " * 30 + "cuarenta euros " + "palabra " * 30
    short = shorten(text.strip(), 10, keep="euros")
    assert short == f"[…] {'palabra ' * 8}cuarenta euros […]"


def test_the_mark_of_a_list_stays_with_its_text():
    assert shorten("4. Cuando haya huelga, no se paga; si la hay de celo, se paga.", 5) == "4. Cuando haya huelga […]"


@pytest.mark.parametrize(
    "whole",
    [
        "artículo 38, apartado 2, letras a), b) y c)",
        "artículos 44, 45 y 46",
        "Ley 39/2015, de 1 de octubre, del Procedimiento Administrativo Común",
        "artículo 98 del Código Civil",
        "(por norma, convenio o pacto, y salvo prueba en contrario)",
        "«lo que se paga, y cuándo»",
        "treinta y cinco días",
        "1.250,50 euros",
        "4,70 por ciento",
        "ciento veinte mil euros",
    ],
)
@pytest.mark.parametrize("keep", [None, "escrito", "trabajadores"])
def test_numbers_citations_and_brackets_are_never_parted(whole, keep):
    text = f"Se aplicará a todos los trabajadores {whole} cuando así se pida por escrito."
    start = text.index(whole)
    for limit in range(1, 22):
        ends = [
            text.index(piece) + offset for piece in pieces(shorten(text, limit, keep)) for offset in (0, len(piece))
        ]
        assert not any(start < end < start + len(whole) for end in ends)


CLAUSE = st.lists(
    st.sampled_from(["el", "plazo", "de", "pago", "(neto)", "12", "si", "art.", "3", "y", "o,"]), min_size=1, max_size=9
)
TEXT = st.lists(CLAUSE.map(" ".join), min_size=1, max_size=7).map("; ".join)


@given(TEXT, st.integers(1, 30), st.sampled_from([None, "pago", r"\S+$", r"\d+"]))
def test_what_stays_is_verbatim_in_order_and_each_gap_is_marked(text, limit, keep):
    short, position = shorten(text, limit, keep), 0
    for piece in pieces(short):
        position = text.index(piece, position) + len(piece)
    assert short.count(LEFT_OUT) in (len(pieces(short)) - 1, len(pieces(short)), len(pieces(short)) + 1)
    assert short.startswith(LEFT_OUT) or text.startswith(pieces(short)[0])
    assert short.endswith(LEFT_OUT) or text.endswith(pieces(short)[-1])
    assert f"{LEFT_OUT} {LEFT_OUT}" not in short


@given(TEXT, st.integers(1, 30), st.sampled_from(["pago", "neto"]))
def test_what_is_asked_for_stays_where_it_stands(text, limit, keep):
    assert (keep in text) == (keep in shorten(text, limit, keep))
