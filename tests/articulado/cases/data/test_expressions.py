"""Days that an article names."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import MONDAY

from articulado.guides.data_values import Days, parse_expression


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("today", MONDAY),
        ("today + 30 days", date(2026, 12, 23)),
        ("today-1 week", date(2026, 11, 16)),
        ("today - 9 months", date(2026, 2, 23)),
        ("today - 16 years", date(2010, 11, 23)),
        ("2024-02-29", date(2024, 2, 29)),
        ("2024-02-29 + 1 year", date(2025, 2, 28)),
    ],
)
def test_a_day_is_fixed_or_counted_from_today(written, day):
    assert parse_expression(written).field is None
    assert parse_expression(written).resolve(MONDAY, {}) == Days(day, day)


def test_another_date_field_has_its_own_days_or_none():
    hired = Days(date(2026, 5, 1), date(2026, 5, 31))
    assert parse_expression("hired").field == "hired"
    assert parse_expression("hired").resolve(MONDAY, {"hired": hired}) == hired
    assert parse_expression("hired + 1 day").resolve(MONDAY, {"hired": hired}) == Days(
        date(2026, 5, 2), date(2026, 6, 1)
    )
    assert parse_expression("hired").resolve(MONDAY, {}) is None
    last = Days(date(9999, 12, 31), date(9999, 12, 31))
    assert parse_expression("hired + 1 day").resolve(MONDAY, {"hired": last}) is None


@pytest.mark.parametrize(
    "written",
    [
        "",
        "3",
        "9999-12-31 + 1 day",
        "0001-01-01 - 1 week",
        "today + 3",
        "today + days",
        "2026-02-30",
        "today + 1.5 days",
        "Hired",
        "a b",
    ],
)
def test_what_is_no_day_is_refused(written):
    with pytest.raises(ValueError, match=r"."):
        parse_expression(written)


@given(st.text() | st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [+-] [0-9]{1,4} (day|week|month|year)s", fullmatch=True))
def test_any_text_is_a_day_that_can_be_told_or_is_refused(written):
    try:
        expression = parse_expression(written)
    except ValueError:
        return
    assert expression.resolve(MONDAY, {}) is not None or expression.field
