"""Chunks by reference: what a thread holds, and that it becomes the same chunks again."""

from collections.abc import Sequence

import pytest
from support.doubles import make_chunk

from articulado.retrieval.fusion import candidate
from articulado.values.chunks import Chunk
from nodes.stage import ChunkTexts

VACATION, REST = make_chunk(1, "Artículo 38", text="Treinta días."), make_chunk(2, "Artículo 37", text="Día y medio.")


class Shelf:
    """A store that has some chunks, and makes each anew as a store that reads them does."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks = {chunk["id"]: chunk for chunk in chunks}

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        return [{**self.chunks[id]} for id in ids if id in self.chunks]


def texts(*chunks: Chunk) -> ChunkTexts:
    return ChunkTexts({"index": Shelf(*chunks), "records": Shelf()})


async def test_what_the_store_has_is_kept_by_its_id_and_becomes_the_same_again():
    found = [candidate(VACATION, 0.9, "hybrid", "vacaciones"), candidate(REST, 0.5, "hybrid", "vacaciones")]
    kept = await texts(VACATION, REST).referred({"found": found, "store": "index"}, {})
    assert [item["chunk"] for item in kept["found"]] == [{"id": 1}, {"id": 2}]
    assert [item["score"] for item in kept["found"]] == [0.9, 0.5]
    # Another process has nothing but the store.
    assert (await texts(VACATION, REST).resolved(kept))["found"] == found


async def test_only_that_in_which_a_chunk_differs_is_kept_beside_its_id():
    noted: Chunk = {**VACATION, "status_note": "La redacción de 2019 no está en el índice."}
    kept = await texts(VACATION).referred({"context": [candidate(noted, 0.9, "hybrid")]}, {"store": "index"})
    assert kept["context"][0]["chunk"] == {"id": 1, "status_note": noted["status_note"]}
    assert (await texts(VACATION).resolved({**kept, "store": "index"}))["context"][0]["chunk"] == noted


async def test_what_the_store_does_not_have_stays_whole():
    kept = await texts(REST).referred({"direct": [candidate(VACATION, 1.0, "direct")]}, {"store": "index"})
    assert kept["direct"][0]["chunk"] == VACATION
    assert (await texts().resolved(kept)) is kept


async def test_what_another_index_has_no_longer_is_left_out():
    kept = {"carried": [{"chunk": {"id": 1}, "score": 0.5, "origins": ["carryover"], "found_by": []}]}
    assert (await texts(REST).resolved(kept))["carried"] == []


async def test_what_a_stage_leaves_as_it_was_is_no_update():
    before = await texts(VACATION).referred({"candidates": [candidate(VACATION, 0.9, "hybrid")]}, {})
    again = await texts(VACATION).referred({"candidates": [candidate(VACATION, 0.9, "hybrid")], "usage": {}}, before)
    assert again == {"usage": {}}


@pytest.mark.parametrize("state", [{}, {"candidates": []}, {"candidates": [candidate(REST, 0.1, "hybrid")]}])
async def test_a_state_of_whole_chunks_is_returned_as_it_is(state):
    assert await texts().resolved(state) is state
