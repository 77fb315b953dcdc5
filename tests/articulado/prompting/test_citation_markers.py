"""Markers of citations are read, renumbered and shared by the parts of a provision."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import make_chunk
from support.prompts import read_prompt

from articulado.prompting.citation_markers import (
    MarkerRenumberer,
    by_mark,
    defuse_markers,
    keep_markers,
    markers_in,
    numbers_in,
    one_per_mark,
    share_marks,
)
from articulado.prompting.fragments import render, write_prompt
from articulado.retrieval.fusion import candidate

# Written independently of the subject: a bracket that begins with a C-number, after a word or decoration at most.
BRACKETED = re.compile(r"[\[【［](?:[\s*_`^]|ver |fragmentos? )*C\s*(\d+)[^\[\]【】［］]{0,99}[\]】］]", re.IGNORECASE)

PIECES = st.sampled_from(
    [*"[]【】-–,/&a_`()", " ", "\n", "\0", "**", "; ", ". ", " y ", " e ", " and ", "98", "art. 38"]
) | (st.sampled_from(["C1", "C2", "C99", "c 7", "[C1]", "[C99]", "Fragmento ", "fragmentos ", "ver "]))
ANSWERS = st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join)


@pytest.mark.parametrize(
    ("written", "kept", "dropped"),
    [
        ("[C1]", "[C1]", []),
        ("[C1-C3]", "[C1][C2][C3]", []),
        ("[C1–C99]", "[C1][C2][C3]", [99]),
        ("[C2 a 3]", "[C2][C3]", []),
        ("[C3-C1]", "[C1][C2][C3]", []),
        ("[C1 e C99]", "[C1]", [99]),
        ("[C1/C2]", "[C1][C2]", []),
        ("[C1 and C99]", "[C1]", [99]),
        ("[C1 & C2]", "[C1][C2]", []),
        ("[C1,C2,]", "[C1][C2]", []),
        ("[C1, 2 y 3]", "[C1][C2][C3]", []),
        ("[C1, C2, y C3]", "[C1][C2][C3]", []),
        ("[C1 C2]", "[C1][C2]", []),
        ("[C1; c 2]", "[C1][C2]", []),
        ("[C01]", "[C1]", []),
        ("[Fragmento C99]", "", [99]),
        ("[fragmentos C1 y C2]", "[C1][C2]", []),
        ("[Fragmento 3]", "[C3]", []),
        ("[véase C2]", "[C2]", []),
        ("[ver fragmento **C2**]", "[C2]", []),
        ("[frag. 2]", "[C2]", []),
        ("[FragmentoC2]", "[C2]", []),
        ("【C1】", "[C1]", []),
        ("【C99】", "", [99]),
        ("［C2］", "[C2]", []),
        ("[**C99**]", "", [99]),
        ("[C1, art. 38.1 ET]", "[C1]", []),
        ("[C1, 38.1 ET]", "[C1]", []),
        ("[C1, art. 5; C99, art. 6]", "[C1]", [99]),
        ("[C123456789012345678901]", "", [123456789012345678901]),
    ],
)
def test_every_form_is_written_back_as_one(written, kept, dropped):
    text = f"Son 30 días {written}."
    assert keep_markers(text, {1, 2, 3}) == (f"Son 30 días {kept}.".replace("días .", "días."), dropped)
    assert set(markers_in(text, {1, 2, 3})) >= set(dropped) | set(markers_in(kept))


@pytest.mark.parametrize(
    "text", ["subgrupo (C1)", "[1]", "[NOTA: C1]", "[subgrupo C1]", "asunto [C-123/19]", "[…]", "C1", "[C]", "[C1"]
)
def test_other_brackets_stay(text):
    assert markers_in(text) == []
    assert keep_markers(text, set()) == (text, [])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Sí **[C99]**.", "Sí."),
        ("Sí _[C99]_, pero `[C98]` más.", "Sí, pero más."),
        ("Sí ([C99]).", "Sí."),
        ("Sí [[C99]].", "Sí."),
        ("Sí **[C98], [C99]**.", "Sí."),
        ("Sí **[C1][C99]**.", "Sí **[C1]**."),
        ("Sí [C98] y [C99].", "Sí."),
        ("Sí [C1], [C99].", "Sí [C1]."),
        ("**Uno** [C99] **dos**", "**Uno** **dos**"),
        ("[C99] Sí.", "Sí."),
        ("Uno [C99]\n[C98] Dos", "Uno\nDos"),
        ("Sí [[C98]C99].", "Sí."),
    ],
)
def test_empty_brackets_and_emphasis_vanish_with_a_marker(text, kept):
    assert keep_markers(text, {1})[0] == kept


def test_dropped_numbers_come_in_order_and_once():
    assert keep_markers("[C9][C1][C7] [C9]", {1})[1] == [9, 7]


def test_a_range_adds_only_valid_numbers():
    assert markers_in("[C1-C999999]") == [1, 999999]
    assert markers_in("[C1-C999999]", {2, 3}) == [1, 2, 3, 999999]
    assert numbers_in("2-4, 9 hasta 7", range(1, 6)) == [2, 3, 4, 7, 9]


@given(ANSWERS, st.sets(st.integers(1, 9) | st.just(98), max_size=6))
def test_only_valid_markers_are_left_and_all_of_them(text, valid):
    kept, dropped = keep_markers(text, valid)
    assert {int(number) for number in BRACKETED.findall(kept)} <= valid
    assert set(markers_in(kept)) <= valid
    assert set(markers_in(text, valid)) & valid <= set(markers_in(kept))
    assert not set(dropped) & valid
    assert set(markers_in(text, valid)) - valid <= set(dropped)
    assert keep_markers(kept, valid) == (kept, [])


@given(ANSWERS)
def test_no_marker_is_left_in_defused_text(text):
    defused = defuse_markers(text)
    assert not BRACKETED.search(defused + "]")
    assert markers_in(defused + "]") == []
    assert len(defused) == len(text)


@pytest.mark.parametrize("unit", ["[C1, ", "[ ", "[C1", "(", "`", " ", "\0", "[C1 y ", "**", "C1 ", "[["])
def test_long_malformed_text_is_read_quickly(unit):
    text = unit * 20_000
    assert keep_markers(text, {1})[1] == []
    assert markers_in(text) == []


def renumbered(*pieces, fragments=4):
    emitted = []
    renumberer = MarkerRenumberer(range(1, fragments + 1), emitted.append)
    for piece in pieces:
        renumberer.feed(piece)
    renumberer.close()
    assert "".join(emitted) == renumberer.text
    return renumberer


@pytest.mark.parametrize(
    ("text", "expected", "cited"),
    [
        ("Uno [C3]. Dos [C1]. Tres [C3].", "Uno [C1]. Dos [C2]. Tres [C1].", [3, 1]),
        ("Uno [C4, C2].", "Uno [C1][C2].", [4, 2]),
        ("Uno [C2-C4].", "Uno [C1][C2][C3].", [2, 3, 4]),
        ("Uno 【fragmento 3】.", "Uno [C1].", [3]),
        ("Uno [C9]. Dos [C2].", "Uno [C9]. Dos [C1].", [2]),
        ("Uno [C9, C2].", "Uno [C9][C1].", [2]),
        ("[véase esto] y [C", "[véase esto] y [C", []),
        ("El subgrupo (C2) [nota].", "El subgrupo (C2) [nota].", []),
    ],
)
def test_marks_are_numbered_in_the_order_of_reading_however_the_text_is_cut(text, expected, cited):
    for pieces in ([text], list(text), [text[:7], text[7:]], [text[:9], text[9:12], text[12:]]):
        renumberer = renumbered(*pieces)
        assert (renumberer.text, renumberer.cited) == (expected, cited)


def test_text_that_is_certain_is_not_held_back():
    emitted = []
    renumberer = MarkerRenumberer(range(1, 3), emitted.append)
    renumberer.feed("Son 30 días [C")
    assert emitted == ["Son 30 días "]
    renumberer.feed("2] y")
    assert emitted == ["Son 30 días ", "[C1] y"]
    renumberer.feed(" [véase, con calma")
    assert emitted[-1] == " [véase, con calma"


def test_a_bracket_that_is_too_long_for_a_mark_is_let_go():
    emitted = []
    MarkerRenumberer(range(1, 3), emitted.append).feed("[C1 " + "x" * 300)
    assert len(emitted) == 1


@pytest.mark.parametrize("piece", ["[una frase entre corchetes ", "[", "[ver ", "palabra ", "[C1 y ", " "])
def test_held_back_text_is_bounded(piece):
    """Each piece is looked at together with what is held back: without a bound, the work would grow with its square."""
    renumberer = MarkerRenumberer(range(1, 4))
    renumberer.feed("[")
    for _ in range(2_000):
        renumberer.feed(piece)
        assert len(renumberer._pending) < 300
    renumberer.close()
    assert renumberer.text == "[" + piece * 2_000


def part(number, score=0.5, **fields):
    defaults = {
        "part": number,
        "parts": 4,
        "text": f"{number}. Texto.",
        "summary": "Permisos.",
        "refs": [number],
        "url": "u",
    }
    chunk = make_chunk(number, "Artículo 37", **{**defaults, **fields})
    return {**candidate(chunk, score, "hybrid"), "final_score": score}


OTHER = candidate(make_chunk(9, "Artículo 9"), 0.4, "hybrid")
CONTEXT = share_marks([part(1), part(2, 0.9), part(4), OTHER])


def test_parts_of_one_wording_share_a_marker_and_other_provisions_do_not():
    assert [[each["chunk"]["id"] for each in parts] for parts in by_mark(CONTEXT)] == [[1, 2, 4], [9]]
    older = part(1, valid_from="2010-01-01")
    assert len(by_mark(share_marks([part(1), older]))) == 2


def test_the_parts_are_one_fragment_with_a_gap_for_what_is_left_out():
    assert render(CONTEXT, brief=True) == (
        "[C1] Estatuto de los Trabajadores > Artículo 37. Título\n"
        "Relevancia: 0.90\n"
        "Parte: 1, 2, 4 de 4\n"
        "Resumen (en lenguaje claro, no oficial): Permisos.\n"
        "Texto:\n1. Texto.\n2. Texto.\n[…]\n4. Texto.\n"
        "---\n"
        "[C2] Estatuto de los Trabajadores > Artículo 9. Título\n"
        "Relevancia: 0.40\n"
        "Texto:\nTexto del artículo 9, y son 30 días."
    )


def test_a_fragment_of_several_parts_is_read_back():
    fragments, question = read_prompt(write_prompt(CONTEXT, "¿Qué?"))
    assert question == "¿Qué?"
    assert [(each.marker, each.text) for each in fragments] == [
        ("[C1]", "1. Texto.\n2. Texto.\n[…]\n4. Texto."),
        ("[C2]", "Texto del artículo 9, y son 30 días."),
    ]


def test_the_summary_is_left_out_where_the_text_is_complete():
    whole = share_marks([part(n) for n in (1, 2, 3, 4)])
    assert "Resumen" not in render(whole, brief=True)
    assert "Resumen" in render(whole)


def test_a_citation_is_of_the_best_part_and_has_the_text_of_all():
    first, second = one_per_mark(CONTEXT)
    assert (first["chunk"]["id"], first["chunk"]["refs"]) == (2, [1, 2, 4])
    assert first["chunk"]["text"] == "1. Texto.\n2. Texto.\n[…]\n4. Texto."
    assert second == OTHER
