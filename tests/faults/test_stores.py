"""Collections that do not answer."""

from collections.abc import Sequence
from typing import Any

import pytest
from support.doubles import FakeStore
from support.openai_server import OpenAIServer
from support.wired import QUESTION, RULING, SEARCH, VACATION, wired

from services.protocols import Hit
from state.chunks import Chunk
from state.errors import StoreUnavailable


class BrokenStore(FakeStore):
    """Does not answer for the collections that are ``down``; look-ups in all of them fail with any."""

    def __init__(self, *down: str) -> None:
        found = [(38, 1.0), (90, 0.9)]
        super().__init__([VACATION, RULING], {SEARCH: found, QUESTION: found})
        self.down = down

    async def search(self, collection: str, queries: Any, **options: Any) -> list[list[Hit]]:
        if collection in self.down:
            raise StoreUnavailable(f"«{collection}» no responde.")
        return await super().search(collection, queries, **options)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        raise StoreUnavailable("No responde.")

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        raise StoreUnavailable("No responde.")


@pytest.mark.parametrize("question", [QUESTION, "¿Qué dice el art. 38 ET de las vacaciones?"])
async def test_one_collection_that_is_down_is_told_and_the_rest_answers(server: OpenAIServer, question: str) -> None:
    store = BrokenStore("sentencias")
    store.rankings[question] = [(38, 1.0)]
    async with wired(server, store) as rig:
        result = await rig.ask(question, previous_chunk_ids=[90])
    assert result["answer"] == "Son 30 días [C1]."
    [told] = [warning for warning in result["warnings"] if "No responden" in warning]
    assert "Sentencias" in told
    assert "Normativa" not in told
    assert not any("art. 38" in warning or "artículo 38" in warning for warning in result["warnings"])


async def test_where_all_are_down_nothing_is_written(server: OpenAIServer) -> None:
    store = BrokenStore("normativa", "sentencias", "criterios_inss", "documentos")
    async with wired(server, store) as rig:
        store.down = tuple(collection.name for collection in rig.services.profile.collections)
        events, error = await rig.until_it_fails()
    assert isinstance(error, StoreUnavailable)
    assert server.calls("principal") == 0
    assert "token" not in {event["type"] for event in events}


async def test_a_thousand_searches_of_a_reader_are_four(server: OpenAIServer) -> None:
    server.script("reader", str([f"consulta {number}" for number in range(1_000)]).replace("'", '"'))
    async with wired(server) as rig:
        result = await rig.ask()
        assert len(result["queries"]) == 4
        assert {queries for _, queries, *_ in rig.store.searches} <= {4, 5}  # and the question's own words
    assert [server.calls(role) for role in ("reader", "embedder", "principal")] == [1, 1, 1]
