"""Replacing characters byte by byte gives what replacing them one by one gives."""

import sys
import unicodedata

import pytest

from articulado.language.characters import CharacterTable
from articulado.language.folding import fold
from articulado.language.spanish import content_words

EVERY_CHARACTER = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)


@pytest.mark.parametrize("text", ["", "PLAZO", "Año Í", "“Sí” — 3 €", "İzmir Ωμέγα", "\x81\x9f"])
def test_a_text_of_any_characters_is_replaced_alike(text):
    assert CharacterTable(str.lower)(text) == text.lower()


def test_every_character_is_folded_as_it_is_beside_one_that_no_encoding_holds():
    by_bytes = [fold(character) for character in EVERY_CHARACTER]
    one_by_one = fold("Ω" + EVERY_CHARACTER)[1:]
    assert "".join(by_bytes) == one_by_one


def test_words_of_decomposed_letters_are_those_of_composed_ones():
    written = "El Índice de prestación, 2.º año_1: ½ «día»"
    assert content_words(unicodedata.normalize("NFD", written)) == content_words(written)
    assert content_words(written) == ["índice", "prestación", "2", "º", "año_1", "½", "día"]
