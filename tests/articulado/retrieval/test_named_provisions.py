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
    """Return the ids that are found for article 9, and the warnings."""
    update = await analyze_question(
        {"question": question},
        Runtime(context=ResolvedContext(as_of=as_of)),
        index=IndexContents(store, laws=laws),
        profile=load_profile("laboral"),
        leaning=WrittenTurns(language("es")),
        domain=SPANISH_LAW,
        question_time=QuestionTime(60, clock=datetime(2024, 6, 1, 12, tzinfo=UTC).timestamp),
    )
    return [candidate["chunk"]["id"] for candidate in update["direct"]], update["warnings"].value


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


async def test_what_is_not_indexed_is_told_once():
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
    assert (ids, len(warnings)) == ([], 1)
