"""Languages: the same messages with the same fields in each, and what is known of a language by its code."""

import string
import tomllib
from importlib import resources

import pytest

from articulado.language.languages import LANGUAGES, answered_in, in_spanish, language, language_of
from articulado.language.spanish import analysis_fingerprint, content_words, stem_word, stems, stop_words
from articulado.values.errors import ConfigurationError

FILES = resources.files("articulado.language").joinpath("data", "languages")


def written(code):
    return tomllib.loads(FILES.joinpath(f"{code}.toml").read_text(encoding="utf-8"))


def fields(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def test_every_language_has_the_same_messages_with_the_same_fields():
    spanish, *others = (
        {key: fields(message) for key, message in written(code)["messages"].items()} for code in LANGUAGES
    )
    assert len(LANGUAGES) == len(others) + 1 >= 2
    assert others == [spanish] * len(others)
    assert spanish["case_missing_data"] == {"fields"}


def test_every_file_of_a_language_is_known():
    assert {file.name for file in FILES.iterdir()} == {f"{code}.toml" for code in LANGUAGES}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_says_something_when_its_fields_are_given(code):
    for key, message in written(code)["messages"].items():
        text = language(code).translate(key, **dict.fromkeys(fields(message), "#"))
        assert text.strip() == text != ""
        assert not {"{", "}"} & set(text)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("es", "días semanas meses años horas minutos euros porcentajes"),
        ("en", "days weeks months years hours minutes dollars percentages"),
    ],
)
def test_units_of_figures_go_by_the_stems_of_their_words(code, words):
    assert set(language(code).query_patterns.units) == set(language(code).stems(words))


@pytest.mark.parametrize("code", LANGUAGES)
def test_words_of_forms_are_read_on_demand_and_exist_in_every_language(code):
    spoken = language(code)
    assert ("no",) in spoken.data_words.denial
    assert spoken.data_words is spoken.data_words


def test_a_message_has_its_fields_filled_in():
    assert language("en").translate("case_insufficient_context", tokens=12, minimum=40) == (
        "What was found is not enough for an answer: 12 tokens of context, and 40 are needed"
    )
    assert language("es").translate("no_verified_information") == "No tengo esa información verificada"
    assert language("en").translate("no_verified_information") == "I do not have verified information on that"


def test_unknown_messages_and_missing_fields_raise_key_error():
    with pytest.raises(KeyError):
        language("es").translate("no_such_message")
    with pytest.raises(KeyError, match="minimum"):
        language("es").translate("case_insufficient_context", tokens=1)


def test_quotation_marks_inside_a_quotation_are_inner_ones():
    assert language("es").quoted("el «plazo» es") == "«el “plazo” es»"
    assert language("en").quoted("the “direct” one") == "“the ‘direct’ one”"


def test_an_unknown_language_is_told_with_those_that_there_are():
    with pytest.raises(ConfigurationError, match=r"No se conoce el idioma «fr»\. Los que hay son: es, en\."):
        language("fr")


def test_a_language_is_read_once():
    assert language("en") is language("en")


def test_the_fingerprint_of_spanish_is_unchanged():
    spanish, text = language("es"), "¿Qué dice el artículo 48 bis sobre las indemnizaciones y los años de servicio?"
    assert spanish.fingerprint == analysis_fingerprint()
    assert spanish.stop_words == stop_words()
    assert spanish.stems(text) == stems(text)
    assert spanish.content_words(text) == content_words(text)
    assert spanish.stem_word is stem_word


def test_fingerprints_of_languages_differ():
    assert len({language(code).fingerprint for code in LANGUAGES}) == len(LANGUAGES)


QUESTIONS = {
    "es": ["¿Cuántos días de vacaciones tengo?", "me an despedido, q ago", "cuanto dura el paro", "nomina de enero"],
    "en": ["How many days of holiday do I have?", "minimum wage spain 2026", "can they change my shift", "HOLIDAY PAY"],
    "ca": ["Quants dies de vacances tinc?", "Quina durada té el període de prova?", "em paguen tard, puc reclamar?"],
    "gl": ["Canto dura o período de proba?", "botáronme do traballo onte, que fago", "teño dereito a vacacións?"],
    "eu": ["Zenbat opor egun dagozkit?", "Enpresak ez dit soldata ordaindu", "noiz erretira naiteke"],
    "pt": ["Quantos dias de férias tenho?", "nao me pagaram o salario o que faço", "Com que idade me posso reformar?"],
    "ro": ["Câte zile de concediu am?", "cate zile de concediu am pe an", "firma nu mi-a platit salariul"],
    "ar": ["كم عدد أيام الإجازة؟", "صاحب العمل لا يدفع لي راتبي"],
    "fr": ["Combien de jours de congés ai-je ?", "mon patron ne me paye pas les heures sup"],
    "it": ["Quanti giorni di ferie ho?", "l'azienda non mi paga lo stipendio"],
    "de": ["Wie viele Urlaubstage habe ich?", "wie hoch ist das arbeitslosengeld"],
    "uk": ["Скільки днів відпустки я маю?", "яка мінімальна зарплата в іспанії"],
    "ru": ["Сколько дней отпуска мне положено?", "Работодатель не платит за сверхурочные"],
    "bg": ["Колко дни отпуск имам?", "Работодателят не ми плаща извънредните часове"],
    "zh": ["我有多少天年假？", "公司不付加班费怎么办"],
    "pl": ["Ile dni urlopu mi przysługuje?", "kiedy moge przejsc na emeryture"],
    "nl": ["Hoeveel vakantiedagen heb ik?", "Mijn baas betaalt mijn overuren niet"],
}


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in QUESTIONS.items() for text in texts])
def test_the_language_of_a_question_is_recognised(code, text):
    assert language_of(text, language("es")) == code


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "erte", "no", "art. 56.1", "SMI 2026", "finiquito", "mobbing", "plus de peligrosidad funcionarios"),
        *("kuanto cobro de paro", "autonomo cuota", "cuantas bacaciones m tocan", "mi empresa no me da de alta"),
        *("despido improcedente indemnización", "el plus transporte cotiza?", "en mi contrato no viene horario"),
        *("q ago si no me pagan la nomina", "permiso paternidad semanas", "ss no contesta", "prueva de 2 meses"),
    ],
)
def test_short_and_misspelt_spanish_is_spanish(text):
    assert language_of(text, language("es")) == "es"


def test_an_undecided_text_is_in_the_expected_language():
    assert [language_of(text, language("en")) for text in ("", "art. 56.1", "erte", "How long?")] == ["en"] * 4
    assert language_of("¿Cuántos días de vacaciones me corresponden al año?", language("en")) == "es"


@pytest.mark.parametrize(
    ("code", "expected", "answered"),
    [("es", "en", "es"), ("en", "es", "en"), ("ca", "es", "es"), ("fr", "es", "es"), ("fr", "en", "en")],
)
def test_a_language_without_texts_is_answered_in_the_expected_one(code, expected, answered):
    assert answered_in(code, language(expected)) is language(answered)


def test_every_other_language_says_in_its_own_words_that_the_answer_is_in_spanish():
    rows = tomllib.loads(FILES.parent.joinpath("recognised.toml").read_text(encoding="utf-8"))["language"]
    codes = [row["code"] for row in rows]
    assert len(codes) == len(set(codes)) >= 16
    assert in_spanish("es") == ""
    others = [code for code in codes if code != "es"]
    assert {code: language_of(in_spanish(code), language("es")) for code in others} == {code: code for code in others}
    assert all("\n" not in in_spanish(code) for code in others)


@pytest.mark.parametrize("code", ["xx", "", "und"])
def test_a_language_that_is_not_recognised_has_no_line(code):
    assert in_spanish(code) == ""
