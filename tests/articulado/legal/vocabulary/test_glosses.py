"""Words of questions in other languages with Spanish ones, and countries that they ask about."""

import pytest

from articulado.language.languages import in_spanish
from articulado.legal.vocabulary.synonyms import GLOSSES, glossed, names_elsewhere

TABLES = sorted(file.name.removesuffix(".txt") for file in GLOSSES.iterdir() if file.name != "elsewhere.txt")


@pytest.mark.parametrize("code", TABLES)
def test_a_table_is_of_a_recognised_language_and_has_each_word_once(code):
    lines = GLOSSES.joinpath(f"{code}.txt").read_text("utf-8").splitlines()
    words = [line.partition("=")[0] for line in lines if not line.startswith("#")]
    assert in_spanish(code)
    assert all("=" in line for line in lines if not line.startswith("#"))
    assert sorted({word for word in words if words.count(word) > 1}) == []


@pytest.mark.parametrize(
    ("code", "question", "spanish"),
    [
        ("ca", "L'empresa no em paga, què faig?", "el empresa no me paga que hago"),
        ("gl", "Poden cambiarme o horario sen avisar?", "pueden cambiar el horario sin avisar"),
        ("eu", "Bidegabeko kaleratzea: zenbat kobratuko dut?", "improcedente despido cuántos cobro tengo"),
        ("ro", "Câte zile de concediu am?", "cuántos días de vacaciones tengo"),
        ("uk", "Скільки триває випробувальний термін?", "cuántos dura periodo de prueba"),
        ("bg", "Колко дни отпуск имам?", "cuántos días vacaciones tengo"),
        ("en", "Can I be fired while on sick leave?", "puedo ser despedido estando en baja médica"),
        ("fr", "Combien de jours de congés payés ?", "cuántos días de vacaciones"),
    ],
)
def test_a_question_gets_its_words_in_spanish(code, question, spanish):
    assert glossed(question, code) == spanish


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("ca", "El gos del veí borda cada nit sense parar"),
        ("en", "My neighbour's dog barks every night"),
        ("zh", "我有多少天年假？"),
        ("es", "¿Cuántas vacaciones tengo?"),
        ("", "vacaciones"),
        ("xx", "quants dies"),
    ],
)
def test_a_question_of_which_few_words_are_known_stays_as_it_is(code, question):
    assert glossed(question, code) == question


@pytest.mark.parametrize(
    ("code", "question", "elsewhere"),
    [
        ("en", "What is the minimum wage in Germany?", True),
        ("fr", "Quel est le salaire minimum en France ?", True),
        ("ro", "Care este salariul minim în România?", True),
        ("uk", "Яка мінімальна зарплата в Україні?", True),
        ("en", "I worked in Germany: does it count for my Spanish pension?", False),
        ("fr", "J'ai travaillé en France, et en Espagne ?", False),
        ("ca", "Quants dies de vacances tinc?", False),
    ],
)
def test_a_question_on_another_country_names_it_and_not_spain(code, question, elsewhere):
    assert names_elsewhere(glossed(question, code)) is elsewhere
