"""Numbers in words become figures, in two languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.folding import fold
from articulado.language.numerals import with_figures


@pytest.mark.parametrize(
    ("text", "code", "figures"),
    [
        ("tres", "es", "3"),
        ("dieciséis años", "es", "16 anos"),
        ("treinta y dos meses y veintiún días", "es", "32 meses y 21 dias"),
        ("un año", "es", "un ano"),
        ("5 por ciento", "es", "5 por ciento"),
        ("dos mil", "es", "dos mil"),
        ("3 mil", "es", "3 mil"),
        ("1.095,5 días", "es", "1.095,5 dias"),
        ("two", "en", "2"),
        ("Nineteen years", "en", "19 years"),
        ("ninety", "en", "90"),
        ("twenty-one or forty two", "en", "21 or 42"),
        ("a year", "en", "a year"),
        ("no one", "en", "no one"),
        ("once", "en", "once"),
        ("tense", "en", "tense"),
    ],
)
def test_numbers_in_words_are_written_in_figures(text, code, figures):
    assert with_figures(fold(text), code) == figures


@given(st.text(max_size=40), st.sampled_from(["es", "en"]))
def test_no_text_is_too_much(text, code):
    with_figures(fold(text), code)
