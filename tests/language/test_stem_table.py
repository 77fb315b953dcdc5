"""Stems as a table: each word worked out once, and never more words than it may keep."""

import pytest

from language import stem_table
from language.spanish import content_words, stem_word, stems
from language.stem_table import StemTable


def test_a_word_is_stemmed_once_and_a_stop_word_never():
    stemmed = []
    table = StemTable(lambda word: stemmed.append(word) or word[:4], lambda: frozenset({"de"}))
    assert [table[word] for word in ("plazo", "de", "plazo")] == ["plaz", "", "plaz"]
    assert stemmed == ["plazo"]


def test_a_full_table_begins_anew(monkeypatch):
    monkeypatch.setattr(stem_table, "MAX_WORDS", 2)
    table = StemTable(str.upper, frozenset)
    assert [table[word] for word in ("a", "b", "c")] == ["A", "B", "C"]
    assert dict(table) == {"c": "C"}


@pytest.mark.parametrize("text", ["Los 30 días de la Ley 3/2012, ª y _", "Indemnización POR despido", ""])
def test_the_stems_of_a_text_are_those_of_its_content_words(text):
    assert stems(text) == [stem for word in content_words(text) if (stem := stem_word(word))]
