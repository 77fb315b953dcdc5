"""Marks of repeal, and the notes on amendments."""

import pytest

from articulado.ingestion.boe.wordings import read_amendments
from articulado.legal.validity import provision_status

BY_7 = "Se modifica el apartado 1 por el art. 3 de la Ley 7/2020, de 4 de mayo. Ref. BOE-A-2020-4000#a3"
REPEAL = (
    "Se modifica el apartado 2 y, con efectos de 9 de mayo de 2022, se deroga el 3, por el art. 1 del "
    "Real Decreto-ley 9/2021, de 3 de mayo. Ref. BOE-A-2021-7000"
)


def test_a_provision_without_notes_or_marks_is_in_force():
    assert provision_status(["1. Uno."], []) == ("vigente", "")


def test_the_note_of_an_amended_provision_is_that_of_the_last_amendment():
    assert provision_status(["1. Uno."], [BY_7, REPEAL]) == (
        "modificada",
        "Se modifica el apartado 1 por el art. 3 de la Ley 7/2020, de 4 de mayo (BOE-A-2020-4000).",
    )


@pytest.mark.parametrize(
    "mark", ["(Derogado)", "(Suprimida).", "(Sin efecto).", "(Párrafo primero y segundo derogados)"]
)
def test_repealed_in_part(mark):
    status, note = provision_status(["1. Uno.", f"2. {mark}"], [])
    assert status == "parcialmente_derogada"
    assert note == f"Parte de su texto ya no rige: «2. {mark.rstrip('.')}»."


def test_of_a_part_that_is_repealed_the_note_names_who_repealed_it():
    status, note = provision_status(["2. Dos.", "3. (Derogado)"], [BY_7, REPEAL])
    assert status == "parcialmente_derogada"
    assert "se deroga el 3, por el art. 1 del Real Decreto-ley 9/2021" in note


def test_repealed_as_a_whole():
    note = "Se deroga por la disposición derogatoria única de la Ley 8/2020, de 6 de junio. Ref. BOE-A-2020-6001"
    assert provision_status(["(Derogado)"], [note])[0] == "derogada"
    assert provision_status(["1.(Derogado)", "2. (Derogado)."], [])[0] == "derogada"
    assert provision_status(["1. Uno:", "a) (Derogada)"], [])[0] == "parcialmente_derogada"


def test_a_mark_within_a_sentence_is_no_repeal():
    assert provision_status(["1. Queda derogado lo anterior."], [])[0] == "vigente"


def amendment(*notes):
    (one,) = read_amendments(notes)
    return one


def test_an_amendment_names_norm_identifier_and_days():
    one = amendment(REPEAL)
    assert (one.norm, one.reference) == ("Real Decreto-ley 9/2021, de 3 de mayo", "BOE-A-2021-7000")
    assert (one.enacted, one.effect, one.adds) == ("2021-05-03", "2022-05-09", False)


@pytest.mark.parametrize(
    "says",
    [
        "Esta modificación entra en vigor el 9 de mayo de 2022; véase su disposición final 8.",
        "Esta modificación produce efectos desde el 9 de mayo de 2022.",
        "Téngase en cuenta que esta actualización entra en vigor el día 9 de mayo de 2022.",
        "Entra en vigor el 2 de febrero de 2022, con efectos desde el 9 de mayo de 2022.",
    ],
)
def test_the_next_note_may_name_the_day_of_effect(says):
    assert amendment(BY_7, says).effect == "2022-05-09"


def test_a_day_that_is_none_of_effect_is_left():
    says = "Se prorroga hasta el 30 de septiembre de 2020. Véase la disposición transitoria 1 de la Ley, de 3 de mayo."
    assert amendment(BY_7, f"Téngase en cuenta: {says}").effect is None


def test_a_note_above_belongs_to_the_amendment_that_it_names():
    above = "Téngase en cuenta que esta actualización, Ref. BOE-A-2021-7000, entra en vigor el 1 de julio de 2021."
    first, second = read_amendments([above, BY_7, REPEAL.replace("con efectos de 9 de mayo de 2022, ", "")])
    assert (first.effect, second.effect) == (None, "2021-07-01")
    assert second.notes[-1] == above


def test_a_note_without_a_name_belongs_to_the_amendment_above_it():
    foreign = "Esta modificación produce efectos el 1 de abril de 2023. Ref. BOE-A-2023-9999"
    first, second = read_amendments([BY_7, foreign, REPEAL])
    assert (first.effect, second.effect) == ("2023-04-01", "2022-05-09")


def test_the_norm_is_the_one_whose_identifier_is_given():
    given = (
        "Se modifica por el art. 1.9 del Real Decreto-ley 9/2021, de 3 de mayo, en la redacción dada por el art. 4 del "
        "Real Decreto-ley 2/2022, de 3 de febrero. Ref. BOE-A-2022-900"
    )
    assert amendment(given).norm == "Real Decreto-ley 2/2022, de 3 de febrero"


def test_what_is_added_and_what_is_undone():
    assert amendment("Se añade por el art. 2 de la Ley 7/2020, de 4 de mayo. Ref. BOE-A-2020-4000").adds
    assert amendment("Se añade, con efectos de 1 de enero de 2021, por la Ley 7/2020, de 4 de mayo.").adds
    assert not amendment("Se añade el apartado 3 por el art. 2 de la Ley 7/2020, de 4 de mayo.").adds
    assert amendment("Se deja sin efecto la modificación por Resolución de 7 de junio de 2024.").voids


def test_a_ruling_that_leaves_the_text_as_it_is_amends_nothing():
    note = "Se declara la inconstitucionalidad de su letra c), que no lleva aparejada la nulidad, por Sentencia del TC"
    assert read_amendments([note]) == []


def test_an_amendment_by_a_norm_of_a_community():
    (one,) = read_amendments(["Se modifica por la Ley 3/2015, de 11 de marzo. Ref. DOGC-f-2015-90448#a1"])
    assert one.reference == "DOGC-f-2015-90448"
