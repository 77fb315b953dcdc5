import pytest
from support.doubles import make_chunk

from articulado.language.translation import use_locale
from articulado.prompting.fragments import parse, render
from articulado.prompting.notes import amended_apartados, note_on
from articulado.retrieval.fusion import candidate

AMENDED = "Se modifica el apartado 3 por el art. 2.1 de la Ley 3/2023, de 28 de febrero (BOE-A-2023-5365)."


def part(number, text, note=AMENDED, **fields):
    fields = {"status": "modificada", "parts": 4, "url": "", **fields}
    return make_chunk(number, "Artículo 38", part=number, status_note=note, text=text, **fields)


@pytest.mark.parametrize(
    ("note", "numbers"),
    [
        (AMENDED, [3]),
        ("Se modifican los apartados 1.d), 5 y 6 por la disposición final 10.3 de la Ley 2/2024.", [1, 5, 6]),
        ("Se modifica la letra b) del apartado 4 por el art. 2.2 del Real Decreto 643/2026.", [4]),
        ("Se suprime el apartado 3 y se renumeran los apartados 4 y 5 como 3 y 4 por el art. 2.1.", [3, 4, 5]),
        ("Se modifican los apartados 2 a 5 por el art. 7 de la Ley 1/2020.", [2, 3, 4, 5]),
        ("Se modifica el apartado 1 bis por el art. 7 de la Ley 1/2020.", [1]),
        ("Se añade la letra m) por el art. 3 de la Ley 6/2024, apartado 2.", []),
        ("Se modifica por el apartado 4 de la disposición final 3 de la Ley 6/2024.", []),
        ("Desactualizado en parte: el apartado 2 ya no se aplica.", []),
        ("", []),
    ],
)
def test_the_apartados_that_a_note_says_were_amended(note, numbers):
    assert sorted(amended_apartados(note)) == numbers


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        ([part(1, "1. Uno.\n\n2. Dos.")], False),
        ([part(2, "3. Tres.")], True),
        ([part(1, "1. Uno."), part(2, "3. Tres.")], True),
        ([part(3, "Sigue.\n\n4. Cuatro.")], True),
        ([part(3, "4. Cuatro.\n\n5. Cinco.")], False),
        ([part(4, "Sin número.")], True),
        ([part(1, "1. Uno.", status="parcialmente_derogada")], True),
        ([part(1, "1. Uno.", "Se modifica por el art. 2.1 de la Ley 3/2023.")], True),
        ([part(1, "1. Uno.", parts=1)], True),
    ],
)
def test_a_note_on_the_amendment_of_what_is_not_shown_is_left_out(parts, kept):
    assert bool(note_on(parts)) is kept
    shown = parse(render([{"chunk": chunk, "score": 1.0, "origins": ["hybrid"], "found_by": []} for chunk in parts]))
    assert [bool(fragment.note) for fragment in shown] == [kept] * len(parts)


def test_a_text_as_enacted_says_so_wherever_it_is_shown():
    says = "Texto según se publicó originalmente: no incorpora las modificaciones posteriores."
    assert note_on([part(1, "1. Uno.", text_state="as_enacted")]) == says
    assert note_on([part(2, "3. Tres.", text_state="as_enacted")]) == f"{AMENDED} {says}"
    with use_locale("en"):
        assert "does not include later amendments" in note_on([part(1, "1. Uno.", text_state="as_enacted")])


def test_a_note_on_the_whole_law_is_written_with_the_first_fragment_that_it_bears_on():
    noted = {"law_notes": ["Téngase en cuenta otra cosa."], "status_note": ""}
    chunks = [make_chunk(1, "Artículo 1"), make_chunk(2, "Artículo 2", **noted), make_chunk(3, "Artículo 3", **noted)]
    fragments = parse(render([candidate(chunk, 1.0, "hybrid") for chunk in chunks]))
    assert [fragment.note for fragment in fragments] == ["", "Téngase en cuenta otra cosa.", ""]
