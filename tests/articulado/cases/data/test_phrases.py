"""Phrases in a value, and the listed values that a text names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.cases.data.phrases import has_phrase, named_choices
from articulado.language.languages import LANGUAGES, language

STATUS = {
    "terminated": ["fired", "no longer employed", "separated from service"],
    "active": ["employed", "still employed", "on leave"],
    "retired": [],
}
LETTER = {"sí": ["carta", "por escrito"], "no": ["sin carta", "verbal"]}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("terminated", {"terminated"}),
        ("TERMINATED!", {"terminated"}),
        ("now no_longer_employed", {"terminated"}),
        ("She was fired in May", {"terminated"}),
        ("no longer employed", {"terminated"}),
        ("she is no longer employed there", {"terminated"}),
        ("on leave", {"active"}),
        # listed words go before other forms: neither is "employed"
        ("terminated by employer", {"terminated"}),
        ("terminated employee", {"terminated"}),
        ("retirement", {"retired"}),
        ("an employee", {"active"}),
        # denied
        ("not active", set()),
        ("isn't active", set()),
        ("not currently employed", set()),
        ("not in an active status", set()),
        ("never terminated", set()),
        ("no, active", {"active"}),
        # both
        ("fired, but still employed", {"terminated", "active"}),
        ("banana", set()),
        ("on unpaid vacation", set()),
        ("", set()),
    ],
)
def test_a_text_names_listed_values_anywhere_in_any_form_unless_it_denies_them(text, named):
    assert named_choices(text, STATUS, language("en")) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("sin carta", {"no"}),
        ("Si", {"sí"}),
        ("true", {"sí"}),
        ("false", {"no"}),
        ("Por escrito, en mano", {"sí"}),
        ("no por escrito", {"no"}),
        ("verbalmente", {"no"}),
        ("ya no trabaja", {"no"}),
        ("quizá", set()),
    ],
)
def test_yes_and_no_are_values_like_others(text, named):
    assert named_choices(text, LETTER, language("es")) == named


def test_what_a_spanish_negation_denies_is_not_named():
    choices = {"activo": ["trabaja", "de alta"], "baja": ["de baja"]}
    assert named_choices("ya no trabaja", choices, language("es")) == set()
    assert named_choices("no está de alta; está de baja", choices, language("es")) == {"baja"}


@pytest.mark.parametrize(
    ("phrase", "value", "expected"),
    [
        ("active", "Active employee", True),
        ("active", "still ACTIVE, on leave", True),
        ("still employed", "yes, still employed there", True),
        ("still employed", "employed, still", False),
        ("active", "inactive", False),
    ],
)
def test_a_phrase_is_found_anywhere_or_is_all_of_a_value(phrase, value, expected):
    assert has_phrase(value, phrase, language("en"), anywhere=True) is expected
    assert not has_phrase(value, phrase, language("en"), anywhere=False)
    assert has_phrase(phrase.upper(), phrase, language("en"), anywhere=False)


def test_no_phrase_runs_across_the_end_of_a_clause():
    choices = {"pregnant": ["estoy embarazada"], "none": ["no", "no estoy embarazada"]}
    assert named_choices("no estoy embarazada", choices, language("es")) == {"none"}
    assert named_choices("no, estoy embarazada", choices, language("es")) == {"pregnant", "none"}
    assert named_choices("no; estoy embarazada de tres meses", choices, language("es")) == {"pregnant", "none"}
    assert not has_phrase("no, active", "no active", language("en"), anywhere=True)


def test_a_question_that_is_answered_with_no_denies():
    assert named_choices("terminated? no", STATUS, language("en")) == set()
    assert named_choices("terminated? yes", STATUS, language("en")) == {"terminated"}


@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_names_nothing_but_listed_values(text, code):
    assert named_choices(text, STATUS, language(code)) <= STATUS.keys()


@given(st.sampled_from([*STATUS, *(alias for others in STATUS.values() for alias in others)]))
def test_every_way_to_write_a_value_names_it_alone(written):
    owner = next(value for value, others in STATUS.items() if written in (value, *others))
    assert named_choices(f"({written.title()})", STATUS, language("en")) == {owner}
