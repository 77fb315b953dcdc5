import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.sentences import sentences
from articulado.language.spanish import analysis_fingerprint, content_words, stem_word, stems, stop_words

SAME_STEM = """
indemnización indemnizacion | indemnización indemnizaciones | vacación vacaciones | vacacion vacaciones
despido despidos | despido despedir | despido despedida | despido despiden | pensión pension | pensión pensiones
pension pensionista
artículo articulo | artículo artículos | artículo art | artículo arts | mínimo minimo | mínimo mínimos | mínimo minimos
máximo máximos | año años | año ano | alta altas | obra obras | acto actos | acta actas | vía vías | via vías
entidad entidades | enfermedad enfermedades | familiar familiares | mujer mujeres | titular titulares | deber deberes
particular particulares | hogar hogares | imagen imágenes | imagen imagenes | examen exámenes | régimen regímenes
regimen regímenes | joven jóvenes | joven jovenes | orden órdenes | garantía garantia | garantía garantías
garantia garantías | cuantía cuantia | tesorería tesoreria | categoría categorias | minusvalía minusvalia
comité comités | comite comités | interés interes | día dias | mes meses | periodo período | periodos período
nómina nomina | nómina nóminas | autónomo autonomo | autónomo autónomos | cotización cotizar | cotización cotizaciones
sanción sancion | sanción sanciones | sanción sancionar | excedencia excedencias | jubilación jubilarme
jubilacion jubilarse | embarazada embarazo | trabajador trabajadora | trabajadores trabajo | tarea tareas
préstamo prestamo | suspensión suspender | suspension suspensiones | extinción extinguir | extincion extinciones
reducción reducir | reduccion reducida | inscripción inscribir | prescripción prescribe | nacimiento nacer
viudedad viuda | orfandad huérfano | orfandad huerfanos | discapacidad discapacitado | salario salarial | juez jueces
vez veces | interino interinidad | gestión gestion | comisión comisiones | comision comisiones | razón razones
conciliación conciliar | lactancia lactancias | permiso permisos | teletrabajo teletrabajar | convenio convenios
recaída recaida | duración dura | país pais | reunión reunion | código codigo | débito debito | médica medica | 7ª 7
"""
PAIRS = [tuple(pair.split()) for line in SAME_STEM.strip().splitlines() for pair in line.split("|")]
DIFFERENT = [
    ("contrato", "contrario"),
    ("salario", "salida"),
    ("jornada", "jornal"),
    ("mayoría", "mayor"),
    ("prestación", "préstamo"),
    ("48", "49"),
]
stem = stem_word


def test_the_list_of_pairs_is_not_empty():
    assert len(PAIRS) >= 60
    assert all(len(pair) == 2 for pair in PAIRS)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_inflected_and_unaccented_forms_share_a_stem(one, other):
    assert stem(one) == stem(other) != ""


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_unrelated_words_have_different_stems(one, other):
    assert stem(one) != stem(other)


def test_stems_drop_stop_words_and_keep_numbers():
    assert stems("¿Qué dice el artículo 48 bis, apartado 5, de la Ley?") == [
        "articul",
        "48",
        "bis",
        "apart",
        "5",
        "ley",
    ]


def test_decimal_numbers_and_hyphens_part_words():
    assert stems("47.5 fijo-discontinuo") == ["47", "5", "fij", "discontinu"]


def test_decomposed_accents_are_the_same_text():
    assert stems(unicodedata.normalize("NFD", "Indemnización por años")) == stems("Indemnización por años")


def test_ordinal_marks_alone_leave_nothing():
    assert stem("ª") == ""
    assert stems("n.º 7.ª") == ["n", "7"]


def test_stop_words_count_with_and_without_accents():
    assert {"qué", "que", "también", "tambien", "no", "cuánto", "cuanto"} <= stop_words()
    assert not {"bis", "nulo", "ayuda", "improcedente"} & stop_words()


def test_content_words_are_the_words_as_typed():
    assert content_words("Me han despedido, ¿cuánto me toca?") == ["despedido"]


def test_the_fingerprint_is_stable_in_a_process_and_names_the_version():
    assert analysis_fingerprint() == analysis_fingerprint()
    assert re.fullmatch(r"es-\d+:[0-9a-f]{12}", analysis_fingerprint())


def test_sentences_end_at_full_stops_but_not_at_abbreviations():
    text = "Según el art. 48 bis y el núm. 3, D. Juan cobra. La Sra. López, de Iberia S.A. Unida, no. ¿Por qué? Así es."
    assert sentences(text) == [
        "Según el art. 48 bis y el núm. 3, D. Juan cobra.",
        "La Sra. López, de Iberia S.A. Unida, no.",
        "¿Por qué?",
        "Así es.",
    ]


def test_the_mark_of_an_apartado_or_a_letter_stays_with_its_text():
    text = (
        "1. El periodo será el pactado. En ningún caso será menor.\n2.º Otro. 3. Tercero.\n"
        "a) Por acuerdo.\nb) Por ley: 5 días."
    )
    assert sentences(text) == [
        "1. El periodo será el pactado.",
        "En ningún caso será menor.",
        "2.º Otro.",
        "3. Tercero.",
        "a) Por acuerdo.",
        "b) Por ley: 5 días.",
    ]


def test_an_apartado_numbered_in_words_stays_with_its_text():
    text = "Uno. Se respetará la libertad. Es un derecho.\nDos.–Los plazos.\nVigésima segunda. Rige.\nSon dos. Tres."
    assert sentences(text) == [
        "Uno. Se respetará la libertad.",
        "Es un derecho.",
        "Dos.–Los plazos.",
        "Vigésima segunda. Rige.",
        "Son dos.",
        "Tres.",
    ]


def test_a_sentence_can_end_in_a_quotation_or_a_number():
    assert sentences("Es el artículo 38. El plazo es «breve.» Son 1.000 euros. Fin") == [
        "Es el artículo 38.",
        "El plazo es «breve.»",
        "Son 1.000 euros.",
        "Fin",
    ]


@given(st.text(alphabet="abÁñ 1.)º:;«»¿?\n", max_size=200))
def test_sentences_lose_nothing_but_white_space(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(max_size=60))
def test_stems_are_never_empty_and_do_not_depend_on_how_accents_are_coded(text):
    assert all(stems(text))
    assert stems(text) == stems(unicodedata.normalize("NFD", unicodedata.normalize("NFC", text)))


@given(st.lists(st.text(max_size=20), max_size=4))
def test_no_word_reaches_over_the_end_of_a_line(lines):
    assert stems("\n".join(lines)) == [stem for line in lines for stem in stems(line)]


def test_changing_returned_stems_does_not_change_the_cache():
    stems("despido\ncese").append("otro")
    stems("despido").append("otro")
    assert stems("despido\ncese") == [stem_word("despido"), stem_word("cese")]
    assert stems("despido") == [stem_word("despido")]
