"""A dated reference value, from the question or the fragments that name it to the cited answer and its check."""

from datetime import date

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.settings import ModelSettings, Settings
from articulado.retrieval.relevance.judge import Judgement
from graph.rag import build_rag

SUBSIDY = make_chunk(1, "Artículo 278", text="La cuantía del subsidio será el 80 por ciento del IPREM mensual.")
OTHER = make_chunk(2, "Artículo 34", text="La jornada es de cuarenta horas.")
META = "===META===\nUSED|1\nDROP|ninguno"


class Never:
    """Judges that nothing answers."""

    async def judge(self, question, candidates):
        return Judgement(0.0, "fiscal", 1.0)


def services_with(principal, *, provider="offline", **fields):
    settings = Settings.read(env_file=None)
    model = ModelSettings(provider=provider, model="m", base_url="http://127.0.0.1:9/v1")
    store = FakeStore([SUBSIDY, OTHER], {"subsidio": [(1, 0.9), (2, 0.2)]})
    return make_services(
        store,
        QueueChat('["subsidio"]'),
        principal,
        settings=settings.model_copy(update={"principal": model}),
        calendar=lambda: date(2026, 6, 1),
        **fields,
    )


async def answered(question, services, **values):
    keys = ["answer", "citations", "findings", "outcome", "warnings", "context", "context_chunk_ids", "unpinned"]
    return await build_rag(services).ainvoke({"question": question, **values}, output_keys=keys)


async def test_a_question_for_a_value_alone_is_answered_offline_with_its_norm_and_its_days():
    result = await answered("¿Cuánto es el IPREM en 2026?", services_with(None, judge=Never()))
    assert result["outcome"] == "answer"
    assert "600 euros al mes" in result["answer"]
    assert "desde el 1 de enero de 2023" in result["answer"]
    assert result["answer"].endswith(". [C1]")
    [cited] = result["citations"]
    assert (cited["law_id"], cited["official"], cited["wording"]) == ("BOE-A-2022-22128", False, "")
    assert (result["warnings"], result["unpinned"], result["findings"]) == ([], False, [])


async def test_a_value_is_of_the_day_whose_law_is_asked_for():
    result = await answered("¿Cuál era el SMI en 2024?", services_with(None, judge=Never()))
    assert "1.134 euros al mes" in result["answer"]
    assert "1.221" not in result["answer"]
    assert result["warnings"] == []


async def test_a_day_without_a_verified_value_is_refused_with_that_reason():
    result = await answered("¿Cuál será el IPREM en 2031?", services_with(None, judge=Never()))
    assert result["outcome"] == "decline"
    assert "600" not in result["answer"]
    said = "No tengo esa información verificada. No hay un valor comprobado de IPREM para el 1 de enero de 2031"
    assert result["answer"].startswith(said)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("¿Cuál era el SMI en enero de 2026?", "1.221 euros al mes"),
        ("¿cuánto es el SMI 2025?", "1.184 euros al mes"),
        ("¿Cuánto se cobraba de salario mínimo en diciembre de 2024?", "1.134 euros al mes"),
        ("smi del año pasado", "1.184 euros al mes"),
        ("valor del IPREM a 1 de marzo de 2023", "600 euros al mes"),
        ("¿Cuál es la base máxima de cotización en 2026?", "5.101,20 euros al mes"),
        ("smi en 2019", None),
        ("¿Qué SMI había en marzo de 2023?", None),
        ("IPREM 2021", None),
        ("¿Cuál era la base mínima de cotización en 2025?", None),
        ("¿Y el SMI de 2027?", None),
    ],
)
async def test_the_amount_of_the_day_is_given_and_never_that_of_another(question, asked):
    result = await answered(question, services_with(None))
    if asked:
        assert asked in result["answer"]
        assert result["outcome"] == "answer"
    else:
        assert result["outcome"] == "decline"
        assert "No hay un valor comprobado" in result["answer"]
        assert "euros" not in result["answer"]


async def test_a_value_follows_an_answer_that_needs_it():
    result = await answered("¿Es el subsidio el 80 por ciento del IPREM?", services_with(None))
    assert "«La cuantía del subsidio será el 80 por ciento del IPREM mensual.» [C1]" in result["answer"]
    assert "\nValor de referencia: Indicador público" in result["answer"]
    assert "BOE-A-2022-22128" in [citation["law_id"] for citation in result["citations"]]


async def test_a_chat_model_reads_the_value_that_its_fragments_name_and_its_figures_are_checked_by_it():
    principal = QueueChat(f"Es el 80 por ciento de 600 euros al mes [C1][C3].\n{META}")
    result = await answered("¿Cuánto cobro de subsidio?", services_with(principal, provider="compatible"))
    prompt = principal.calls[0][1][-1]["content"]
    assert "Para qué: valor de referencia con fecha\n" in prompt
    assert "600 euros al mes, 7.200 euros al año en 12 pagas" in prompt
    assert result["findings"] == []


async def test_a_wrong_reference_value_is_a_finding():
    principal = QueueChat(f"El IPREM es de 650 euros al mes [C1].\n{META}")
    result = await answered("¿Cuánto cobro de subsidio?", services_with(principal, provider="compatible"))
    assert [finding["where"] for finding in result["findings"]] == ["650 euros al mes"]


async def test_a_value_is_not_handed_on_to_the_next_turn():
    result = await answered("¿Cuánto es el IPREM en 2026?", services_with(None, judge=Never()))
    assert set(result["context_chunk_ids"]) <= {1, 2}


async def test_a_value_that_is_asked_for_alone_is_given_beside_its_provision():
    law = make_chunk(3, "Artículo 1", law_id="BOE-A-2026-3815", text="El salario mínimo es de 1.221 euros al mes.")
    services = services_with(None)
    services.store.chunks[3] = law
    services.store.rankings["subsidio"] = [(3, 0.9)]
    result = await answered("¿Cuánto es el SMI?", services)
    assert result["answer"].startswith("Salario mínimo interprofesional (SMI): 40,70 euros al día")
    beside = await answered("¿Es el subsidio el 80 por ciento del SMI?", services)
    assert 3 in [each["chunk"]["id"] for each in beside["context"]]
    assert [each for each in beside["context"] if each.get("purpose") == "value"] == []


async def test_a_warning_is_in_the_language_of_the_question():
    result = await answered("How much is the IPREM in 2031?", services_with(None, judge=Never()))
    said = "I do not have verified information on that. No value of IPREM was checked for 2031-01-01"
    assert result["answer"].startswith(said)


async def test_a_warning_on_a_provision_that_the_index_lacks_is_in_the_language_of_the_question():
    question = "What about the holidays, and what does it say on them: artículo 999 ET?"
    result = await answered(question, services_with(None))
    assert [warning for warning in result["warnings"] if "Article 999 is not among the provisions" in warning]
