"""Rulings and criteria that a question names by number: those of the package, those of one's own, and none."""

from datetime import date

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, WrittenTurns, make_chunk

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.models.retry import QuestionTime
from articulado.retrieval.question import IndexContents
from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import MAX_SELECTED, ChunkStore, SearchFilter
from nodes.analyze_question import AnalyzeQuestionUpdate, analyze_question
from state.context import ResolvedContext

PACKAGED = make_chunk(
    1, "STC 140/2024", collection="sentencias", law_id="ECLI:ES:TC:2024:140", provision_key="stc-140-2024"
)
OWN = make_chunk(2, "STS 1/2024", collection="sentencias", law_id="sentencia-1", provision_key="sentencia-1#1")
CRITERION = make_chunk(
    3, "Criterio de gestión INSS 11/2024", collection="criterios_inss", provision_key="inss-cg-11-2024"
)
QUOTING = make_chunk(4, "STS 1/2024", collection="normativa", provision_key="stc-140-2024")


async def read(question: str, store: ChunkStore | None = None) -> AnalyzeQuestionUpdate:
    return await analyze_question(
        {"question": question},
        Runtime(context=ResolvedContext()),
        index=IndexContents(store or FakeStore([PACKAGED, OWN, CRITERION, QUOTING])),
        profile=load_profile("laboral"),
        leaning=WrittenTurns(language("es")),
        domain=SPANISH_LAW,
        question_time=QuestionTime(10, calendar=lambda: date(2026, 1, 1)),
    )


@pytest.mark.parametrize(
    ("question", "found", "is_lookup"),
    [
        ("¿Qué dice la STC 140/2024?", [1], True),
        ("ECLI:ES:TC:2024:140", [1], True),
        ("STS 1/2024", [2], True),
        ("¿Según la STC 140/2024 y el criterio de gestión 11/2024 del INSS, se amplía el permiso?", [1, 3], False),
    ],
)
async def test_decisions_are_found_by_their_numbers(question: str, found: list[int], *, is_lookup: bool) -> None:
    update = await read(question)
    assert [one["chunk"]["id"] for one in update["direct"]] == found
    assert update["turn_question"]["is_lookup"] == is_lookup
    assert update["warnings"].value == []


async def test_missing_decisions_are_reported() -> None:
    update = await read("¿Qué dicen la STC 140/2024 y la STS 9/2023?")
    assert [one["chunk"]["id"] for one in update["direct"]] == [1]
    assert update["warnings"].value == ["STS 9/2023 no está entre las sentencias y los criterios del índice."]


class WithoutRulings(FakeStore):
    async def select(
        self, collections: "list[str] | tuple[str, ...]", where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        raise StoreUnavailable("sentencias")


async def test_unreadable_collections_give_no_warning_of_missing_rulings() -> None:
    update = await read("¿Qué dice la STC 140/2024?", WithoutRulings([PACKAGED]))
    assert (update["direct"], update["warnings"].value, update["turn_question"]["is_lookup"]) == ([], [], False)
