"""Models that never answer: what each may take of the time of a question, and how the question goes on."""

import time
from functools import partial

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.silence import ImpatientLimits, silent_server

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.models.openai import chat_model, embedder
from articulado.models.retry import Retrier
from articulado.retrieval.ranking.model_reranker import ModelReranker
from articulado.retrieval.ranking.table import ReaderScorer
from articulado.values.errors import ModelTimeout
from graph.rag import build_rag

SECONDS = 1_000_000.0
"""Of a question, so many that no machine is slow beside them."""
QUESTION = "vacaciones anuales"
PLAIN = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"
STORE = FakeStore([make_chunk(38, "Artículo 38")], {QUESTION: [(38, 1.0)]})
SETTINGS = Settings.read(env_file=None, question_timeout=SECONDS)


def seconds_of(share):
    return pytest.approx(share * SECONDS, rel=0.01)


@pytest.fixture
def limits():
    return ImpatientLimits()


@pytest.fixture
async def silent(limits):
    """Builds models of a server that never answers, and closes them."""
    built = []
    with silent_server() as url:

        def build(role, make):
            settings = ModelSettings(provider="compatible", base_url=url, model="mudo", dimensions=2)
            built.append(make(settings, retrier=partial(Retrier, time_limit=limits)))
            return built[-1]

        yield lambda role: build(role, embedder if role == "embedder" else partial(chat_model, role))
        for model in built:
            await model.close()


async def answered(strategy="auto", **services):
    parts = {"reader": QueueChat(f'["{QUESTION}"]'), "principal": QueueChat(PLAIN), "settings": SETTINGS, **services}
    graph = build_rag(make_services(STORE, **parts))
    return await graph.ainvoke({"question": QUESTION}, context={"rerank_strategy": strategy})


async def test_a_reader_that_is_silent_leaves_the_question_to_be_searched(silent, limits):
    result = await answered(reader=silent("reader"))
    assert limits.seconds == [seconds_of(0.15)]
    assert result["queries"] == [QUESTION]
    assert result["answer"] == "Son 30 días [C1]."
    [warning] = result["warnings"]
    assert warning.startswith(
        "Se ha buscado la pregunta tal cual: La búsqueda de términos (lector) no ha llegado a tiempo"
    )


async def test_an_embedder_that_is_silent_leaves_the_words(silent, limits):
    need = "Falta [C1].\n===META===\nUSED|1\nDROP|ninguno\nNEED|preaviso"
    result = await answered(embedder=silent("embedder"), principal=QueueChat(need, PLAIN))
    # What the answer lacks is searched by words from the start: nobody waits for the embedder twice.
    assert limits.seconds == [seconds_of(0.15)]
    assert result["answer"].endswith("[C1].")
    assert result["warnings"][0].startswith("Se ha buscado solo por palabras: Los vectores no han llegado a tiempo")


async def test_a_reader_that_is_silent_when_it_should_rerank_leaves_the_heuristic(silent, limits):
    table = {"heuristic": FixedReranker(is_cheap=True)}
    scorer = ReaderScorer(silent("reader"), load_profile("laboral"))
    table["llm"] = ModelReranker(scorer, tokens=512, timeout=2.0)
    result = await answered("llm", rerankers=table)
    [seconds] = limits.seconds
    assert seconds <= 2.0
    assert result["answer"] == "Son 30 días [C1]."
    [warning] = result["warnings"]
    assert warning.startswith("Se ha ordenado sin el modelo de reordenación: La reordenación no ha llegado a tiempo")
    assert result["usage"]["model_calls"] == 4


async def test_a_reranker_has_a_fifth_of_the_question():
    reranker = FixedReranker()
    began = time.time()
    await answered("api", rerankers={"heuristic": FixedReranker(is_cheap=True), "api": reranker})
    assert [deadline - began for deadline in reranker.deadlines] == [seconds_of(0.2)]


async def test_the_answer_gets_the_remaining_time_and_its_timeout_names_it(silent, limits):
    with pytest.raises(ModelTimeout, match=r"La respuesta \(principal\) no ha llegado a tiempo"):
        await answered(principal=silent("principal"))
    assert limits.seconds == [seconds_of(1)]
