"""What an answer is worth: one rule at a time on answers made by hand, then the whole graph."""

import pytest
from support.chunks import make_chunk
from support.doubles import FakeStore, QueueChat, make_services
from support.doubles import make_chunk as known_chunk

from articulado.values.errors import InvalidInput
from evaluation.answers.answers import (
    CITES_RIGHT,
    NO_INVENTION,
    PRECISION,
    RECALL,
    evaluate_answers,
    measure_answer,
)
from evaluation.answers.tally import answers_report
from evaluation.gold.questions import Question

ET = "BOE-A-2015-11430"
CHUNKS = [make_chunk(number, text=f"Texto de {number} días.") for number in (37, 38, 48)]
CHUNKS += [make_chunk(381, provision="Artículo 38", provision_key="art:38", part=2, text="Parte segunda: 381 días.")]
CHUNKS += [make_chunk(9, collection="sentencias", law_id="ECLI:1", provision="STS 1/2020", text="Son 9 días.")]


def article(number):
    return ET, f"Artículo {number}"


def question_of(answers=(38,), helps=(), facts=()):
    relevant = dict.fromkeys(map(article, answers), 2) | dict.fromkeys(map(article, helps), 1)
    return Question("q", "¿Cuántas vacaciones tengo?", relevant, answer_facts=tuple(facts))


def result_of(answer, *chunk_ids, outcome="answer", relevance=None, findings=()):
    """A result of the graph, as far as it is read."""
    citations = [{"mark": f"C{at}", "chunk_id": chunk_id} for at, chunk_id in enumerate(chunk_ids, start=1)]
    found = [{"check": check, "where": where} for check, where in findings]
    return {"answer": answer, "citations": citations, "outcome": outcome, "relevance": relevance, "findings": found}


def measured(question, result, *, principal_called=True):
    return measure_answer(question, result, CHUNKS, principal_called=principal_called)


def test_precision_is_the_share_of_cited_provisions_that_are_right():
    result = measured(question_of([38], helps=[37]), result_of("Sí [C1][C2][C3].", 38, 37, 48))
    assert result.metrics[PRECISION] == pytest.approx(2 / 3)
    assert (result.cited, result.wrong) == ((article(38), article(37), article(48)), (article(48),))


def test_the_parts_of_a_provision_are_cited_once_and_a_ruling_is_no_provision():
    result = measured(question_of([38]), result_of("Sí [C1][C2][C3].", 38, 381, 9))
    assert result.cited == (article(38),)
    assert result.metrics[PRECISION] == 1.0


def test_a_provision_is_the_same_however_the_gold_set_spells_it():
    question = Question("q", "¿?", {(ET, "Art. 38.1"): 2})
    assert measured(question, result_of("Sí [C1].", 38)).metrics[CITES_RIGHT] == 1.0


def test_an_answer_that_cites_nothing_has_no_precision():
    result = measured(question_of(), result_of("Sí."))
    assert (result.metrics[PRECISION], result.metrics[CITES_RIGHT], result.metrics[RECALL]) == (0.0, 0.0, 0.0)


def test_a_helping_provision_is_right_but_does_not_answer():
    result = measured(question_of([38], helps=[37]), result_of("Sí [C1].", 37))
    assert (result.metrics[PRECISION], result.metrics[CITES_RIGHT], result.metrics[RECALL]) == (1.0, 0.0, 0.0)


def test_recall_is_the_share_of_answering_provisions_cited():
    result = measured(question_of([38, 48], helps=[37]), result_of("Sí [C1][C2].", 38, 37))
    assert (result.metrics[CITES_RIGHT], result.metrics[RECALL]) == (1.0, 0.5)


def test_the_highest_grade_present_answers():
    assert measured(question_of([], helps=[37]), result_of("Sí [C1].", 37)).metrics[RECALL] == 1.0


def test_the_findings_of_the_check_are_inventions_but_for_unreadable_sources():
    findings = [("figure", "45 días"), ("citation", "artículo 99 ET"), ("figure", "45 días"), ("gap", "[fórmula]")]
    result = measured(question_of(), result_of("El artículo 99 ET da 45 días [C1].", 38, findings=findings))
    assert (result.metrics[NO_INVENTION], result.unsupported) == (0.0, ("45 días", "artículo 99 ET"))
    result = measured(question_of(), result_of("Son 38 días [C1].", 38, findings=findings[3:]))
    assert (result.metrics[NO_INVENTION], result.unsupported) == (1.0, ())


def test_facts_that_the_answer_does_not_contain_are_missing():
    result = measured(question_of(facts=["treinta y ocho días", "22 días"]), result_of("Son 38 días [C1].", 38))
    assert result.missing == ("22 días",)


def test_a_positive_that_is_declined_is_refused_wrongly_and_contains_nothing():
    refusal = result_of("No tengo esa información. He buscado 30 días.", outcome="decline")
    result = measured(question_of(facts=["30 días"]), refusal)
    assert result.metrics == {CITES_RIGHT: 0.0, RECALL: 0.0}
    assert (result.unsupported, result.missing, result.abstained) == ((), ("30 días",), True)


def test_the_nearest_provisions_are_shown_but_neither_claimed_nor_answered():
    near = result_of("Quizá le sirvan [C1][C2]: son 99 días.", 38, 48, outcome="near")
    result = measured(question_of([38], facts=["99 días"]), near)
    assert result.metrics == {CITES_RIGHT: 0.0, RECALL: 0.0}
    assert (result.cited, result.wrong) == ((article(38), article(48)), (article(48),))
    assert (result.unsupported, result.missing) == ((), ("99 días",))
    assert result.cites_answer()


@pytest.mark.parametrize(
    ("outcome", "called", "refused_by"),
    [
        ("decline", False, "gate"),
        ("decline", True, "principal"),
        ("answer", True, None),
        ("near", False, None),
        ("ask", False, None),
    ],
)
def test_a_refusal_is_of_the_gate_where_the_principal_was_not_called(outcome, called, refused_by):
    result = measured(question_of(), result_of("…", outcome=outcome, relevance=0.25), principal_called=called)
    assert (result.refused_by, result.abstained, result.relevance) == (refused_by, outcome != "answer", 0.25)


def test_provisions_are_cited_in_the_order_in_which_they_are_read():
    result = measured(question_of([38]), result_of("Primero [C3], y luego [C2, C1].", 37, 48, 38))
    assert result.cited == (article(38), article(48), article(37))
    assert [result.cites_answer(within) for within in (1, 2, None)] == [True, True, True]
    result = measured(question_of([38]), result_of("Primero [C1], y luego [C2, C3].", 37, 48, 38))
    assert [result.cites_answer(within) for within in (1, 2, None)] == [False, False, True]


def test_without_marks_citations_keep_their_order():
    assert measured(question_of(), result_of("Sin marcas.", 48, 37)).cited == (article(48), article(37))


def test_a_ruling_before_it_does_not_keep_a_provision_from_being_the_first():
    assert measured(question_of([38]), result_of("Sí [C1][C2].", 9, 38)).cites_answer(1)


def test_a_helping_provision_cited_first_does_not_count():
    assert not measured(question_of([38], helps=[37]), result_of("Sí [C1].", 37)).cites_answer()
    assert not measured(question_of([]), result_of("Sí [C1].", 37)).cites_answer()


def test_a_negative_that_is_declined_has_no_metrics():
    assert measured(question_of([]), result_of("No tengo esa información.", outcome="decline")).metrics == {}


def test_a_negative_that_is_answered_may_still_invent_nothing():
    assert measured(question_of([]), result_of("Son 38 días [C1].", 38)).metrics == {NO_INVENTION: 1.0}


def test_means_are_over_the_questions_that_a_metric_allows():
    results = [
        measured(question_of(facts=["38 días"]), result_of("Son 38 días [C1].", 38)),
        measured(question_of(), result_of("Son 45 días [C1].", 37, findings=[("figure", "45 días")])),
        measured(question_of([]), result_of("No.", outcome="decline")),
    ]
    means = {"mean": 0.5, "questions": 2}
    assert answers_report(results)["metrics"] == dict.fromkeys((PRECISION, CITES_RIGHT, RECALL, NO_INVENTION), means)
    assert answers_report([])["metrics"] == {}


STORED = [
    known_chunk(38, "Artículo 38", text="Treinta días naturales."),
    known_chunk(37, "Artículo 37", text="Quince días."),
]


def live(*replies):
    store = FakeStore(STORED, {"vacaciones": [(38, 0.9), (37, 0.8)]})
    return make_services(store, QueueChat('["vacaciones"]'), QueueChat(*replies))


async def test_the_whole_graph_is_asked_and_its_fragments_are_what_counts():
    services = live(
        "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno",
        "Son 99 días [C1].\n===META===\nUSED|1\nDROP|ninguno",
        "No tengo esa información verificada.\n===META===\nUSED|ninguno\nDROP|1,2",
    )
    questions = [
        Question(name, "¿Cuántas vacaciones tengo?", {article(38): 2} if name != "c" else {}, answer_facts=("30 días",))
        for name in "abc"
    ]
    results = (await evaluate_answers(services, questions)).results
    assert [result.question.id for result in results] == ["a", "b", "c"]
    assert [result.unsupported for result in results] == [(), ("99 días",), ()]
    assert [result.outcome for result in results] == ["answer", "answer", "decline"]
    assert results[2].refused_by == "principal"
    assert [result.cited for result in results] == [(article(38),), (article(38),), ()]
    assert results[0].metrics == {PRECISION: 1, CITES_RIGHT: 1, RECALL: 1, NO_INVENTION: 1}
    assert results[0].missing == ()


async def test_where_nothing_is_found_the_gate_declines_before_the_principal():
    services = make_services(FakeStore(STORED, {}), QueueChat('["nada"]'), QueueChat())
    (result,) = (await evaluate_answers(services, [Question("d", "¿Y la paella?", {})])).results
    assert (result.outcome, result.refused_by, result.relevance) == ("decline", "gate", None)


async def test_an_error_names_its_question():
    with pytest.raises(InvalidInput, match="Pregunta «b»: "):
        await evaluate_answers(live("Nada."), [Question("b", " ", {})])
