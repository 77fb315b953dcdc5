from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legal.dates import find_date

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("¿Qué indemnización tenía un despido en 2011?", date(2011, 12, 31)),
        ("durante el año 2019", date(2019, 12, 31)),
        ("qué decía el artículo 15 del ET en enero de 2019", date(2019, 1, 31)),
        ("a 1 de marzo de 2021", date(2021, 3, 1)),
        ("el 01/03/2021 me despidieron", date(2021, 3, 1)),
        ("en marzo de 2020", date(2020, 3, 31)),
        ("antes de 2022", date(2021, 12, 31)),
        ("antes de marzo de 2020", date(2020, 2, 29)),
        ("antes del 12 de febrero de 2012", date(2012, 2, 11)),
        ("en febrero de 2026", date(2026, 2, 28)),
        ("Fui contratado el 3 de mayo de 2010 y despedido el 4 de junio de 2014", date(2014, 6, 4)),
    ],
)
def test_the_day_that_a_question_asks_about(question, day):
    assert find_date(question, today=TODAY) == day


@pytest.mark.parametrize(
    "question",
    [
        "Ley 31/1995, de 8 de noviembre",
        "Real Decreto-ley 3/2012, de 10 de febrero, en vigor",
        "STS de 5 de marzo de 2019",
        "nací en 1985",
        "me contrataron en 2015",
        "trabajo desde 2018",
        "la reforma de 2012",
        "en 2026",
        "en 2030",
        "el 22 de noviembre de 2026",
        "el 31 de febrero de 2020",
        "en 2024 euros",
        "en el RD 2064/1995",
        "en 1850",
    ],
)
def test_the_law_of_today(question):
    assert find_date(question, today=TODAY) is None


@given(st.text())
def test_a_found_day_is_past(text):
    found = find_date(text, today=TODAY)
    assert found is None or found < TODAY
