"""Days that an article names."""

from datetime import date

import pytest

from articulado.guides.schema import parse_expression

MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("today + 30 days", date(2026, 12, 23)),
        ("today - 16 years", date(2010, 11, 23)),
        ("2024-02-29 + 1 year", date(2025, 2, 28)),
        ("hired + 1 day", date(2026, 5, 2)),
        ("fired", None),
    ],
)
def test_a_date_expression_is_counted_from_today_a_day_or_a_field(written, day):
    assert parse_expression(written).resolve(MONDAY, {"hired": date(2026, 5, 1)}) == day


@pytest.mark.parametrize(
    "written", ["", "3", "9999-12-31 + 1 day", "today + 3", "2026-02-30", "Hired", "today + 1.5 days"]
)
def test_another_text_is_no_date_expression(written):
    with pytest.raises(ValueError, match=r"."):
        parse_expression(written)
