from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.chunking.semantic import MAX_STACKED, blocks, outside_bonds
from articulado.language.sentences import blanks_matching

TEXT = "Se descansa un mes."


def whole(text):
    return [text[start:end] for start, end in blocks(text)]


@pytest.mark.parametrize(
    "heading",
    [
        "Vacaciones",
        "3. Vacaciones",
        "3.2 Vacaciones",
        "II. Vacaciones",
        "Cláusula 3.ª Vacaciones",
        "VACACIONES.",
        "¿Cuánto se descansa?",
        "Se descansa así:",
    ],
)
def test_a_heading_stays_with_its_sentence(heading):
    assert whole(f"Antes.\n\n{heading}\n\n{TEXT} Más.") == ["Antes.", f"{heading}\n\n{TEXT}", "Más."]


def test_a_numbered_heading_stays_with_the_sentence_in_its_line():
    assert whole(f"3. Vacaciones. {TEXT} Más.") == [f"3. Vacaciones. {TEXT}", "Más."]


@pytest.mark.parametrize(
    "line",
    [
        "Antes de nada, esto.",
        "con minúscula",
        "- Un punto",
        "a) Una letra",
        "Se paga, se cobra;",
        "Larga " * 20,
        "3. Se paga en enero, y no después.",
    ],
)
def test_other_lines_are_no_headings(line):
    assert whole(f"{line}\n\n{TEXT}") == [line.strip(), TEXT]


def test_long_run_of_short_lines_is_a_list():
    lines = [f"Línea {name}" for name in "ABCDEF"]
    text = "\n".join([*lines, TEXT])
    free, bound = lines[:-MAX_STACKED], lines[-MAX_STACKED:]
    assert whole(text) == [*free, "\n".join([*bound, TEXT])]


def test_table_is_one_block_with_its_heading():
    table = "Tabla salarial 2025\n\nGrupo | Euros\nA | Mil. O más.\nB | Dos mil"
    assert whole(f"Antes.\n\n{table}\n\nDespués.") == ["Antes.", table, "Después."]


def test_two_tables_are_two_blocks():
    assert whole("A | 1\nB | 2\n\nC | 3\nD | 4") == ["A | 1\nB | 2", "C | 3\nD | 4"]


def test_a_heading_at_the_end_is_kept():
    assert whole(f"{TEXT}\n\nFirmado") == [TEXT, "Firmado"]
    assert whole(" ") == []


LINES = st.sampled_from(["Título", "1. Objeto", "Frase una. Frase dos.", "a | b", "ANEXO", "", "y sigue:", "- uno"])


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_cuts_lose_nothing_and_split_no_block(text):
    spans = blocks(text)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(at in inside for at, character in enumerate(text) if not character.isspace())
    assert all(blank[0] not in inside for blank in outside_bonds(blanks_matching(r"\s+"))(text))
    # Two rows of one table are never parted.
    assert all("a | b" not in (text[end - 5 : end], "") or text[end : end + 6] != "\na | b" for _, end in spans)
