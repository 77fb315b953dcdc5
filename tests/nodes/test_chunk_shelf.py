"""Chunks by reference: a state holds them by id, and they become the same chunks again."""

from collections.abc import Sequence

import pytest
from support.doubles import make_chunk

from articulado.calculations.parameters import VALUE_TYPE
from articulado.retrieval.fusion import candidate, merged
from articulado.values.chunks import Candidate, Chunk, with_changed
from nodes import chunk_shelf
from nodes.chunk_shelf import ChunkShelf

VACATION, REST = make_chunk(1, "Artículo 38", text="Treinta días."), make_chunk(2, "Artículo 37", text="Día y medio.")


class Store:
    """A store that has some chunks, makes each anew as a store that reads them does, and counts what it is asked."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks = {chunk["id"]: chunk for chunk in chunks}
        self.fetched: list[int] = []

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        self.fetched += ids
        return [{**self.chunks[id]} for id in ids if id in self.chunks]


def shelf_over(*chunks: Chunk) -> ChunkShelf:
    return ChunkShelf({"index": Store(*chunks), "records": Store()})


def found(chunk: Chunk, score: float = 0.9) -> Candidate:
    return candidate(chunk, score, "hybrid", "vacaciones")


async def test_chunks_are_stored_by_id_and_become_the_same_again_in_another_process():
    candidates = [found(VACATION), found(REST, 0.5)]
    stored = shelf_over().referring({"found": candidates, "store": "index"}, {"searches": ["otra", "vacaciones"]})
    assert [item["chunk"] for item in stored["found"]] == [{"id": 1}, {"id": 2}]
    assert [item["score"] for item in stored["found"]] == [0.9, 0.5]
    assert [item["found_by"] for item in stored["found"]] == [[1], [1]]
    again = {**stored, "searches": ["otra", "vacaciones"]}
    assert (await shelf_over(VACATION, REST).resolved(again))["found"] == candidates


async def test_known_chunks_are_not_read_from_the_store():
    store = Store(VACATION, REST)
    shelf = ChunkShelf({"index": store, "records": Store()})
    stored = shelf.referring({"found": [found(VACATION)]}, {"store": "index"})
    assert (await shelf.resolved({**stored, "store": "index"}))["found"][0]["chunk"] is VACATION
    assert store.fetched == []


async def test_chunks_of_another_process_are_read_once_from_the_store_of_the_run():
    index, records = Store(VACATION), Store({**VACATION, "text": "Resumen."})
    shelf = ChunkShelf({"index": index, "records": records})
    state = {"found": [{**found(VACATION), "chunk": {"id": 1}}], "store": "records"}
    for _ in range(2):
        assert (await shelf.resolved(state))["found"][0]["chunk"]["text"] == "Resumen."
    assert (index.fetched, records.fetched) == ([], [1])


async def test_changed_fields_are_stored_beside_the_id_and_show_in_no_other_run():
    shelf = shelf_over(VACATION)
    noted = with_changed(found(VACATION), status_note="La redacción de 2019 no está en el índice.")
    stored = shelf.referring({"context": [noted]}, {"store": "index"})
    assert stored["context"][0]["chunk"] == {"id": 1, "status_note": noted["chunk"]["status_note"]}
    for other in (shelf, shelf_over(VACATION)):
        assert (await other.resolved({**stored, "store": "index"}))["context"] == [noted]
    elsewhere = {"context": [{**found(VACATION), "chunk": {"id": 1}}], "store": "index"}
    assert (await shelf.resolved(elsewhere))["context"][0]["chunk"] == VACATION


def test_a_change_survives_a_merge_with_the_chunk_as_the_index_has_it():
    noted = with_changed(found(VACATION), status_note="No es la de 2019.")
    for order in ([found(VACATION), noted], [noted, found(VACATION)]):
        [one] = merged(order)
        assert one["changed"] == ["status_note"]
        assert one["chunk"]["status_note"] == "No es la de 2019."


async def test_reference_values_are_in_no_store_and_stay_whole():
    value: Chunk = {**VACATION, "chunk_type": VALUE_TYPE}
    stored = shelf_over().referring({"direct": [found(value)]}, {"store": "index"})
    assert stored["direct"][0]["chunk"] == value
    assert (await shelf_over().resolved(stored))["direct"] == [found(value)]


async def test_a_chunk_that_the_index_has_no_longer_is_left_out():
    stored = {"carried": [{"chunk": {"id": 1}, "score": 0.5, "origins": ["carryover"], "found_by": []}]}
    assert (await shelf_over(REST).resolved(stored))["carried"] == []


def test_unchanged_candidates_are_no_update():
    shelf = shelf_over(VACATION)
    before = shelf.referring({"candidates": [found(VACATION)]}, {})
    assert shelf.referring({"candidates": [found(VACATION)], "usage": {}}, before) == {"usage": {}}


@pytest.mark.parametrize("state", [{}, {"candidates": []}, {"candidates": [found(REST, 0.1)]}])
async def test_a_state_of_whole_chunks_is_returned_as_it_is(state):
    assert await shelf_over().resolved(state) == state


async def test_evicted_lists_are_read_again(monkeypatch):
    monkeypatch.setattr(chunk_shelf, "MAX_LISTS", 1)
    store = Store(VACATION, REST)
    shelf = ChunkShelf({"index": store, "records": Store()})
    stored = shelf.referring({"found": [found(VACATION)], "context": [found(REST)]}, {"store": "index"})
    whole = await shelf.resolved({**stored, "store": "index"})
    assert [whole["found"][0]["chunk"], whole["context"][0]["chunk"]] == [VACATION, REST]
    # Reading the first again has put the other out.
    assert store.fetched == [1, 2]
