"""The text by which a question is scored, and the language in which it is answered."""

import pytest
from support.states import begun

from articulado.language.languages import language
from articulado.values.answers import question_of, whole_text
from nodes.turn import is_translated, language_of_turn, question_to_score

ES = language("es")


def state_with(question, *queries, spoken="", subject=""):
    read = {**question_of(question, subject), "language": spoken}
    return {**begun(), "question": question, "queries": list(queries), "turn_question": read}


def test_a_question_in_another_language_is_scored_by_its_searches():
    state = state_with("How long is my notice?", "preaviso dimisión", "plazo preaviso", spoken="en")
    assert whole_text(question_to_score(state)) == "preaviso dimisión plazo preaviso"


@pytest.mark.parametrize(
    ("question", "queries", "spoken", "subject"),
    [
        ("¿Cuánto preaviso doy?", ["dimisión plazo"], "", ""),
        ("plazo preaviso dimisión", ["plazo preaviso dimisión"], "", ""),
        ("plazo preaviso dimisión", ["dimisión trabajador preaviso"], "", ""),
        ("How long is my notice?", ["long notice"], "en", ""),
        ("How long is my notice?", [], "en", ""),
        ("¿autónomos?", ["baja médica autónomos"], "", "¿cobro la baja médica?"),
    ],
)
def test_any_other_question_is_scored_as_it_was_asked(question, queries, spoken, subject):
    state = state_with(question, *queries, spoken=spoken, subject=subject)
    assert not is_translated(state)
    assert question_to_score(state) == state["turn_question"]


@pytest.mark.parametrize(("spoken", "code"), [("", "es"), ("en", "en"), ("fr", "es")])
def test_a_turn_is_answered_in_a_language_that_has_texts(spoken, code):
    assert language_of_turn(state_with("¿?", spoken=spoken), ES).code == code
