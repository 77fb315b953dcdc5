import re

from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.chunking.semantic import split_text


def test_a_text_that_fits_is_one_part():
    assert split_text("1. Uno.\n\n2. Dos.") == ["1. Uno.\n\n2. Dos."]
    assert split_text("") == []


def test_cuts_before_an_apartado_and_not_between_its_letters():
    text = "1. Uno.\n\n2. Dos:\n\na) A.\n\nb) B."
    assert split_text(text, 25) == ["1. Uno.", "2. Dos:\n\na) A.\n\nb) B."]


def test_an_apartado_that_does_not_fit_is_cut_between_paragraphs():
    assert split_text("1. Uno:\n\na) A.\n\nb) B.\n\n2. Dos.", 15) == ["1. Uno:\n\na) A.", "b) B.\n\n2. Dos."]


def test_no_cut_inside_a_sentence_or_after_an_abbreviation():
    assert split_text("Se paga. Luego se cobra.", 16) == ["Se paga.", "Luego se cobra."]
    assert split_text("Hoy. Véase el art. Doce tal.", 24) == ["Hoy.", "Véase el art. Doce tal."]


def test_a_table_is_cut_between_rows_and_each_part_has_its_head():
    assert split_text("Año | Edad\n2024 | 65\n2025 | 66\n2026 | 67", 32) == [
        "Año | Edad\n2024 | 65",
        "Año | Edad\n2025 | 66\n2026 | 67",
    ]


def test_a_sentence_that_does_not_fit_is_cut_at_a_clause_then_at_a_blank():
    assert split_text("uno dos; tres cuatro", 12) == ["uno dos;", "tres cuatro"]
    assert split_text("uno dos tres", 8) == ["uno dos", "tres"]
    assert split_text("abcdefgh", 3) == ["abc", "def", "gh"]


@given(st.text(alphabet="ab1. \n;,A", max_size=300), st.integers(5, 40))
def test_parts_cover_the_text_within_the_limit(text, limit):
    parts = split_text(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
