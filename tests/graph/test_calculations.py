"""A worked result, from the question that asks for it to the answer that leads with it and its check."""

from datetime import date

from langgraph.checkpoint.memory import InMemorySaver
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.settings import ModelSettings, Settings
from articulado.retrieval.relevance.judge import Judgement
from graph.rag import build_rag

ARTICLE = make_chunk(
    53,
    "Artículo 53",
    source="plain_language",
    text="Indemnización de veinte días por año de servicio, doce mensualidades.",
)
SALARY = make_chunk(
    26,
    "Artículo 26",
    source="plain_language",
    text="Se considerará salario la totalidad de las percepciones económicas.",
)
QUESTION = (
    "Me despiden por causas objetivas con efectos del 28 de febrero de 2026; entré el 1 de marzo de 2019 y gano 36.500"
    " euros brutos al año. ¿Qué indemnización me corresponde?"
)
WITHOUT_SALARY = QUESTION.replace(" y gano 36.500 euros brutos al año", "")
META = "===META===\nUSED|1\nDROP|ninguno"


class Never:
    """Judges that nothing answers."""

    async def judge(self, question, candidates):
        return Judgement(0.0, "fiscal", 1.0)


def services_with(principal, *, provider="offline", **fields):
    model = ModelSettings(provider=provider, model="m", base_url="http://127.0.0.1:9/v1")
    return make_services(
        FakeStore([ARTICLE, SALARY], {"despido": [(53, 0.9)]}),
        QueueChat('["despido"]', '["despido"]'),
        principal,
        settings=Settings.read(env_file=None).model_copy(update={"principal": model}),
        calendar=lambda: date(2026, 11, 29),
        **fields,
    )


async def answered(question, services, **values):
    keys = ["answer", "citations", "findings", "outcome", "warnings", "calculations", "unpinned"]
    return await build_rag(services).ainvoke({"question": question, **values}, output_keys=keys)


async def test_the_answer_leads_with_the_result_and_marks_each_step():
    result = await answered(QUESTION, services_with(None, judge=Never()))
    lines = result["answer"].splitlines()
    assert result["outcome"] == "answer"
    assert lines[0] == "Indemnización por despido objetivo: 14.000,00 €. [C1]"
    assert lines[1].startswith("He entendido: ")
    assert any(line.startswith("2. 20 días por año: 20 × 84/12 = 140,0000 días") for line in lines)
    assert {"Artículo 53", "Artículo 26"} <= {citation["provision"] for citation in result["citations"]}
    assert (result["findings"], result["unpinned"]) == ([], False)
    [document] = result["calculations"]
    assert (document["status"], document["values"][0]["value"]) == ("result", "14000.00")


async def test_missing_data_are_asked_for_after_the_general_rule():
    result = await answered(WITHOUT_SALARY, services_with(None))
    [document] = result["calculations"]
    assert document["status"] == "missing"
    assert "Para calcularlo me falta:" in result["answer"]
    assert "¿Cuánto cobra bruto al año, con las pagas extra?" in result["answer"]


async def test_a_follow_up_changes_a_datum():
    history = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "14.000,00 €"}]
    result = await answered("¿y si fueran 29.200 euros al año?", services_with(None), history=history)
    # 29.200 / 365 = 80 a day; 140 days.
    assert result["calculations"][0]["values"][0]["value"] == "11200.00"


async def test_a_chat_model_is_given_the_result_and_its_figures_are_checked_by_it():
    principal = QueueChat(f"Le corresponden 14.000,00 € [C1].\n{META}")
    result = await answered(QUESTION, services_with(principal, provider="compatible"))
    prompt = principal.calls[0][1][-1]["content"]
    assert "sin volver a calcular" in prompt
    assert "140,0000 × 100,0000 = 14.000,00 €" in prompt
    assert result["findings"] == []


async def test_a_calculation_without_data_leaves_the_answer_to_the_search():
    result = await answered(WITHOUT_SALARY, services_with(None, judge=Never()))
    assert result["outcome"] == "decline"
    assert result["calculations"][0]["status"] == "missing"


async def test_a_question_without_a_calculation_has_none():
    result = await answered("¿Qué es un despido objetivo?", services_with(None))
    assert result["calculations"] == []


async def test_a_fork_with_another_text_of_the_question_works_that_out():
    # 20 days a year of 7 years at 73.000 / 365 = 200 € a day: 28.000.
    graph, thread = build_rag(services_with(None, judge=Never()), InMemorySaver()), {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"question": QUESTION}, thread)
    history = [snapshot async for snapshot in graph.aget_state_history(thread)]
    analyzed = next(snapshot for snapshot in history if {"calculate", "decompose"} <= set(snapshot.next))
    other = {**analyzed.values["turn_question"], "text": f"Hola. {QUESTION}".replace("36.500", "73.000")}
    fork = await graph.aupdate_state(analyzed.config, {"turn_question": other}, as_node="analyze_question")
    result = await graph.ainvoke(None, fork)
    assert result["answer"].startswith("Indemnización por despido objetivo: 28.000,00 €. [C1]")
