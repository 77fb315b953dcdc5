"""A worked result joins the answer; with another wording of the law in the index, only the reason does."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk
from support.states import begun

from articulado.calculations.question import Request
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.reading import Mention
from nodes.calculate import calculate
from state.context import ResolvedContext

INPUTS = {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": "36500"}


class FixedReader:
    """Reads the same request off every question."""

    def read(self, question: str, *, today: date, mentioned: Sequence[Mention]) -> Sequence[Request]:
        return [Request("compensation/objective", INPUTS, 1.0)]


async def worked(store: FakeStore) -> dict[str, Any]:
    state = begun(question="¿cuánto?", as_of=None, today="2026-11-29", store="index", new_topic=True)
    return await calculate(
        state,
        Runtime(context=ResolvedContext()),
        stores={"index": store},
        question_reader=FixedReader(),
        domain=SPANISH_LAW,
    )


async def test_a_result_says_which_wordings_it_follows_where_the_index_lacks_them():
    update = await worked(FakeStore([]))
    assert update["calculations"][0]["status"] == "result"
    (value,) = update["dated_values"]
    assert "No se ha comparado con un índice." in value["chunk"]["text"]


async def test_another_wording_gives_the_reason_and_no_amount():
    text = make_chunk(1, provision_key="art:53", text="Indemnización de quince días.")
    update = await worked(FakeStore([text]))
    assert update["calculations"][0]["status"] == "none"
    assert "la norma ha cambiado desde que se programó este cálculo" in update["calculations"][0]["reason"]
    assert update["dated_values"] == []
