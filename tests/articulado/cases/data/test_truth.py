"""Yes and no as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field, read

from articulado.guides.data_values import read_truth


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("yes she signed", True),
        ("sí tengo carta", True),
        ("si pero tarde", True),
        ("sí procede", True),
        ("sí, solo una vez", True),
        ("no the form was never sent", False),
        ("no tiene carta", False),
        ("no se la dieron", False),
        ("No one signed", False),
        ("none of them", False),
    ],
)
def test_words_may_follow_a_yes_or_a_no(text, truth):
    assert read_truth(text) is truth


@pytest.mark.parametrize(
    "text",
    [
        *("no sé", "no sé la fecha", "no se sabe", "no idea", "no aplica", "no consta", "no estoy seguro", "no lo sé"),
        *("no hay duda", "no todos", "no me ha contestado", "si procede", "si no", "sí y no", "no, pero sí en mayo"),
        *("no doubt about it", "no answer yet", "no one knows", "yes and no", "yes i don't know", "no yes"),
        *("1 year", "y entonces", "nobody", "siempre"),
    ],
)
def test_what_begins_like_a_yes_or_a_no_may_be_none(text):
    assert read_truth(text) is None


def test_who_does_not_know_has_given_a_placeholder():
    (rejected,) = read([field("signed", "boolean")], {"signed": "no idea"}).rejected
    assert rejected["problem"] == "is a placeholder and no value"


@given(st.lists(st.sampled_from(["yes", "no", "sí", "si", "sé", "y", "or", " ", " ", ",", ".", "idea", "\n"])))
def test_no_text_is_too_much(pieces):
    read_truth("".join(pieces))


ENROLLED = field("on", "boolean", values={"yes": ["enrolled"], "no": ["not enrolled", "refuses"]})


@pytest.mark.parametrize(("text", "truth"), [("enrolled", True), ("not enrolled", False), ("she refuses", False)])
def test_a_list_gives_a_yes_or_no_other_words(text, truth):
    assert read([ENROLLED], {"on": text}).readings["on"].value is truth


def test_words_of_both_are_neither():
    (rejected,) = read([ENROLLED], {"on": "enrolled, but refuses"}).rejected
    assert rejected["problem"] == "says neither yes nor no"
