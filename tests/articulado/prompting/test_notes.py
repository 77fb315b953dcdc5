import pytest
from support.doubles import make_chunk
from support.prompts import read_fragments

from articulado.language.translation import use_locale
from articulado.prompting.fragments import render
from articulado.prompting.notes import amended_apartados, amended_letters, note_on
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
    shown = read_fragments(
        render([{"chunk": chunk, "score": 1.0, "origins": ["hybrid"], "found_by": []} for chunk in parts])
    )
    assert [bool(fragment.note) for fragment in shown] == [kept] * len(parts)


ADDED = "Se añade la letra m) por el art. 3 de la Ley 6/2024, de 20 de diciembre."
IN_TWO = "Se modifican las letras c) y d) del apartado 2 por el art. 2.1 de la Ley 3/2023."


@pytest.mark.parametrize(
    ("note", "letters"),
    [
        (ADDED, "m"),
        (IN_TWO, "cd"),
        ("Se modifica la letra e) y se añade la n) en el apartado 1 por el art. 1.2 y 3 de la Ley 2/2025.", "en"),
        ("Se añade la letra ñ) del apartado 2 por la disposición final 4.2 de la Ley 19/2021.", "ñ"),
        (
            "Se modifica la letra c) del apartado 6 y se añade el apartado 7 por el art. 2.4 del Real Decreto 1/2026.",
            "",
        ),
        ("Se suprime la letra d) por el art. 3.1 del Real Decreto-ley 16/2022.", ""),
        ("Se reordena la letra m) como n) y se añade una nueva letra m) al apartado 2 por la Ley 1/2023.", ""),
        ("Se modifica el segundo párrafo de la letra b) por el art. 1 de la Ley 1/2020.", ""),
        ("Se modifica el apartado 1 por el art. 2.b) de la Ley 1/2020.", ""),
    ],
)
def test_the_letters_that_a_note_says_were_amended(note, letters):
    assert sorted(amended_letters(note)) == sorted(letters)


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        (part(1, "Son causas:\n\na) Una.\n\nb) Otra.", ADDED), False),
        (part(2, "l) Una.\n\nm) Otra.", ADDED), True),
        (part(2, "Sigue la m).\n\nn) Otra.", ADDED), True),
        (part(2, "Sigue la b).\n\nc) Otra.", ADDED), False),
        (part(2, "Sigue sin letra.", ADDED), True),
        (part(1, "Son causas las que siguen.", ADDED), True),
        (part(1, "1. Uno:\n\nc) Una.\n\n2. Dos:\n\na) Una.\n\nb) Otra.", IN_TWO), False),
        (part(1, "1. Uno:\n\na) Una.\n\n2. Dos:\n\nc) Una.", IN_TWO), True),
        (part(3, "e) Una.\n\nf) Otra.\n\n3. Tres.", IN_TWO), False),
        (part(3, "d) Una.\n\n3. Tres.", IN_TWO), True),
        (part(3, "Sigue la c).\n\n3. Tres.", IN_TWO), True),
    ],
)
def test_a_note_on_the_amendment_of_a_letter_that_is_not_shown_is_left_out(shown, kept):
    assert bool(note_on([shown])) is kept


def test_a_text_as_enacted_says_so_wherever_it_is_shown():
    says = "Texto según se publicó originalmente: no incorpora las modificaciones posteriores."
    assert note_on([part(1, "1. Uno.", text_state="as_enacted")]) == says
    assert note_on([part(2, "3. Tres.", text_state="as_enacted")]) == f"{AMENDED} {says}"
    with use_locale("en"):
        assert "does not include later amendments" in note_on([part(1, "1. Uno.", text_state="as_enacted")])


def test_a_note_on_the_whole_law_is_written_with_the_first_fragment_that_it_bears_on():
    noted = {"law_notes": ["Téngase en cuenta otra cosa."], "status_note": ""}
    chunks = [make_chunk(1, "Artículo 1"), make_chunk(2, "Artículo 2", **noted), make_chunk(3, "Artículo 3", **noted)]
    fragments = read_fragments(render([candidate(chunk, 1.0, "hybrid") for chunk in chunks]))
    assert [fragment.note for fragment in fragments] == ["", "Téngase en cuenta otra cosa.", ""]
