"""Text is folded for comparison: in place, by its accents alone, or down to letters and digits."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.folding import fold, letters_and_digits, without_accents


@given(st.text())
def test_folding_keeps_every_offset(text):
    assert len(fold(text)) == len(text)


def test_folding_makes_case_accents_blanks_and_quotation_marks_one():
    assert fold("Pingüino\u00a0Nº\t“AÑO”—İ") == 'pinguino nº "ano"-İ'


def test_accents_go_and_the_case_stays():
    assert without_accents("ÁÑü") == without_accents(unicodedata.normalize("NFD", "ÁÑü")) == "ANu"


@given(st.text())
def test_nothing_is_left_of_accents_however_they_are_composed(text):
    plain = without_accents(text)
    assert not any(map(unicodedata.combining, plain))
    assert plain == without_accents(unicodedata.normalize("NFD", text)) == without_accents(plain)


@pytest.mark.parametrize("spelling", ["Fecha de alta", "fecha_de_alta", "FECHA-DE-ALTÁ", " fecha.de alta:"])
def test_spellings_of_a_name_share_letters_and_digits(spelling):
    assert letters_and_digits(spelling) == "fechadealta"
