"""Reading what is asked for, and putting together what is shown."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import make_chunk

from articulado.legal.citations.items import Place
from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.labels import excerpt
from articulado.legal.laws.indexed import IndexedLaws
from articulado.retrieval.references import (
    read_reference,
    wording_on,
    wordings_of,
)
from articulado.values.errors import InvalidInput

ET, LISOS = "BOE-A-2015-11430", "BOE-A-2000-15060"
TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "provisions"),
    [
        ("art. 48.4 ET", [ProvisionRequest(ET, "art:48", (Place("4", ""),))]),
        ("48", [ProvisionRequest(ET, "art:48", assumed=True)]),
        ("arts. 48.4, 48.5 y 49.1 b) ET", [
            ProvisionRequest(ET, "art:48", (Place("4", ""), Place("5", ""))),
            ProvisionRequest(ET, "art:49", (Place("1", "b"),)),
        ]),
        ("anexo II LISOS", [ProvisionRequest(LISOS, "anexo:2")]),
        ("DA 3ª LISOS", [ProvisionRequest(LISOS, "da:3")]),
        ("art. 1 boe-a-2024-99999", [ProvisionRequest("BOE-A-2024-99999", "art:1")]),
        ("BOE-A-2024-99999", [ProvisionRequest("BOE-A-2024-99999")]),
        ("LISOS", [ProvisionRequest(LISOS)]),
        ("art. 1 de la Ley 99/2024", [ProvisionRequest("", "art:1", law_words="Ley 99/2024")]),
    ],
)  # fmt: skip
def test_requests_are_read(text, provisions):
    assert read_reference(text, ET, TODAY).provisions == tuple(provisions)


def test_the_day_of_the_caller_goes_before_that_of_the_text():
    assert read_reference("art. 1 ET", ET, TODAY).day is None
    assert read_reference("art. 1 ET a 1 de mayo de 2019", ET, TODAY).day == date(2019, 5, 1)
    assert read_reference("art. 1 ET a 1 de mayo de 2019", ET, TODAY, date(2020, 1, 1)).day == date(2020, 1, 1)


def test_a_text_without_law_or_provision_is_refused():
    with pytest.raises(InvalidInput, match="No se entiende «vacaciones»"):
        read_reference("vacaciones", ET, TODAY)


def parts(*texts: str, since: str = "2020-01-01", until: str | None = None, first: int = 1):
    return [
        make_chunk(first + n, text=text, part=n + 1, parts=len(texts), valid_from=since, valid_to=until)
        for n, text in enumerate(texts)
    ]


def test_a_wording_is_put_together_from_its_parts():
    chunks = parts("1. Uno.", "2. Dos, que", "sigue:", "Meses | %\n1 | 10", "2 | 20")
    [wording] = wordings_of(reversed(chunks))
    assert wording.text == "1. Uno.\n\n2. Dos, que sigue:\n\nMeses | %\n1 | 10\n2 | 20"


def test_the_wording_of_a_day():
    past, now = parts("Antes.", until="2022-05-04"), parts("Ahora.", since="2022-05-04", first=10)
    wordings = wordings_of([*now, *past])
    assert [wording.text for wording in wordings] == ["Antes.", "Ahora."]
    assert wording_on(wordings, date(2022, 5, 3), TODAY).text == "Antes."
    assert wording_on(wordings, date(2022, 5, 4), TODAY).text == "Ahora."
    assert wording_on(wordings, None, TODAY).text == "Ahora."
    assert wording_on(wordings, date(2019, 12, 31), TODAY) is None
    assert wording_on(wordings_of(past), None, TODAY).text == "Antes.", "the last that there was"
    assert wording_on(wordings_of(past), TODAY, TODAY) is None


TEXT = (
    "1. Uno.\n\n2. Dos:\n\na) A.\n\nb) B:\n\n1.º Primero.\n\n2.º Segundo.\n\nn) N.\n\nñ) Eñe.\n\no) O.\n\n"
    "2 bis. Dos bis.\n\n3. Tres.\n\nMás.\n\n12. Doce."
)


@pytest.mark.parametrize(
    ("apartado", "letter", "expected"),
    [
        ("1", "", "1. Uno."),
        ("3", "", "3. Tres.\n\nMás."),
        ("12", "", "12. Doce."),
        ("2", "a", "a) A."),
        ("2", "b", "b) B:\n\n1.º Primero.\n\n2.º Segundo."),
        ("2", "n", "n) N."),
        ("2", "ñ", "ñ) Eñe."),
        ("", "a", "a) A."),
        ("4", "", ""),
        ("1", "a", ""),
        ("2", "c", ""),
    ],
)
def test_an_apartado_or_letter_is_excerpted(apartado, letter, expected):
    assert excerpt(TEXT, apartado, letter) == expected


SUFFIXED = (
    "1. Uno:\n\na) A.\n\nb) B.\n\nb bis) B bis.\n\nb) ter B ter.\n\nc) C.\n\n"
    "2. Dos.\n\n2 bis. Dos bis.\n\n2.ter Dos ter.\n\n2 quáter. Dos quáter.\n\n3. Tres."
)


@pytest.mark.parametrize(
    ("apartado", "letter", "expected"),
    [
        ("1", "b", "b) B."),
        ("1", "b bis", "b bis) B bis."),
        ("1", "b ter", "b) ter B ter."),
        ("1", "b quater", ""),
        ("1", "c bis", ""),
        ("2", "", "2. Dos."),
        ("2 bis", "", "2 bis. Dos bis."),
        ("2 ter", "", "2.ter Dos ter."),
        ("2 quater", "", "2 quáter. Dos quáter."),
        ("2 quinquies", "", ""),
        ("3 bis", "", ""),
    ],
)
def test_a_suffix_makes_a_place_of_its_own(apartado, letter, expected):
    assert excerpt(SUFFIXED, apartado, letter) == expected


def test_a_list_inside_an_apartado_does_not_end_it():
    assert excerpt("2. Dos:\n\n1. Sub.\n\n2. Otra.\n\n3. Tres.", "2", "") == "2. Dos:\n\n1. Sub.\n\n2. Otra."


def test_ordinals_are_apartados_only_where_there_are_no_plain_numbers():
    assert excerpt("1. Uno:\n\n1.º A.\n\n2.º B.\n\n2. Dos.", "1", "") == "1. Uno:\n\n1.º A.\n\n2.º B."
    assert excerpt("1.º Uno.\n\n2.º Dos.", "1", "") == "1.º Uno."


@given(
    st.lists(st.sampled_from(["1. ", "2. ", "3. ", "a) ", "b) ", "1.º ", ""]), max_size=8).map(
        lambda marks: "\n\n".join(f"{mark}texto" for mark in marks)
    ),
    st.sampled_from(["", "1", "2", "3"]),
    st.sampled_from(["", "a", "b"]),
)
def test_a_place_is_always_a_piece_of_the_text_that_begins_with_its_mark(text, apartado, letter):
    found = excerpt(text, apartado, letter)
    assert found in text
    mark = letter or apartado
    assert not found or found.startswith(mark)


def test_a_law_that_only_the_index_knows_is_shown_by_number_or_name():
    laws = IndexedLaws(lambda: {"BOE-A-2031-7": "Ley 7/2031, de 1 de marzo, de Faros"})
    for text in ("art. 9 Ley 7/2031", "art. 9 de la ley de faros"):
        (asked,) = read_reference(text, ET, date(2032, 1, 1), indexed=laws).provisions
        assert (asked.law_id, asked.provision_key) == ("BOE-A-2031-7", "art:9")
