"""The days of the validity of an agreement, as its text says them."""

from datetime import date

import pytest

from articulado.legal.agreements.names import Validity, read_validity


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (
            "Entrará en vigor el primero de enero de 2024 y finalizará el 31 de diciembre de 2026.",
            date(2024, 1, 1),
            date(2026, 12, 31),
        ),
        # The year of the last day is that of the first.
        ("Regirá desde el 1 de marzo hasta el 30 de septiembre de 2023.", date(2023, 3, 1), date(2023, 9, 30)),
        ("La vigencia será del 01/01/2022 al 31/12/2024.", date(2022, 1, 1), date(2024, 12, 31)),
        (
            "Entrará en vigor el 1 de enero de 2024 y finalizará el 1 de enero de 2024.",
            date(2024, 1, 1),
            date(2024, 1, 1),
        ),
        ("Entrará en vigor el 1 de abril de 2022.", date(2022, 4, 1), None),
        ("Terminará el 31 de diciembre de 2025.", None, date(2025, 12, 31)),
        ("Convenio colectivo para los años 2021-23", date(2021, 1, 1), date(2023, 12, 31)),
        ("Convenio colectivo para los años 2019, 2020 y 2021", date(2019, 1, 1), date(2021, 12, 31)),
        # Four years from a leap day end on the day before the next one.
        (
            "Entrará en vigor el 29 de febrero de 2020 y su duración será de cuatro años.",
            date(2020, 2, 29),
            date(2024, 2, 28),
        ),
    ],
)
def test_the_days_that_a_text_agrees(text: str, first: date | None, last: date | None) -> None:
    assert read_validity(text) == Validity(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "Los trabajadores tienen derecho a vacaciones.",
        # A last day before the first, and days that no calendar has.
        "Entrará en vigor el 2 de enero de 2024. Finalizará el 1 de enero de 2024.",
        "Entrará en vigor el 31/02/2024.",
        "Los efectos económicos serán desde el 1 de enero de 2024.",
    ],
)
def test_texts_without_agreed_days(text: str) -> None:
    assert read_validity(text) == Validity()
