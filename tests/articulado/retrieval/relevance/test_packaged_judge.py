"""The judgement of the package: what it has learnt of, and where it draws the line on the packaged records."""

import numpy as np
import pytest

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.legal.vocabulary.matters import matters
from articulado.retrieval.relevance.evidence import EVIDENCE, TERM_PLACES, WORD_PLACES
from articulado.retrieval.relevance.judge import packaged_judgement
from graph.compose import open_rag

BANDS = load_profile("laboral").relevance


@pytest.mark.parametrize("with_neighbours", [False, True])
def test_it_knows_every_matter_and_weighs_every_feature(with_neighbours):
    model = packaged_judgement(with_neighbours=with_neighbours)
    assert set(model.wording.matters) == set(matters())
    assert model.wording.idf.shape == model.wording.field.shape == (TERM_PLACES,)
    assert model.wording.of_matter.shape == (WORD_PLACES, len(matters()))
    assert model.wording.matter_bias.shape == (len(matters()),)
    for numbers in (model.mean, model.deviation, model.weights):
        assert numbers.shape == (len(EVIDENCE) + 1,)
        assert np.isfinite(numbers).all()
    assert (model.deviation > 0).all()
    assert all(np.isfinite(table).all() for table in (model.wording.idf, model.wording.field, model.wording.of_matter))


@pytest.mark.parametrize("with_neighbours", [False, True])
def test_words_of_the_field_speak_for_an_answer(with_neighbours):
    model = packaged_judgement(with_neighbours=with_neighbours)
    typical = model.mean[:-1].tolist()
    probabilities = [model.probability(typical, float(score)) for score in (-6, -3, 0, 3, 6)]
    assert probabilities == sorted(probabilities)
    assert probabilities[0] < BANDS.near < BANDS.answer < probabilities[-1]


@pytest.fixture(scope="module")
def demo(demo_index):
    return open_rag(Settings.read(env_file=None))


@pytest.mark.parametrize("rag_enabled", [True, False])
@pytest.mark.parametrize(
    "question", ["¿Cuál es la capital de Francia?", "receta de paella valenciana", "impuesto de sucesiones en Madrid"]
)
async def test_another_field_is_declined(demo, question, rag_enabled):
    # The encoder knows no other field: it finds something a little like everything.
    result = await demo.ainvoke({"question": question}, context={"rag_enabled": rag_enabled})
    assert (result["outcome"], result["citations"]) == ("decline", [])
    assert (result["relevance"] or 0.0) < BANDS.near


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("impuesto de sucesiones en Madrid", "impuestos"),
        ("¿Puede mi casero subirme el alquiler?", "vivienda"),
        ("¿Cómo recurro una multa de tráfico?", "tráfico"),
        ("¿Qué indemnización por despido hay en Argentina?", "otro país"),
    ],
)
async def test_the_matter_of_another_field_is_named(demo, question, about):
    answer = (await demo.ainvoke({"question": question}))["answer"]
    first = answer.split("\n\n")[0]
    assert first.startswith("No tengo esa información verificada. Parece ")
    assert about in first


@pytest.mark.parametrize("rag_enabled", [True, False])
@pytest.mark.parametrize(
    ("question", "provision"),
    [
        ("¿Cuántos días de vacaciones me corresponden?", "Artículo 38"),
        ("me despidieron y estoy embarazada, ¿es despido nulo?", "Artículo 55"),
        ("¿cuánto dura el periodo de prueba?", "Artículo 14"),
    ],
)
async def test_a_question_of_the_field_is_answered(demo, question, provision, rag_enabled):
    result = await demo.ainvoke({"question": question}, context={"rag_enabled": rag_enabled})
    assert result["outcome"] == "answer"
    assert result["relevance"] >= BANDS.answer
    assert provision in {citation["provision"] for citation in result["citations"]}


async def test_vague_questions_are_asked_back(demo):
    result = await demo.ainvoke({"question": "¿qué plazo tengo?"})
    assert result["outcome"] == "ask"
    assert result["answer"].startswith("Para decirle el plazo o la duración, me falta saber:")
