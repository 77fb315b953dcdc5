"""When a text is law: by its days, and never where it says no more than that it is repealed."""

from datetime import date

import pytest
from support.chunks import make_chunk

from articulado.legal.validity import in_force, is_repealed

TODAY = date(2026, 11, 1)
GONE = {"status": "derogada"}
REFORMED = GONE | {"valid_to": "2024-01-01"}


@pytest.mark.parametrize(
    ("fields", "as_of", "law"),
    [
        ({}, None, True),
        ({"valid_from": None, "law_id": "BOE-A-2099-1"}, date(1900, 1, 1), True),
        ({"valid_from": "2020-01-01"}, date(2019, 12, 31), False),
        ({"valid_from": "2020-01-01"}, date(2020, 1, 1), True),
        ({"valid_to": "2020-01-01"}, date(2019, 12, 31), True),
        ({"valid_to": "2020-01-01"}, date(2020, 1, 1), False),
        # What is repealed was law until then; where nobody tells when, it is law no longer today.
        ({**GONE, "valid_to": "2020-01-01"}, date(2019, 12, 31), True),
        ({**GONE, "valid_to": "2027-01-01"}, None, True),
        (GONE, None, False),
        (GONE, TODAY, False),
        (GONE, date(2019, 12, 31), True),
        # What stands in its place is not.
        ({"text": "(Derogado)", "status": "modificada", "valid_to": "2024-01-01"}, date(2021, 1, 1), False),
        ({**GONE, "text": "(Derogado)", "valid_from": "2020-01-01"}, date(2021, 1, 1), False),
        (
            REFORMED | {"text": "(Derogado)."},
            date(2021, 1, 1),
            False,
        ),
        (REFORMED | {"text": "1. (Suprimido)\n\n2. (Derogado)"}, date(2021, 1, 1), False),
        (REFORMED | {"text": "1. Diez días.\n\n2. (Derogado)"}, date(2021, 1, 1), True),
    ],
)
def test_a_text_is_law_between_its_days(fields, as_of, law):
    assert in_force(make_chunk(1, **fields), as_of, TODAY) is law


def test_a_provision_without_paragraphs_is_not_repealed():
    assert is_repealed([]) is False
