"""A table that fills itself: each word is worked out once, and there is an end to how many are kept."""

import pytest

from articulado.language import characters as filled_table
from articulado.language.characters import MemoTable
from articulado.language.spanish import content_words, stem_word, stems


def test_a_word_is_worked_out_once():
    asked = []
    table = MemoTable(lambda word: asked.append(word) or word[:4])
    assert [table[word] for word in ("plazo", "de", "plazo")] == ["plaz", "de", "plaz"]
    assert asked == ["plazo", "de"]


def test_a_full_table_begins_anew(monkeypatch):
    monkeypatch.setattr(filled_table, "MAX_WORDS", 2)
    table = MemoTable(str.upper)
    assert [table[word] for word in ("a", "b", "c", "a")] == ["A", "B", "C", "A"]
    assert len(table) == 2


@pytest.mark.parametrize("text", ["Los 30 días de la Ley 3/2012, ª y _", "Indemnización POR despido", ""])
def test_the_stems_of_a_text_are_those_of_its_content_words(text):
    assert stems(text) == [stem for word in content_words(text) if (stem := stem_word(word))]
