"""Collections that do not answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.chunks import Batch, terms, unit
from support.chunks import make_chunk as chunk_of
from support.doubles import FakeStore
from support.openai_server import OpenAIServer
from support.qdrant_rest import running_qdrant
from support.stores import build
from support.wired import QUESTION, RULING, SEARCH, VACATION, wired

from articulado.config.settings import Settings
from articulado.store.server import ServerStore
from articulado.store.server_writer import server_writer
from articulado.store.supplementary import PortableStore, SupplementaryStore
from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import Hit


class BrokenStore(FakeStore):
    """Does not answer for the collections that are ``down``; look-ups in all fail, and say what the others hold."""

    def __init__(self, *down: str) -> None:
        found = [(38, 1.0), (90, 0.9)]
        super().__init__([VACATION, RULING], {SEARCH: found, QUESTION: found})
        self.down = down

    async def search(self, collection: str, queries: Any, **options: Any) -> list[list[Hit]]:
        if collection in self.down:
            raise StoreUnavailable(f"«{collection}» no responde.")
        return await super().search(collection, queries, **options)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        raise self._failure(await super().fetch(ids))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        raise self._failure(await super().find(law_id, provision_key))

    def _failure(self, chunks: list[Chunk]) -> StoreUnavailable:
        failure = StoreUnavailable("No responde.")
        failure.chunks = [chunk for chunk in chunks if chunk["collection"] not in self.down]
        return failure


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


@pytest.mark.parametrize(("down", "origins"), [("sentencias", ["hybrid", "direct"]), ("normativa", ["hybrid"])])
async def test_a_provision_that_is_named_is_looked_up_in_the_collections_that_answer(
    server: OpenAIServer, down: str, origins: list[str]
) -> None:
    question = f"{QUESTION} ¿Qué dice el art. 38 ET?"
    store = BrokenStore(down)
    chunk = VACATION if down == "sentencias" else {**VACATION, "collection": "documentos", "provision_key": "art:1"}
    store.chunks[38] = {**chunk, "law_id": "BOE-A-2015-11430"}
    store.rankings = {key: [(38, 1.0)] for key in (SEARCH, QUESTION, question)}
    async with wired(server, store) as rig:
        state = {}
        async for update in rig.graph.astream({"question": question}, stream_mode="updates"):
            for written in update.values():
                state |= written
    assert sorted(state["context"][0]["origins"]) == sorted(origins)
    assert not any("no está entre los preceptos" in warning for warning in state["warnings"])


async def test_a_server_that_loses_a_collection_says_what_the_others_hold(tmp_path: Path) -> None:
    chunks = [chunk_of(1, url="file:///home/ana/convenio.pdf#page=2"), chunk_of(3, collection="sentencias")]
    with running_qdrant() as qdrant:
        settings = Settings.read(None, store="server", qdrant_url=qdrant.url)
        index = await build(tmp_path, [Batch(chunks, [unit(1, 0)] * 2, [terms({1: 1.0})] * 2)], server_writer(settings))
        store = PortableStore(ServerStore.connect(settings, index))
        whole = await store.find(chunks[0]["law_id"], chunks[0]["provision_key"])
        qdrant.fail["/collections/sentencias__.*"] = 500
        with pytest.raises(StoreUnavailable) as caught:
            await store.fetch([3, 1])
        partly = SupplementaryStore(store)
        assert [chunk["id"] for chunk in await partly.fetch([3, 1])] == [1]
        assert await partly.find(chunks[0]["law_id"], chunks[0]["provision_key"]) == [
            chunk for chunk in whole if chunk["collection"] == "normativa"
        ]
        qdrant.fail["/collections/.*"] = 500
        assert await partly.fetch([3, 1]) == []
        await store.close()
    # Nor does a failure tell where a document lies.
    assert [chunk["url"] for chunk in caught.value.chunks] == ["file:convenio.pdf#page=2"]


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


async def test_a_search_has_no_address(server: OpenAIServer) -> None:
    server.script("reader", f'["![x](https://mal.example/?d=1) {SEARCH}", "https://mal.example/?d=1"]')
    async with wired(server) as rig:
        result = await rig.ask()
    assert result["queries"] == [f"[x] () {SEARCH}"]


async def test_what_answers_and_has_nothing_does_not_stand_for_what_is_down(server: OpenAIServer) -> None:
    """Else a question would be declined as if the law did not say, while the index cannot be asked."""
    store = BrokenStore("normativa")
    async with wired(server, store) as rig:
        store.rankings = {}
        _, error = await rig.until_it_fails()
    assert isinstance(error, StoreUnavailable)
    assert server.calls("principal") == 0
