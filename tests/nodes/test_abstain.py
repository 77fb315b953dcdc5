"""What is said in place of an answer: the nearest provisions, where to ask, or what is missing."""

import pytest
from langgraph.runtime import Runtime
from support.doubles import make_chunk

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.vocabulary.matters import matters
from articulado.prompting.abstention import MAX_EXCERPT
from articulado.retrieval.agreements import empty_analysis
from articulado.retrieval.fusion import candidate
from nodes.abstain import abstain
from nodes.finalize import finalize
from state.context import ResolvedContext
from state.rag import fresh_turn

LABORAL, PLAN = load_profile("laboral"), load_profile("plan_401k")
PLACES = "Normativa, Sentencias, Criterios administrativos, Documentos"


def state_with(**values):
    return {
        **fresh_turn(),
        "question": "¿Cuánto pago de IRPF?",
        "queries": ["IRPF"],
        "store": "index",
        "today": "2024-06-01",
        "as_of": None,
        "analysis": empty_analysis(),
        "candidates": [],
        **values,
    }


async def said(profile=LABORAL, *, said_to=None, **values):
    events = [] if said_to is None else said_to
    runtime = Runtime(context=ResolvedContext(), stream_writer=events.append)
    return await abstain(state_with(**values), runtime, profile=profile, language=language(profile.language))


async def ended(profile=LABORAL, **values):
    """Return how the turn closes after the text in place of an answer."""
    update = await said(profile, **values)
    runtime = Runtime(context=ResolvedContext(), stream_writer=lambda event: None)
    state = {**state_with(**values), **update}
    return await finalize(state, runtime, profile=profile, language=language(profile.language))


# Nearly answered.

VACATION = make_chunk(38, "Artículo 38", title="Vacaciones anuales", summary="Treinta días al año como mínimo.")
SECOND_PART = make_chunk(39, "Artículo 38", title="Vacaciones anuales", part=2, parts=2, text="Segunda parte.")
LONG = make_chunk(48, "Artículo 48", title="", text="\n ".join(f"palabra{n}" for n in range(1, MAX_EXCERPT + 2)))
THIRD = make_chunk(55, "Artículo 55", title="Despido")


def scored(chunk, score):
    return {**candidate(chunk, 0.5, "hybrid"), "rerank_score": score, "final_score": score}


NEAREST = [scored(THIRD, 0.3), scored(LONG, 0.45), scored(SECOND_PART, 0.46), scored(VACATION, 0.48)]


async def test_nearly_answered_shows_the_two_best_provisions_and_how_to_ask_better():
    excerpt = " ".join(f"palabra{n}" for n in range(1, MAX_EXCERPT + 1))
    update = await said(outcome="near", candidates=NEAREST)
    assert update["answer"] == (
        "No estoy seguro de que esto responda a su pregunta. Lo más cercano que tengo:\n\n"
        "- Estatuto de los Trabajadores, Artículo 38 (Vacaciones anuales): Treinta días al año como mínimo. [C1]\n"
        f"- Estatuto de los Trabajadores, Artículo 48: {excerpt} […] [C2]\n\n"
        "Para afinar, añada a la pregunta qué ha pasado, qué contrato o prestación tiene y qué quiere saber de ello."
    )
    assert (update["outcome"], update["abstained"]) == ("near", True)
    assert [found["chunk"]["id"] for found in update["context"]] == [38, 48]


async def test_nearly_answered_cites_what_it_shows_and_is_no_answer():
    result = await ended(outcome="near", candidates=NEAREST)
    assert [(shown["mark"], shown["chunk_id"]) for shown in result["citations"]] == [("C1", 38), ("C2", 48)]
    assert (result["outcome"], result["abstained"]) == ("near", True)


async def test_a_text_that_fits_is_whole_and_a_title_that_says_the_label_again_is_left_out():
    short = make_chunk(1, "Artículo 1", title="Artículo 1", text=" ".join(["palabra"] * MAX_EXCERPT))
    update = await said(outcome="near", candidates=[scored(short, 0.4)])
    shown = update["answer"].split("\n\n")[1]
    assert shown == f"- Estatuto de los Trabajadores, Artículo 1: {' '.join(['palabra'] * MAX_EXCERPT)} [C1]"


async def test_what_stands_in_brackets_in_a_provision_is_no_mark():
    bracketed = make_chunk(1, "Artículo 1", title="Cuadro [C7]", text="Véase el cuadro [C2].")
    result = await ended(outcome="near", candidates=[scored(bracketed, 0.4)])
    assert "Artículo 1 (Cuadro (C7)): Véase el cuadro (C2). [C1]" in result["answer"]
    assert [shown["mark"] for shown in result["citations"]] == ["C1"]


async def test_nearly_answered_in_english():
    chunk = make_chunk(1, "Hardship", law_name="Plan guide", title="Hardship withdrawals", summary="Up to the need.")
    update = await said(PLAN, outcome="near", candidates=[scored(chunk, 0.3)])
    assert update["answer"] == (
        "I am not sure that this answers your question. The nearest that I have:\n\n"
        "- Plan guide, Hardship (Hardship withdrawals): Up to the need. [C1]\n\n"
        "To narrow it down, add to the question what has happened and what you want to know about it."
    )


# Declined.


async def test_a_refusal_says_what_the_matter_seems_to_be_where_to_ask_and_what_was_searched():
    update = await said(outcome="decline", matter="fiscal", candidates=NEAREST)
    assert update["answer"] == (
        "No tengo esa información verificada. "
        "Parece una cuestión de impuestos, y eso no lo resuelven las normas laborales y de Seguridad Social de España. "
        "La resuelven la Agencia Tributaria (sede.agenciatributaria.gob.es) o una asesoría fiscal.\n\n"
        f"He buscado «¿Cuánto pago de IRPF?» en: {PLACES}."
    )
    assert (update["outcome"], update["abstained"], update["context"]) == ("decline", True, [])


async def test_a_matter_that_only_the_reader_names_is_told_in_its_words():
    update = await said(outcome="decline", other_matter="derecho de familia [C1]", candidates=NEAREST)
    assert "Parece una cuestión de derecho de familia (C1), y eso no lo resuelven" in update["answer"]
    assert "otras palabras" not in update["answer"]
    nothing = await said(outcome="decline", other_matter="", candidates=NEAREST)
    assert "Parece" not in nothing["answer"]
    assert nothing["answer"].endswith("Puede probar con otras palabras o indicar la ley y el artículo.")


@pytest.mark.parametrize("key", [key for key in matters() if key != "indeterminada"])
async def test_every_matter_can_be_said_and_cites_nothing(key):
    result = await ended(outcome="decline", matter=key, candidates=NEAREST)
    first, searched = result["answer"].split("\n\n")
    matter = matters()[key]
    ending = f" {matter.where}" if matter.where else "España."
    assert first.startswith(f"No tengo esa información verificada. Parece {matter.about}, y eso no ")
    assert first.endswith(ending)
    assert searched.startswith("He buscado «")
    assert result["citations"] == []
    assert (result["outcome"], result["abstained"]) == ("decline", True)


@pytest.mark.parametrize("matter", ["", "indeterminada", "materia_de_otro_modelo"])
async def test_a_matter_that_is_not_known_is_not_guessed(matter):
    update = await said(outcome="decline", matter=matter)
    assert update["answer"].startswith("No tengo esa información verificada.\n\nHe buscado «")


async def test_what_was_not_judged_is_declined():
    # Nothing was found: the stage before the judgement leads here.
    update = await said(outcome="answer")
    assert (update["outcome"], update["abstained"]) == ("decline", True)


async def test_a_refusal_in_english():
    update = await said(PLAN, question="What is the weather?", queries=["weather"], outcome="decline")
    assert update["answer"] == (
        "I do not have verified information on that.\n\nI searched for “What is the weather?” in: "
        "Knowledge base. You may try other words."
    )


# What was searched.


async def searched_for(question, *queries, **values):
    """Return the searches as the refusal shows them."""
    update = await said(question=question, queries=list(queries), outcome="decline", **values)
    begin, end = "He buscado ", f" en: {PLACES}."
    sentence = update["answer"].split("\n\n")[1]
    assert sentence.startswith(begin)
    return sentence[len(begin) : sentence.index(end)]


async def test_a_search_of_the_words_of_the_question_alone_is_shown_as_the_question():
    question = "¿Qué tiempo hará mañana en la costa?"
    assert await searched_for(question, "tiempo hará mañana costa") == f"«{question}»"
    assert await searched_for(question, "mañana costa", "tiempo") == f"«{question}»", "once"


async def test_a_search_of_other_words_is_shown_as_it_was_made():
    shown = await searched_for("¿y la paella?", "receta de paella", "paella")
    assert shown == "«receta de paella», «¿y la paella?»"


async def test_a_question_that_its_conversation_completes_is_shown_complete():
    completed = "¿y el 49? (artículo 49, Estatuto de los Trabajadores)"
    assert await searched_for("¿y el 49?", "artículo 49", contextualized_question=completed) == f"«{completed}»"


async def test_without_a_search_the_question_is_shown_in_one_line():
    assert await searched_for("¿y la\n  playa?") == "«¿y la playa?»"


async def test_a_long_question_is_cut_at_a_word_within_160_characters():
    # 31 words of four letters and a blank are 155 characters; the 160 end with the next one, "pala".
    question = " ".join(["pala"] * 31 + ["palabras"] * 5)
    assert await searched_for(question, "pala") == f"«{' '.join(['pala'] * 31)} […]»"


async def test_a_question_of_160_characters_is_whole_and_no_mark_is_left_at_a_cut():
    exact = "a" * 79 + " " + "b" * 80
    assert await searched_for(exact, exact) == f"«{exact}»"
    cut = "a" * 70 + " " + "b" * 80 + ", " + "c" * 20
    assert await searched_for(cut, cut) == f"«{'a' * 70} {'b' * 80} […]»"


async def test_a_mark_in_the_question_cites_nothing():
    result = await ended(question="¿Qué dice [C1] de la paella?", queries=["[C1] paella"], outcome="decline")
    assert "«¿Qué dice (C1) de la paella?»" in result["answer"]
    assert result["citations"] == []


async def test_quotation_marks_of_the_question_become_inner_ones():
    assert await searched_for("¿Qué es «usufructo»?", "usufructo") == "«¿Qué es “usufructo”?»"


# Asked back.


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("¿Cuánto me corresponde?", "Para decirle cuánto, me falta saber:"),
        ("¿cuanto dinero es?", "Para decirle cuánto, me falta saber:"),
        ("¿Qué cantidad me deben?", "Para decirle cuánto, me falta saber:"),
        ("¿Hasta cuándo puedo?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿Cuánto tiempo tengo?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿CUÁNTOS DÍAS SON?", "Para decirle el plazo o la duración, me falta saber:"),
        ("¿Qué hago?", "Para responderle, me falta saber de qué se trata. Dígame:"),
        ("ayuda", "Para responderle, me falta saber de qué se trata. Dígame:"),
    ],
)
async def test_what_says_too_little_is_asked_for_what_it_wants_to_know(question, begin):
    result = await ended(question=question, outcome="ask", matter="indeterminada", candidates=NEAREST)
    first, *asked = result["answer"].splitlines()
    assert first == begin
    assert len(asked) == 3
    assert all(line.startswith("- ") for line in asked)
    assert (result["outcome"], result["abstained"], result["citations"]) == ("ask", True, [])


async def test_a_question_without_a_word_of_any_topic_that_finds_nothing_is_asked_back():
    vague = {"question": "¿Me corresponde?", "queries": ["¿Me corresponde?"]}
    update = await said(**vague, analysis=empty_analysis())
    assert (update["outcome"], update["answer"].splitlines()[0]) == (
        "ask",
        "Para responderle, me falta saber de qué se trata. Dígame:",
    )
    named = {**empty_analysis(), "provisions": [{"law_id": "BOE-A-2015-11430", "provision_key": "art:999"}]}
    assert (await said(**vague, analysis=named))["outcome"] == "decline"
    assert (await said(question="fotosíntesis", analysis=empty_analysis()))["outcome"] == "decline"


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("How much is it?", "To tell you how much, I need to know:"),
        ("How long do I have?", "To tell you by when or for how long, I need to know:"),
        ("What now?", "To answer, I need to know what it is about. Tell me:"),
    ],
)
async def test_asked_back_in_english(question, begin):
    first, *asked = (await said(PLAN, question=question, outcome="ask"))["answer"].splitlines()
    assert first == begin
    assert len(asked) == 2


@pytest.mark.parametrize("outcome", ["near", "decline", "ask"])
async def test_the_text_is_streamed_as_one_token(outcome):
    events = []
    update = await said(said_to=events, outcome=outcome, candidates=NEAREST)
    assert events == [{"type": "token", "text": update["answer"]}]
