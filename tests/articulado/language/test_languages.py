"""Languages: the same messages with the same fields in each, and what is known of a language by its code."""

import string
import tomllib
from importlib import resources

import pytest

from articulado.language.languages import LANGUAGES, UNKNOWN_LANGUAGE, answered_in, language, language_of
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
def test_what_only_cases_ask_for_is_read_when_they_do_and_stands_in_every_language(code):
    spoken = language(code)
    assert ("no",) in spoken.data_words.denial
    assert spoken.data_words is spoken.data_words


def test_a_message_has_its_fields_filled_in():
    assert language("en").translate("case_insufficient_context", tokens=12, minimum=40) == (
        "What was found is not enough for an answer: 12 tokens of context, and 40 are needed"
    )
    assert language("es").translate("no_verified_information") == "No tengo esa información verificada"
    assert language("en").translate("no_verified_information") == "I do not have verified information on that"


def test_a_message_that_is_not_there_or_lacks_a_field_is_a_mistake_of_ours():
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


def test_spanish_is_the_analysis_that_indexes_were_made_with():
    spanish, text = language("es"), "¿Qué dice el artículo 48 bis sobre las indemnizaciones y los años de servicio?"
    assert spanish.fingerprint == analysis_fingerprint()
    assert spanish.stop_words == stop_words()
    assert spanish.stems(text) == stems(text)
    assert spanish.content_words(text) == content_words(text)
    assert spanish.stem_word is stem_word


def test_languages_are_analysed_under_names_of_their_own():
    assert len({language(code).fingerprint for code in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("text", "code", "answered"),
    [
        ("¿Cuántos días de vacaciones tengo?", "es", "es"),
        ("How many days of holiday do I have?", "en", "en"),
        ("Quants dies de vacances tinc?", "ca", "es"),
        ("Quina durada té el període de prova?", "ca", "es"),
        ("Canto dura o período de proba?", "gl", "es"),
        ("Zenbat opor egun dagozkit?", "eu", "es"),
        ("Combien de jours de congés ai-je ?", "fr", "en"),
        ("Wie viele Urlaubstage habe ich?", "de", "en"),
        ("Quantos dias de férias tenho?", "pt", "en"),
        ("Скільки днів відпустки я маю?", "uk", "en"),
        ("كم عدد أيام الإجازة؟", "ar", "en"),
        ("despido improcedente indemnización", UNKNOWN_LANGUAGE, "es"),
        ("plus de peligrosidad funcionarios", UNKNOWN_LANGUAGE, "es"),
        ("", "es", "es"),
    ],
)
def test_the_language_of_a_question_and_of_the_texts_for_it(text, code, answered):
    assert language_of(text, language("es")) == code
    assert answered_in(code, language("es")) is language(answered)
