"""What a follow-up remembers: the law it was about, the subject, and when neither counts any more."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.prompts import read_prompt

from articulado.retrieval.relevance.judge import Judgement
from articulado.values.answers import whole_text
from graph.rag import build_rag
from state.context import RunContext

HOLIDAYS = make_chunk(38, "Artículo 38", title="Vacaciones anuales")
OTHERS = [make_chunk(n, f"Artículo {n}") for n in range(100, 160)]
NEW = '["incapacidad temporal"]'
"""What a reader writes that keeps to new concepts alone."""
RANKINGS = {
    "vacaciones anuales": [(38, 1.0)],
    "incapacidad temporal": [(chunk["id"], 1.0 - place / 100) for place, chunk in enumerate(OTHERS)],
    "salario mínimo": [(100, 1.0), (101, 0.9)],
}
SEARCHED = "¿y si estoy de baja? ¿Cuántos días de vacaciones tengo?"
ANSWER = "Treinta días [C1].\n===META===\nUSED|1\nDROP|ninguno"


def conversation(*replies, answers=(ANSWER,), **fields):
    live = make_services(
        FakeStore([HOLIDAYS, *OTHERS], RANKINGS),
        QueueChat('["vacaciones anuales"]', *replies),
        QueueChat(*answers),
        rerankers={"heuristic": FixedReranker({38: 0.9}, is_cheap=True)},
        **fields,
    )
    return live, build_rag(live, InMemorySaver())


async def turns(conversation, first, *questions, scores=None, **context):
    """Ask one question after the other; by the ``scores`` of the later ones what was carried over is worth nothing."""
    live, graph = conversation
    thread = {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"question": first}, thread, context=RunContext(**context))
    live.rerankers["heuristic"].scores = {38: 0.05, **(scores or {})}
    for question in questions:
        await graph.ainvoke({"question": question}, thread, context=RunContext(**context))
    return (await graph.aget_state(thread)).values


def read_by_principal(live):
    fragments, question = read_prompt(live.principal_model.calls[-1][1][-1]["content"])
    return [fragment.provision for fragment in fragments], question


@pytest.mark.parametrize("strategy", ["none", "heuristic"])
@pytest.mark.parametrize("limit", [2, 4, 25])
async def test_the_law_that_a_follow_up_was_about_is_read_whatever_the_reader_searches(strategy, limit):
    live, graph = conversation(NEW)
    await turns(
        (live, graph),
        "¿Cuántos días de vacaciones tengo?",
        "¿y si estoy de baja?",
        rerank_strategy=strategy,
        max_chunks_in_prompt=limit,
    )
    provisions, _ = read_by_principal(live)
    assert "Artículo 38" in provisions
    assert len(provisions) <= limit
    assert any(provision != "Artículo 38" for provision in provisions)


async def test_a_follow_up_is_searched_ranked_and_answered_with_its_subject():
    live, graph = conversation(NEW)
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y si estoy de baja?")
    question = values["turn_question"]
    assert (question["text"], question["subject"]) == ("¿y si estoy de baja?", "¿Cuántos días de vacaciones tengo?")
    assert values["searches"] == ["incapacidad temporal", SEARCHED]
    assert live.rerankers["heuristic"].questions[-1] == "¿y si estoy de baja?"
    assert read_by_principal(live)[1] == "¿y si estoy de baja?"
    prompt = live.principal_model.calls[-1][1][-1]["content"]
    assert "\n\nTEMA DE LA CONVERSACIÓN: ¿Cuántos días de vacaciones tengo?\n\nPREGUNTA:\n" in prompt
    asked = live.reader_model.calls[-1][1][-1]["content"]
    assert asked == "¿y si estoy de baja?\nTEMA DE LA CONVERSACIÓN: ¿Cuántos días de vacaciones tengo?"


async def test_the_subject_lasts_while_turns_lean_on_it():
    live, graph = conversation(NEW)
    values = await turns(
        (live, graph), "¿Cuántos días de vacaciones tengo?", "¿y de baja?", "gracias", "¿y si soy interina?", "¿y fija?"
    )
    assert values["turn_question"]["subject"] == "¿Cuántos días de vacaciones tengo? ¿y si soy interina?"
    assert "Artículo 38" in read_by_principal(live)[0]


@pytest.mark.parametrize("reply", ['["salario mínimo"]', "[]"])
async def test_a_new_topic_drops_what_was_carried_over_and_the_subject(reply):
    live, graph = conversation(reply)
    question = "Otra cosa: ¿cuánto es el salario mínimo de un peón agrícola este año?"
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", question)
    assert values["turn_question"]["new_topic"] is True
    assert not live.reader_model.calls[-1][0].startswith("MODO: SEGUIMIENTO")
    assert whole_text(values["turn_question"]) == question
    assert all("carryover" not in candidate["origins"] for candidate in values["candidates"])


async def test_a_reader_may_say_that_a_follow_up_begins_a_new_topic():
    live, graph = conversation('["TEMA_NUEVO", "salario mínimo"]')
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y el mínimo?")
    assert (values["turn_question"]["new_topic"], values["queries"]) == (True, ["salario mínimo"])
    assert whole_text(values["turn_question"]) == "¿y el mínimo?"
    assert set(read_by_principal(live)[0]) == {"Artículo 100", "Artículo 101"}
    assert 38 not in values["context_chunk_ids"]


async def test_a_thread_remembers_that_the_reader_found_a_new_topic():
    live, graph = conversation('["TEMA_NUEVO", "salario mínimo"]', NEW)
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y el mínimo?", "¿y a media jornada?")
    assert whole_text(values["turn_question"]) == "¿y a media jornada? ¿y el mínimo?"


@pytest.mark.parametrize("question", ["explícamelo mejor", "¿en qué artículo lo pone?"])
async def test_what_is_about_the_answer_is_answered_from_what_it_rested_on_in_its_order(question):
    two = "Treinta días [C2], y más [C1].\n===META===\nUSED|2,1\nDROP|ninguno"
    live, graph = conversation('["salario mínimo"]', "[]", answers=(ANSWER, two, ANSWER))
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y el mínimo?", question)
    assert values["searches"] == []
    handed_on = [candidate["chunk"]["id"] for candidate in values["carried"]]
    assert [f"Artículo {number}" for number in handed_on] == read_by_principal(live)[0]


async def test_what_follows_and_has_nothing_to_do_with_anything_is_not_answered():
    live, graph = conversation('["receta paella"]')
    nothing = dict.fromkeys([38, *range(100, 160)], 0.01)
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y la paella?", scores=nothing)
    assert values["outcome"] == "decline"
    # The conversation goes on where it was.
    assert values["context_chunk_ids"] == [38]


async def test_another_field_named_by_the_reader_is_told_in_the_refusal():
    live, graph = conversation("[] OTRA_MATERIA: derecho fiscal")
    question = "Otra cosa: ¿cómo declaro a Hacienda la venta de un piso heredado?"
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", question, scores={100: 0.2})
    assert values["outcome"] == "decline"
    assert "Parece una cuestión de derecho fiscal" in values["answer"]
    assert "otras palabras" not in values["answer"]
    assert len(live.principal_model.calls) == 1


async def test_a_follow_up_of_a_mere_look_up_is_about_its_title():
    live, graph = conversation(NEW)
    values = await turns((live, graph), "¿Qué dice el artículo 38 del ET?", "¿y si estoy de baja?")
    assert values["turn_question"]["subject"] == "Vacaciones anuales, Artículo 38, Estatuto de los Trabajadores"
    assert values["searches"][-1].startswith("¿y si estoy de baja? Vacaciones anuales")
    assert "38" not in values["searches"][-1]
    assert values["outcome"] == "answer"


@pytest.mark.parametrize(
    "reply", ["", '["vacaciones", "baja"', '{"q": "x"}', '["artículo 59 del Estatuto de los Trabajadores"]']
)
async def test_a_reply_that_is_broken_costs_quality_and_not_the_search(reply):
    live, graph = conversation(reply)
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y si estoy de baja?")
    assert values["searches"] == [SEARCHED]
    assert values["turn_question"]["about_answer"] is False


async def test_a_reply_in_prose_says_that_there_is_nothing_to_search():
    live, graph = conversation("No hace falta buscar nada nuevo: es la misma regla.")
    values = await turns((live, graph), "¿Cuántos días de vacaciones tengo?", "¿y si estoy de baja?")
    assert (values["searches"], values["turn_question"]["about_answer"]) == ([], True)


async def test_thanks_are_answered_whatever_was_before():
    live, graph = conversation()
    live.store.rankings = {}
    result = await graph.ainvoke({"question": "muchas gracias"}, {"configurable": {"thread_id": "2"}})
    assert (result["outcome"], result["abstained"]) == ("answer", False)
    assert result["answer"] == "A su disposición. Si tiene otra pregunta, escríbala."


WRITTEN_OUT = "Cuántos días de vacaciones tengo (Artículo 38, Estatuto de los Trabajadores)"


class UnsureJudge:
    """Is unsure of everything."""

    async def judge(self, question, candidates):
        return Judgement(0.3, "")


async def unsure_turns(*questions, **first):
    _, graph = conversation(NEW, judge=UnsureJudge())
    thread = {"configurable": {"thread_id": "1"}}
    results = [await graph.ainvoke({"question": "¿Cuántos días de vacaciones tengo?", **first}, thread)]
    results += [await graph.ainvoke({"question": question}, thread) for question in questions]
    return results, (await graph.aget_state(thread)).values


@pytest.mark.parametrize("message", ["1", "la primera", WRITTEN_OUT])
async def test_a_turn_takes_a_choice_of_the_last_one(message):
    (near, chosen), values = await unsure_turns(message)
    assert [(choice["number"], choice["provision_key"]) for choice in near["choices"]] == [(1, "art:38")]
    assert (chosen["question"], chosen["outcome"], chosen["choices"]) == (message, "answer", [])
    assert chosen["answer"] == "Treinta días [C1]."
    assert [citation["provision_key"] for citation in chosen["citations"]] == ["art:38"]
    first = "¿Cuántos días de vacaciones tengo?"
    assert near["choices"][0]["question"] == WRITTEN_OUT
    assert whole_text(values["turn_question"]) == f"{WRITTEN_OUT} {first}"
    assert [said["content"] for said in values["transcript"] if said["role"] == "user"] == [first, WRITTEN_OUT]


async def test_a_choice_keeps_the_day_of_the_question_that_it_narrows():
    _, values = await unsure_turns("1", question="¿Cuántos días de vacaciones tenía el 3 de mayo de 2019?")
    assert values["as_of"] == "2019-05-03"


async def test_a_number_without_choices_is_a_question():
    (_, _, third), values = await unsure_turns("1", "1")
    assert values["turn_question"]["asked"] == values["question"]
    assert third["question"] == "1"


async def test_a_history_of_the_caller_s_takes_no_choice_of_the_thread():
    _, graph = conversation(NEW, judge=UnsureJudge())
    thread = {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"question": "¿Cuántos días de vacaciones tengo?"}, thread)
    await graph.ainvoke({"question": "1", "history": []}, thread)
    values = (await graph.aget_state(thread)).values
    assert values["turn_question"]["asked"] == values["question"]
