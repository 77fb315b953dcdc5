"""Quantities of a text in one canonical form."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.quantities import bare_numbers, kinds_of_days, quantities


def read(text: str) -> list[tuple[float, str, str]]:
    return [(float(quantity.value), quantity.unit, quantity.kind) for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("treinta y tres días hábiles", [(33, "day", "working")]),
        ("30 días naturales", [(30, "day", "natural")]),
        ("treinta (30) días", [(30, "day", "")]),
        ("de seis a doce meses", [(6, "month", ""), (12, "month", "")]),
        ("10, 15 o 20 días", [(10, "day", ""), (15, "day", ""), (20, "day", "")]),
        ("multa de 7.501 a 30.000 euros", [(7501, "euro", ""), (30000, "euro", "")]),
        ("1.134,05 €", [(1134.05, "euro", "")]),
        ("mes y medio", [(1.5, "month", "")]),
        ("un año y medio", [(18, "month", "")]),
        ("medio año", [(6, "month", "")]),
        ("cinco años", [(60, "month", "")]),
        ("el 50 por 100, la mitad y cincuenta por ciento", [(50, "percent", "")] * 3),
        ("dos tercios, 2/3", [(66.67, "percent", "")] * 2),
        ("de un 20 a un 50 por ciento", [(20, "percent", ""), (50, "percent", "")]),
        ("el decimosexto día y el 4.º día", [(16, "day", ""), (4, "day", "")]),
        ("mayores de 52", [(624, "month", "")]),
        ("el 1 de enero de 2013 y el 01/01/2013", [(20130101, "date", "")] * 2),
        ("el doble", [(2, "times", "")]),
        ("veinticinco trabajadores", [(25, "person", "")]),
    ],
)
def test_a_quantity_is_the_same_however_it_is_written(text, values):
    assert read(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Según el artículo 38.1 y los artículos 51 y 52 c)",
        "la Ley 39/2015, de 1 de octubre, y el Real Decreto Legislativo 5/2000, de 4 de agosto",
        "la sentencia de 12 de mayo de 2020 (rec. 123/2018)",
        "1. Primero\n2. Segundo\n12 bis. Tercero",
        "[C12] y [C1, C3]",
        "hay dos casos",
        "un día cualquiera",
    ],
)
def test_numbers_of_provisions_norms_and_lists_are_no_quantities(text):
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("80 horas al mes", "month"),
        ("33 días de salario por año de servicio", "year"),
        ("cuarenta horas semanales", "week"),
        ("30 días naturales", ""),
    ],
)
def test_reads_the_reference_time_of_a_quantity(text, per):
    assert quantities(text)[0].per == per


def test_numbers_without_a_unit_know_their_row_and_their_time():
    numbers = {int(number.value): number for number in bare_numbers("De 31 a 49 | 3\nochenta al año\n4. Cuarto")}
    assert set(numbers) == {31, 49, 3, 80}
    assert (numbers[49].row, numbers[80].row, numbers[80].per) == (0, None, "year")


def test_reads_the_kind_of_days_without_a_number():
    assert kinds_of_days("Los días serán hábiles a todos los efectos.") == {"working"}


@given(st.integers(min_value=1, max_value=999_999))
def test_any_amount_in_spanish_format_is_read(number):
    assert read(f"Son {number:,} euros.".replace(",", ".")) == [(number, "euro", "")]


@given(st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999.99"), places=2))
def test_any_amount_with_cents_is_read(amount):
    written = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
    assert [quantity.value for quantity in quantities(f"cobra {written} €")] == [amount]


@given(st.text(max_size=300))
def test_spans_of_any_text_are_valid(text):
    for quantity in quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)
    bare_numbers(text)
