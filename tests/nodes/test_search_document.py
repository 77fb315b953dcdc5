"""Passages of a document that are read with a question: the ones about it, the best first; a short one whole."""

import pytest
from langgraph.runtime import Runtime
from support.states import begun

from articulado.encoders.bm25 import Bm25Encoder
from articulado.language.languages import language
from articulado.legal.domain.base import EqualWeights
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import WordShare
from nodes.search_document import MOST_PASSAGES, chunks_of, search_document
from state.context import ResolvedContext

TEXTS = {
    "jornada": "La jornada anual es de 1.744 horas.",
    "vacaciones": "Las vacaciones son de 32 días naturales.",
    "nocturnidad": "El plus de nocturnidad es del 28 por ciento.",
    "dietas": "La media dieta es de 14 euros.",
    "preaviso": "El preaviso de la dimisión es de quince días.",
    "prueba": "El periodo de prueba es de un mes.",
    "permisos": "Hay dos días de asuntos propios.",
    "jubilación": "La jubilación parcial se pide por escrito.",
}


def document(*names):
    passages = [{"provision": name, "title": "", "text": TEXTS[name], "page": ""} for name in names]
    return {"name": "pacto.pdf", "title": "Pacto", "passages": passages}


async def own(question, names, *, model_decides=False, **said):
    context = ResolvedContext(document=document(*names) if names else None)
    return await search_document(
        begun(question=question, **said),
        Runtime(context=context),
        sparse=Bm25Encoder.of(SPANISH_LAW),
        word_share=WordShare(Comparer(SPANISH_LAW, EqualWeights())),
        model_decides=model_decides,
        language=language("es"),
    )


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("¿Cuántas horas tiene la jornada anual?", "jornada"),
        ("¿Cuántos días de vacaciones tengo?", "vacaciones"),
        ("¿De cuánto es el plus de nocturnidad?", "nocturnidad"),
        ("¿Cuánto es la media dieta?", "dietas"),
        ("¿Qué preaviso doy si presento la dimisión?", "preaviso"),
        ("¿Cuánto dura el periodo de prueba?", "prueba"),
    ],
)
async def test_the_passage_about_the_question_comes_first(question, first):
    update = await own(question, TEXTS)
    assert update["own"][0]["chunk"]["provision"] == first
    assert all(each["purpose"] == "own" for each in update["own"])
    assert len(update["own"]) <= MOST_PASSAGES


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("¿Qué media dieta hay, qué plus de nocturnidad y qué preaviso?", {"dietas", "nocturnidad", "preaviso"}),
        ("¿Cuántas vacaciones y qué plus de nocturnidad hay?", {"vacaciones", "nocturnidad"}),
    ],
)
async def test_passages_together_cover_a_question(question, read):
    update = await own(question, TEXTS)
    assert read <= {each["chunk"]["provision"] for each in update["own"]}


async def test_an_irrelevant_document_gives_a_warning():
    assert await own("¿Qué sucursal abre el sábado?", TEXTS) == {
        "warnings": ["En «pacto.pdf» no se ha encontrado nada sobre esto."]
    }


@pytest.mark.parametrize(("names", "read"), [(["dietas", "prueba"], 2), (list(TEXTS), 0)])
async def test_a_model_reads_a_short_document_whole(names, read):
    update = await own("¿Es correcto lo que pone?", names, model_decides=True)
    assert len(update.get("own", [])) == read


@pytest.mark.parametrize(("names", "said"), [((), {}), (TEXTS, {"kind": "courtesy"})])
async def test_without_a_document_or_a_question_there_is_nothing_to_search(names, said):
    assert await own("Gracias", names, **said) == {}


def test_passages_are_told_apart_by_their_text():
    here, there = (chunks_of(document(*names)) for names in (("dietas", "prueba"), ("prueba", "dietas")))
    assert len({chunk["id"] for chunk in (*here, *there)}) == 4
