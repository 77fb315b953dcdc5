"""One datum read by its type: amounts, numbers, dates, yes and no, lists, patterns."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import MONDAY, field, read

from articulado.guides.data_values import Days


def value(spec, text, **more):
    return read([spec], {spec["field"]: text}, **more).readings[spec["field"]].value


def problem(spec, text, **more):
    (rejected,) = read([spec], {spec["field"]: text}, **more).rejected
    assert (rejected["field"], rejected["given"]) == (spec["field"], text)
    return rejected["problem"]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("currency", "$10,000", 10000),
        ("currency", "1.234,56 €", Decimal("1234.56")),
        ("currency", "none", 0),
        ("currency", "Ninguno", 0),
        ("number", "20 días", 20),
        ("number", "5 years", 5),
        ("number", "50%", 50),
        ("boolean", "no, nunca", False),
        ("boolean", "yes - since May", True),
        ("boolean", "Sí (embarazo)", True),
        ("boolean", "false", False),
        ("boolean", "none", False),
    ],
)
def test_amounts_numbers_and_yes_and_no_are_read_as_people_write_them(kind, text, expected):
    assert value(field("x", kind), text) == expected


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("currency", "12%", "is a percentage and no amount"),
        ("currency", "50 percent", "is a percentage and no amount"),
        ("currency", "el 5 por ciento", "is a percentage and no amount"),
        ("currency", "a lot", "cannot be read as an amount"),
        ("currency", "-5", "is less than 0"),
        ("number", "many", "cannot be read as a number"),
        ("number", "-1", "is less than 0"),
        ("boolean", "maybe", "says neither yes nor no"),
        ("boolean", "yes/no", "says neither yes nor no"),
        ("boolean", "yes, no", "says neither yes nor no"),
        ("date", "banana", "cannot be read as a date"),
        ("date", "31/02/2026", "is a date that does not exist"),
        ("date", "31 de febrero de 2026", "is a date that does not exist"),
        ("date", "13/2026", "is a date that does not exist"),
        ("date", "99999999999 days ago", "is a date that does not exist"),
        ("date", "1899-12-31", "is before January 1, 1900"),
        ("date", "2086-11-24", "is after November 23, 2086"),
        ("currency", "n/a", "is a placeholder and no value"),
        ("text", "TBD", "is a placeholder and no value"),
        ("text", "none", "is a placeholder and no value"),
    ],
)
def test_what_is_no_value_is_rejected_with_what_is_wrong(kind, text, said):
    assert problem(field("x", kind), text) == said


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-05-03", date(2026, 5, 3), date(2026, 5, 3)),
        ("3 de mayo de 2026", date(2026, 5, 3), date(2026, 5, 3)),
        ("hoy", MONDAY, MONDAY),
        ("Ayer", date(2026, 11, 22), date(2026, 11, 22)),
        ("anteayer", date(2026, 11, 21), date(2026, 11, 21)),
        ("yesterday", date(2026, 11, 22), date(2026, 11, 22)),
        ("hace 3 días", date(2026, 11, 20), date(2026, 11, 20)),
        ("hace una semana", date(2026, 11, 16), date(2026, 11, 16)),
        ("2 weeks ago", date(2026, 11, 9), date(2026, 11, 9)),
        ("mayo de 2026", date(2026, 5, 1), date(2026, 5, 31)),
        ("February 2024", date(2024, 2, 1), date(2024, 2, 29)),
        ("02/2025", date(2025, 2, 1), date(2025, 2, 28)),
        ("2026-05", date(2026, 5, 1), date(2026, 5, 31)),
    ],
)
def test_a_date_is_a_day_or_a_month_or_so_long_ago(text, first, last):
    assert value(field("x", "date"), text) == Days(first, last)


def test_a_text_must_have_its_pattern_somewhere_without_regard_to_case_and_accents():
    spec = field("form", pattern=r"artículo \d+", accepts="un artículo, como «artículo 50».")
    assert value(spec, "el ARTICULO 50 del ET") is None
    assert problem(spec, "cincuenta") == "does not have the form that is needed"
    assert read([spec], {"form": "cincuenta"}).rejected[0]["accepted"] == "un artículo, como «artículo 50»"


@pytest.mark.parametrize(
    ("spec", "accepted"),
    [
        (field("x", "currency"), "an amount in figures between 0 and 100,000,000"),
        (field("x", "currency", max=7000.5), "an amount in figures between 0 and 7,000.5"),
        (field("x", "number", min=-1.0), "a number in figures between -1 and 1,000,000"),
        (field("x", "boolean"), "yes or no"),
        (field("x", values={"old": ["aged"], "young": []}), "one of these values: old, young"),
        (field("x"), "What it is"),
        (field("x", "date"), "a date, such as November 23, 2026"),
        (field("x", "date", max="today"), "a date up to today, such as November 23, 2026"),
        (field("x", "date", max="today - 16 years"), "a date up to November 23, 2010, such as November 23, 2010"),
        (
            field("x", "date", min="2027-01-31", max="today + 1 years"),
            "a date from January 31, 2027 up to November 23, 2027, such as January 31, 2027",
        ),
    ],
)
def test_what_is_accepted_is_said_by_type_list_and_range(spec, accepted):
    assert read([spec], {"x": "TBD"}).rejected[0]["accepted"] == accepted


def test_in_spanish_it_is_said_in_spanish():
    (rejected,) = read([field("x", "currency", max=7000.5)], {"x": "8.000 €"}, code="es").rejected
    assert (rejected["problem"], rejected["accepted"]) == (
        "es más de 7.000,5",
        "un importe en cifras entre 0 y 7.000,5",
    )
    (rejected,) = read([field("x", "date", max="today")], {"x": "2026-11-24"}, code="es").rejected
    assert rejected["problem"] == "es una fecha futura"
    assert rejected["accepted"] == "una fecha hasta hoy, como 23 de noviembre de 2026"


KINDS = st.sampled_from(["text", "currency", "date", "boolean", "number"])
PIECES = st.lists(
    st.sampled_from(["hace", "31", "/", "-", "2026", " ", "mayo", "ago", "days", "%", "yes", ",", "(", "²"])
)


@given(KINDS, st.text() | PIECES.map("".join), st.booleans())
def test_any_text_is_a_value_or_rejected_or_nothing(kind, text, required):
    data = read([field("x", kind, required=required)], {"x": text})
    assert len(data.readings) + len(data.rejected) + len(data.missing) <= 1
    assert len(data.readings) + len(data.rejected) == 1 or not required


def test_a_percentage_is_no_time():
    assert problem(field("age", "number", unit="years"), "75%") == "is a percentage and no time"
