"""The text by which a question is scored, and the language in which it is answered."""

import pytest

from articulado.language.languages import language
from articulado.retrieval.agreements import empty_analysis
from nodes.turn import is_translated, language_of_turn, question_to_score
from state.rag import fresh_turn

ES = language("es")


def state_with(question, *queries, spoken="", **values):
    analysis = {**empty_analysis(), **({"language": spoken} if spoken else {})}
    return {**fresh_turn(), "question": question, "queries": list(queries), "analysis": analysis, **values}


def test_a_question_in_another_language_is_scored_by_its_searches():
    state = state_with("How long is my notice?", "preaviso dimisión", "plazo preaviso", spoken="en")
    assert question_to_score(state) == "preaviso dimisión plazo preaviso"


@pytest.mark.parametrize(
    ("question", "queries", "spoken", "completed"),
    [
        ("¿Cuánto preaviso doy?", ["dimisión plazo"], "", ""),
        ("plazo preaviso dimisión", ["plazo preaviso dimisión"], "und", ""),
        ("plazo preaviso dimisión", ["dimisión trabajador preaviso"], "und", ""),
        ("How long is my notice?", ["long notice"], "en", ""),
        ("How long is my notice?", [], "en", ""),
        ("¿autónomos?", ["baja médica autónomos"], "und", "¿autónomos? (sobre: ¿cobro la baja médica?)"),
    ],
)
def test_any_other_question_is_scored_as_it_was_asked(question, queries, spoken, completed):
    state = state_with(question, *queries, spoken=spoken, contextualized_question=completed)
    assert not is_translated(state)
    assert question_to_score(state) == (completed or question)


@pytest.mark.parametrize(("spoken", "code"), [("", "es"), ("en", "en"), ("und", "es")])
def test_a_turn_is_answered_in_a_language_that_has_texts(spoken, code):
    assert language_of_turn(state_with("¿?", spoken=spoken), ES).code == code
