"""Provisions that a question names: of several wordings the one of the day asked about, else the nearest."""

from datetime import UTC, date, datetime

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, WrittenTurns, make_chunk

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.models.retry import QuestionTime
from articulado.retrieval.question import IndexContents
from articulado.store.layout import order_parts
from articulado.values.protocols import ChunkStore
from nodes.analyze_question import analyze_question
from state.context import ResolvedContext

TODAY = date(2024, 6, 1)
WORDINGS = [
    make_chunk(1, "Artículo 9", valid_from="2010-01-01", valid_to="2015-01-01"),
    make_chunk(2, "Artículo 9", valid_from="2015-01-01", valid_to="2022-01-01", part=1, parts=2),
    make_chunk(3, "Artículo 9", valid_from="2015-01-01", valid_to="2022-01-01", part=2, parts=2),
]
NOW = make_chunk(4, "Artículo 9", valid_from="2022-01-01")
FUTURE = make_chunk(5, "Artículo 9", valid_from="2030-01-01")
REPEALED = make_chunk(6, "Artículo 9", valid_from="2022-01-01", status="derogada")


async def analyzed(
    store: ChunkStore,
    as_of: date | None,
    question: str = "¿Qué dice el artículo 9 del ET?",
    laws: IndexedLaws = NO_LAWS,
) -> tuple[list[int], list[str]]:
    """Return the ids that are found for article 9, and what is said of it."""
    update = await analyze_question(
        {"question": question},
        Runtime(context=ResolvedContext(as_of=as_of)),
        index=IndexContents(store, laws=laws),
        profile=load_profile("laboral"),
        leaning=WrittenTurns(language("es")),
        domain=SPANISH_LAW,
        question_time=QuestionTime(60, clock=datetime(2024, 6, 1, 12, tzinfo=UTC).timestamp),
    )
    said = [*update["turn_question"]["missing"], *update["warnings"].value]
    return [candidate["chunk"]["id"] for candidate in update["direct"]], said


@pytest.mark.parametrize(
    ("indexed", "as_of", "ids", "warned"),
    [
        ([*WORDINGS, NOW], None, [4], ""),
        ([*WORDINGS, NOW], date(2021, 12, 31), [2, 3], ""),
        ([*WORDINGS, NOW], date(2009, 12, 31), [1], "vigor el 31/12/2009; se usa la que rige desde el 01/01/2010."),
        (WORDINGS, date(2022, 1, 1), [2, 3], "vigor el 01/01/2022; se usa la que rigió hasta el 31/12/2021."),
        (WORDINGS, None, [2, 3], "vigor hoy; se usa la que rigió hasta el 31/12/2021."),
        ([*WORDINGS, FUTURE], None, [5], "vigor hoy; se usa la que rige desde el 01/01/2030."),
        ([*WORDINGS, REPEALED], None, [6], "vigor hoy; se usa la última."),
    ],
)
async def test_without_a_wording_of_the_day_the_nearest_one_comes_with_a_warning(indexed, as_of, ids, warned):
    ids_found, warnings = await analyzed(FakeStore(indexed), as_of)
    assert ids_found == ids
    if not warned:
        assert warnings == []
        return
    [warning] = warnings
    assert warning.startswith("Artículo 9 (")
    assert warning.endswith(warned)


async def test_missing_provisions_are_reported_once():
    ids_found, [warning] = await analyzed(FakeStore([]), None)
    assert ids_found == []
    assert "artículo 9 no está" in warning


def test_wordings_follow_one_another_from_the_one_of_the_day():
    later = make_chunk(7, "Artículo 9", valid_from="2031-01-01")
    now = {**NOW, "valid_to": "2030-01-01"}
    future = {**FUTURE, "text": "Más texto que ninguna otra redacción.", "valid_to": "2031-01-01"}
    chunks = [later, *WORDINGS, future, now]
    assert [chunk["id"] for chunk in order_parts(chunks, TODAY)] == [4, 5, 7, 2, 3, 1]
    assert [chunk["id"] for chunk in order_parts(chunks, date(2012, 1, 1))] == [1, 2, 3, 4, 5, 7]
    assert [chunk["id"] for chunk in order_parts(chunks, date(2031, 1, 1))] == [7, 5, 4, 2, 3, 1]


async def test_a_law_that_only_the_index_knows_is_looked_up_by_its_number():
    own = make_chunk(7, "Artículo 9", law_id="BOE-A-2031-7", valid_from="2020-01-01")
    laws = IndexedLaws(lambda: {"BOE-A-2031-7": "Ley 7/2031, de 1 de marzo, de Faros"})
    ids, warnings = await analyzed(FakeStore([NOW, own]), None, "¿Qué dice el artículo 9 de la Ley 7/2031?", laws)
    assert (ids, warnings) == ([7], [])
    ids, warnings = await analyzed(FakeStore([NOW, own]), None, "¿Qué dice el artículo 9 de la Ley 8/2031?", laws)
    assert (ids, warnings) == ([], ["La Ley 8/2031 no está entre las normas de este índice."])


LETTERED = make_chunk(
    8,
    "Artículo 9",
    text="1. Uno:\n\na) A.\n\nb) B.\n\nb bis) C.\n\n2. Dos.",
    valid_from="2022-01-01",
    source="official",
)
SUMMARY = make_chunk(9, "Artículo 9", text="Un resumen.", valid_from="2022-01-01", source="record")
NAME = "Artículo 9 (Estatuto de los Trabajadores)"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("art. 9 ET", []),
        ("art. 9.1 b bis) ET", []),
        ("¿Qué dice el artículo 9?", ["La consulta no nombra la norma: entiendo Estatuto de los Trabajadores."]),
        ("9.1", ["La consulta no nombra la norma: entiendo Estatuto de los Trabajadores."]),
        ("What does article 9 say?", ["The question names no law: I take this to be the Workers’ Statute."]),
        (
            "art. 9.1 b ter) ET",
            ["Artículo 9.1 (Estatuto de los Trabajadores) no tiene letra b ter): se muestra el apartado 1."],
        ),
        ("art. 9.1 bis ET", [f"{NAME} no tiene apartado 1 bis: se muestra entero."]),
        ("art. 9.2 y 7 ET", [f"{NAME} no tiene apartado 7: se muestra entero."]),
        (
            "art. 9 y ss. ET",
            ["«y siguientes»: se muestra solo el primero (Artículo 9); los demás se piden por su número."],
        ),
        (
            "art. 9.1, párrafo segundo, del ET",
            ["De la cita queda sin leer «párrafo segundo»: esa parte se busca en el texto que se muestra."],
        ),
        ("art. 9 CC", ["El CC no está entre las normas de este índice."]),
        ("art. 9, apdo. 1, de la Ley de Costas", ["La Ley de Costas no está entre las normas de este índice."]),
    ],
)
async def test_assumptions_about_a_citation_are_reported(question, said):
    _, warnings = await analyzed(FakeStore([LETTERED]), None, question)
    assert warnings == said


async def test_summaries_have_no_missing_parts():
    _, [warning] = await analyzed(FakeStore([SUMMARY]), None, "art. 9.1 ET")
    assert warning == (f"De {NAME} el índice tiene un resumen y no el texto oficial: apartado 1 no se separa.")


async def test_provisions_that_are_too_many_are_told():
    _, warnings = await analyzed(FakeStore([LETTERED]), None, "arts. 9 a 20 ET")
    assert warnings[-1] == "Se nombran 12 preceptos: se leen los 8 primeros."
    assert not any("artículo 17" in warning for warning in warnings), (
        "those that were not read are not said to be missing"
    )
