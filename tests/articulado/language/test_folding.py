"""Text is folded for comparison; its characters are replaced and memoised."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language import folding
from articulado.language.folding import CharacterTable, MemoTable, fold, letters_and_digits, without_accents
from articulado.language.spanish import content_words, stem_word, stems


@given(st.text())
def test_folding_keeps_every_offset(text):
    assert len(fold(text)) == len(text)


def test_folding_makes_case_accents_blanks_and_quotation_marks_one():
    assert fold("Pingüino\u00a0Nº\t“AÑO”—İ") == 'pinguino nº "ano"-İ'


def test_accents_go_and_the_case_stays():
    assert without_accents("ÁÑü") == without_accents(unicodedata.normalize("NFD", "ÁÑü")) == "ANu"


@given(st.text())
def test_removes_composed_and_decomposed_accents(text):
    plain = without_accents(text)
    assert not any(map(unicodedata.combining, plain))
    assert plain == without_accents(unicodedata.normalize("NFD", text)) == without_accents(plain)


@pytest.mark.parametrize("spelling", ["Fecha de alta", "fecha_de_alta", "FECHA-DE-ALTÁ", " fecha.de alta:"])
def test_spellings_of_a_name_share_letters_and_digits(spelling):
    assert letters_and_digits(spelling) == "fechadealta"


CHARACTERS = "".join(map(chr, range(0x2200)))
"""All characters of the one-byte encodings, of which the last is U+2122, and thousands of others."""


@pytest.mark.parametrize("text", ["", "PLAZO", "Año Í", "“Sí” — 3 €", "İzmir Ωμέγα", "\x81\x9f"])
def test_a_text_of_any_characters_is_replaced_alike(text):
    assert CharacterTable(str.lower)(text) == text.lower()


def test_characters_are_folded_alike_with_and_without_an_encoding():
    by_bytes = [fold(character) for character in CHARACTERS]
    one_by_one = fold("Ω" + CHARACTERS)[1:]
    assert "".join(by_bytes) == one_by_one


def test_words_of_decomposed_letters_are_those_of_composed_ones():
    written = "El Índice de prestación, 2.º año_1: ½ «día»"
    assert content_words(unicodedata.normalize("NFD", written)) == content_words(written)
    assert content_words(written) == ["índice", "prestación", "2", "º", "año_1", "½", "día"]


def test_a_word_is_worked_out_once():
    asked = []
    table = MemoTable(lambda word: asked.append(word) or word[:4])
    assert [table[word] for word in ("plazo", "de", "plazo")] == ["plaz", "de", "plaz"]
    assert asked == ["plazo", "de"]


def test_a_full_table_begins_anew(monkeypatch):
    monkeypatch.setattr(folding, "MAX_WORDS", 2)
    table = MemoTable(str.upper)
    assert [table[word] for word in ("a", "b", "c", "a")] == ["A", "B", "C", "A"]
    assert len(table) == 2


@pytest.mark.parametrize("text", ["Los 30 días de la Ley 3/2012, ª y _", "Indemnización POR despido", ""])
def test_the_stems_of_a_text_are_those_of_its_content_words(text):
    assert stems(text) == [stem for word in content_words(text) if (stem := stem_word(word))]
