"""The days, amounts and counts that a question names."""

from datetime import date
from decimal import Decimal

import pytest

from articulado.legal.reading import joined_months, mentions

TODAY = date(2026, 11, 29)


def read(text: str) -> list[tuple[str, object, str, str]]:
    return [(one.type, one.value, one.unit, one.per) for one in mentions(text, today=TODAY)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Entré el 7 de enero y me echaron el 6 de febrero de 2026.", [date(2026, 1, 7), date(2026, 2, 6)]),
        ("La sentencia de 30 de septiembre de 2026 llegó el 3/10/26.", [date(2026, 9, 30), date(2026, 10, 3)]),
        ("Festivos: 11 y 24 de septiembre de 2026.", [date(2026, 9, 11), date(2026, 9, 24)]),
        ("En 2023 me pasó esto: el 6 de marzo me despidieron.", [date(2023, 3, 6)]),
        ("Me echaron ayer.", [date(2026, 11, 28)]),
        ("El 31 de junio de 2026 no existe.", []),
    ],
)
def test_days_without_a_year_are_of_the_nearest_year(text: str, days: list[date]) -> None:
    assert [one.value for one in mentions(text, today=TODAY) if one.type == "date"] == days


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Cobro 1.634,50 € al mes.", ("amount", Decimal("1634.50"), "euro", "month")),
        ("Gano 18 mil euros al año.", ("amount", Decimal(18000), "euro", "year")),
        ("Llevo seis años.", ("count", Decimal(6), "year", "")),
        ("Con las pagas prorrateadas.", ("number", Decimal(12), "#pag", "")),
        ("Trabajo a media jornada.", ("share", Decimal("0.5"), "", "")),
        ("Hemos tenido mellizos.", ("number", Decimal(2), "#hij", "")),
    ],
)
def test_a_value_has_its_unit_and_the_time_that_it_is_of(text: str, mention: tuple[str, Decimal, str, str]) -> None:
    assert read(text) == [mention]


def test_hours_of_others_are_a_count_and_a_share() -> None:
    assert read("Trabajo 10 horas de 40.") == [
        ("count", Decimal(10), "hour", ""),
        ("share", Decimal("0.25"), "hour", ""),
    ]


def test_a_year_before_a_quantity_is_none_of_its_units() -> None:
    found = mentions("Llevo desde 2016, treinta horas a la semana.", today=TODAY)
    assert [(one.type, one.value, one.unit) for one in found] == [("number", 2016, ""), ("count", 30, "hour")]


def test_mentions_are_where_they_stand_and_do_not_overlap() -> None:
    text = "Entré el 1 de marzo de 2019 y gano 36.500 euros al año."
    found = mentions(text, today=TODAY)
    assert [text[one.start : one.end] for one in found] == ["1 de marzo de 2019", "36.500 euros"]


def test_years_and_months_that_follow_one_another_are_one_length():
    found = mentions("2 años y 3 meses seguidos, y 6 meses en 2020", today=date(2026, 11, 29))
    assert [(one.value, one.unit) for one in found[:3]] == [(2, "year"), (3, "month"), (6, "month")]
    [(place, joined)] = joined_months(found).items()
    assert (place, joined.value, joined.unit, joined.start, joined.end) == (1, 27, "month", 0, 16)


def test_a_number_before_a_stop_word_counts_no_things():
    [age, _] = mentions("Hago 63 este mes y tengo 37 años", today=date(2026, 11, 29))
    assert (age.type, age.value, age.unit) == ("number", 63, "")
    [children] = mentions("tengo 5 hijos", today=date(2026, 11, 29))
    assert children.unit == "#hij"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Acabé el 30 de junio, había empezado el 2 de enero de 2018", [date(2026, 6, 30), date(2018, 1, 2)]),
        ("Entré el 1 de marzo de 2020 y me echaron el 15 de mayo", [date(2020, 3, 1), date(2026, 5, 15)]),
        ("Salí el 20 de abril y firmé el 1 de septiembre de 2021", [date(2026, 4, 20), date(2021, 9, 1)]),
        ("Estaba desde el 2 de enero de 2018 y me echaron el 30 de junio", [date(2018, 1, 2), date(2026, 6, 30)]),
        ("Desde el 1 de marzo de 2020 hasta el 15 de mayo", [date(2020, 3, 1), date(2020, 5, 15)]),
        ("Firmé el 1 de marzo y empecé el 3 de marzo de 2020", [date(2020, 3, 1), date(2020, 3, 3)]),
        ("Me despidieron el 3 de marzo de 2022 y reclamé el 20 de marzo", [date(2022, 3, 3), date(2022, 3, 20)]),
    ],
)
def test_the_year_of_a_hiring_is_not_that_of_another_event(text: str, days: list[date]) -> None:
    found = mentions(text, today=date(2026, 11, 29))
    assert [one.value for one in found if one.type == "date"] == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("del 15 de noviembre al 14 de enero de 2026", [date(2025, 11, 15), date(2026, 1, 14)]),
        ("15 de noviembre de 2025 al 14 de enero", [date(2025, 11, 15), date(2026, 1, 14)]),
        ("del 2 de enero al 30 de junio de 2018", [date(2018, 1, 2), date(2018, 6, 30)]),
    ],
)
def test_a_span_over_the_end_of_a_year_has_two_years(text: str, days: list[date]) -> None:
    assert [one.value for one in mentions(text, today=date(2026, 11, 29))] == days
