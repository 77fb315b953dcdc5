"""Spelling of questions, by words that a small index and a few known questions have."""

from itertools import chain

import pytest

from articulado.language.known_words import Asked, KnownWords, typing_of, words_of_index
from articulado.language.languages import language
from articulado.language.spelling import Speller, with_mended
from articulado.values.errors import IndexMissing

SPANISH = language("es")
TEXTS = (
    "las vacaciones anuales retribuidas se fijan de común acuerdo entre el empresario y el trabajador",
    "la indemnización por despido improcedente se calcula por años de servicio en la empresa",
    "el permiso por nacimiento y cuidado del menor y la excedencia para cuidar de un familiar",
    "la jubilación anticipada exige años cotizados y el accidente de trabajo da derecho a prestación",
    "el periodo de prueba no excederá de seis meses y el jefe no paga la nómina",
    "la jornada y las horas extraordinarias del convenio colectivo de hostelería",
)
QUESTIONS = (
    "cuántos días de vacaciones me corresponden",
    "me han despedido estando de baja",
    "me han despedido sin avisar qué hago",
    "pueden echar a una embarazada",
    "cuántas horas puedo trabajar a la semana",
    "mi jefe no me paga la nómina desde hace dos meses",
    "tengo hijos y puedo pedir reducción de jornada",
    "no me deja coger la baja la empresa",
    "me pueden despedir por una queja",
    "me siento mal en el trabajo y voy al médico",
    "cuánto cobro si llevo un año en la empresa",
)
OTHERS = ["rascar", "hornada", "baca", "globo", "lenta", *" ".join((*TEXTS, *QUESTIONS)).split()]


def known_words(questions=QUESTIONS, texts=TEXTS):
    counts = dict.fromkeys(chain.from_iterable(text.split() for text in texts), 40)
    asked = [question for question in questions for _ in range(8)]
    return KnownWords.build(counts, Asked.of(asked, OTHERS, typing_of("es"), SPANISH), typing_of("es"), SPANISH)


@pytest.fixture(scope="module")
def speller():
    return Speller(known_words(), typing_of("es"), SPANISH, ["Convenio colectivo de Mercadona", "Écija", "SMI"])


def read(speller, text):
    return with_mended(text, speller.mended(text))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cuantos dias de vacasiones me corresponden", "cuantos dias de vacaciones me corresponden"),
        ("la indennizacion por despido improsedente", "la indemnización por despido improcedente"),
        ("años cotisados para la jubilasion anticipada", "años cotizados para la jubilación anticipada"),
        ("mi gefe no me paga la nomina", "mi jefe no me paga la nomina"),
        ("me han hechado estando de vaja en la empresa", "me han echado estando de baja en la empresa"),
        ("pueden echar a una enbarasada", "pueden echar a una embarazada"),
    ],
)
def test_words_spelt_by_their_sound(typed, meant):
    questions = [*QUESTIONS, "me han echado estando de baja en la empresa"]
    assert read(Speller(known_words(questions), typing_of("es"), SPANISH), typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cuantos dias de vacaiones me corresponden", "vacaciones"),
        ("cuantos dias de vacacciones me corresponden", "vacaciones"),
        ("cuantos dias de vacacoines me corresponden", "vacaciones"),
        ("cuantos dias de vacaciomes me corresponden", "vacaciones"),
        ("puedo pedir reduccion de jornadda", "jornada"),
        ("la indmenizacion por despido", "indemnización"),
        ("las horas extraodinarias del convenio", "extraordinarias"),
    ],
)
def test_slips_of_the_keyboard(speller, typed, meant):
    (word,) = speller.mended(typed)
    assert word["read"] == meant
    assert typed[word["start"] : word["end"]] == word["written"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("me handespedido sin avisar", "me han despedido sin avisar"),
        ("no medeja coger la baja", "no me deja coger la baja"),
        ("puedopedir reduccion de jornada", "puedo pedir reduccion de jornada"),
        ("cuantos dias de vaca ciones me corresponden", "cuantos dias de vacaciones me corresponden"),
        ("la indem nizacion por despido", "la indemnización por despido"),
    ],
)
def test_blanks_left_out_and_put_in(speller, typed, meant):
    assert read(speller, typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("me han despedido sin avisar q hago", "me han despedido sin avisar que hago"),
        ("xq no me paga la nómina", "porque no me paga la nómina"),
        ("m han despedido d la empresa", "me han despedido de la empresa"),
        ("tb tengo vacaciones", "también tengo vacaciones"),
        ("despido x una queja", "despido por una queja"),
        ("Q HAGO SI ME HAN DESPEDIDO", "QUE HAGO SI ME HAN DESPEDIDO"),
    ],
)
def test_abbreviations_of_chats(speller, typed, meant):
    assert read(speller, typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cuándo se paga el aguinaldo", "cuándo se paga la paga extra"),
        ("me botaron de la chamba", "me despidieron del trabajo"),
        ("no tengo planilla", "no tengo nómina"),
        ("me corrieron estando de baja", "me despidieron estando de baja"),
        ("el laburo y las vacaciones", "el trabajo y las vacaciones"),
        ("cuántos días de aguinaldo por ley en México", "cuántos días de aguinaldo por ley en México"),
        ("me botaron de la chamba en el Perú", "me botaron de la chamba en el Perú"),
        ("la planilla de turnos de la semana", "la planilla de turnos de la semana"),
    ],
)
def test_words_of_other_countries_unless_the_question_is_of_one(speller, typed, meant):
    assert read(speller, typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        *QUESTIONS,
        "¿Cuántos días de vacaciones tengo según el art. 38 ET y el RD 2001/1983?",
        "el convenio de mercadona y las vacaciones en ecija",
        "Trabajo con Bacaciones Martínez y no me paga",
        "el SMU no llega a 1.300 € y la nómina tampoco",
        "escribo a jefe@enpresa.es y a https://enpresa.es/vacasiones por la nómina",
        "puedo rascar una hornada lenta con la baca",
        "grupo d y apartado q del convenio",
        "me siento mal en la empresa",
        "",
    ],
)
def test_correct_words_stay(speller, text):
    assert speller.mended(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "How many days of paid holiday do I get from my employer?",
        "Can they fire me while I am on sick leave?",
        "My boss does not pay me the extra hours",
        "Quantes hores puc treballar a la setmana i quan em paguen?",
        "Wie viele Urlaubstage habe ich im Jahr?",
        "Combien de jours de vacances ai-je par an?",
    ],
)
def test_a_question_in_another_language_is_not_read_as_spanish(speller, text):
    assert speller.mended(text) == []


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("¿Cuántas horas puedo trabajar a la semana?", True),
        ("Me han despedido sin avisar, ¿qué hago?", True),
        ("la nómina", False),
        ("¿Cuántas horas puedo trabajar en Groenlandia?", False),
        ("Quantes hores puc treballar a la setmana?", False),
        ("How many hours can I work?", False),
    ],
)
def test_known_words_skip_the_recognition_of_the_language(speller, text, known):
    assert speller.knows_all(text) == known


def test_a_word_in_capitals_keeps_them(speller):
    assert read(speller, "CUANTOS DIAS DE BACACIONES ME CORRESPONDEN") == "CUANTOS DIAS DE VACACIONES ME CORRESPONDEN"
    assert read(speller, "Vacasiones que me corresponden") == "Vacaciones que me corresponden"


def test_slips_in_known_questions_are_not_known_words():
    slipping = [*QUESTIONS, "cuántos días de vacasiones me corresponden"]
    counts = dict.fromkeys(chain.from_iterable(text.split() for text in TEXTS), 40)
    asked = Asked.of([*slipping, *QUESTIONS * 9], OTHERS, typing_of("es"), SPANISH)
    known = KnownWords.build(counts, asked, typing_of("es"), SPANISH)
    assert "vacaciones" in known.texts
    assert "vacasiones" not in known.texts


def test_words_are_stored_with_the_index(tmp_path):
    known = known_words()
    known.save(tmp_path)
    loaded = KnownWords.load(tmp_path)
    assert (loaded.texts, [*loaded.surfaces], [*loaded.sounds]) == (known.texts, known.surfaces, known.sounds)
    assert loaded.pair("de", "vacaciones") == known.pair("de", "vacaciones") == 8
    assert words_of_index(tmp_path) == known.of_index


def test_an_old_index_without_words_loads_none(tmp_path):
    assert KnownWords.load(tmp_path) is None
    assert words_of_index(tmp_path) == {}


def test_a_damaged_file_is_told(tmp_path):
    (tmp_path / "words.npz").write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(IndexMissing, match=r"words\.npz"):
        KnownWords.load(tmp_path)


def test_a_language_without_data_has_no_reader_of_spelling():
    assert typing_of("en") is None


def test_a_word_that_sounds_as_a_known_one_is_no_slip_for_a_more_common_one():
    counts = dict.fromkeys(["no", "a", "trabajar", "en", "la", "empresa"], 400) | {"viene": 300, "tiene": 40_000}
    asked = Asked.of(["no tiene la empresa"] * 50, OTHERS, typing_of("es"), SPANISH)
    speller = Speller(KnownWords.build(counts, asked, typing_of("es"), SPANISH), typing_of("es"), SPANISH)
    assert read(speller, "no biene a trabajar en la empresa") == "no viene a trabajar en la empresa"
    assert read(speller, "no tienne a trabajar en la empresa") == "no tiene a trabajar en la empresa"
