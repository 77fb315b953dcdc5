"""Encoding in batches: the same vectors whoever works, in order, and none twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np
import pytest
from support.doubles import make_chunk

from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.ingestion.indexing.changes import (
    BATCH,
    NO_TERMS,
    WORTH_PROCESSES,
    Encoded,
    Entry,
    encode_batches,
    offline_encoder,
)
from articulado.legal.domain.spanish_law import SPANISH_LAW

TEXTS = [f"El descanso número {n} dura días y el permiso {n % 7} horas" for n in range(40)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modelos")
    # With questions: those and documents have axes of their own.
    questions = [(f"días {n}, horas y permiso {n % 7}", n) for n in range(len(TEXTS))]
    DualEncoder.fit(TrainingPairs(TEXTS, questions * 50), 8).save(folder)
    return folder


async def each(given: list[Entry]) -> AsyncIterator[Entry]:
    for entry in given:
        yield entry


def entries(count: int) -> list[Entry]:
    return [
        Entry(make_chunk(n), dense=TEXTS[n] if n % 2 else "", sparse="" if n % 2 else TEXTS[n]) for n in range(count)
    ]


@pytest.mark.integration
async def test_worker_processes_give_the_same_vectors(models: Path) -> None:
    async with AsyncExitStack() as stack:
        here = await (await offline_encoder(models, SPANISH_LAW, 0, 2, stack))(entries(9))
        there = await (await offline_encoder(models, SPANISH_LAW, WORTH_PROCESSES, 2, stack))(entries(9))
    assert here.sparse == there.sparse
    assert [one is None for one in here.dense] == [n % 2 == 0 for n in range(9)]
    for one, other in zip(here.dense, there.dense, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, atol=1e-6)
    assert [words == NO_TERMS for words in here.sparse] == [n % 2 == 1 for n in range(9)]


async def test_text_without_known_words_has_no_vector(models: Path) -> None:
    async with AsyncExitStack() as stack:
        encode = await offline_encoder(models, SPANISH_LAW, 1, 1, stack)
        assert (await encode([Entry(make_chunk(1), dense="xyzzy")])).dense == [None]


async def test_texts_are_embedded_as_documents_not_as_questions(models: Path) -> None:
    embedder = DualEncoder.load(models)
    text = TEXTS[5]
    async with AsyncExitStack() as stack:
        encode = await offline_encoder(models, SPANISH_LAW, 1, 1, stack)
        [vector] = (await encode([Entry(make_chunk(1), dense=text)])).dense
    np.testing.assert_allclose(vector, embedder.embed_all([text])[0], atol=1e-6)
    assert not np.array_equal(embedder.embed_all([text])[0], embedder.embed_question(text))


async def test_text_is_embedded_within_its_parent(models: Path) -> None:
    embedder = DualEncoder.load(models)
    own, whole = embedder.embed_all([TEXTS[5], TEXTS[12]])
    expected = own + 2 * whole
    async with AsyncExitStack() as stack:
        encode = await offline_encoder(models, SPANISH_LAW, 1, 1, stack)
        entry = Entry(make_chunk(1), dense=TEXTS[5], within=TEXTS[12])
        [vector] = (await encode([entry])).dense
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


async def test_batches_come_in_order_and_the_first_goes_alone() -> None:
    running: list[int] = []
    most: list[int] = []

    async def encode(batch: list[Entry]) -> Encoded:
        running.append(batch[0].chunk["id"])
        most.append(len(running))
        # The later ones are ready first.
        for _ in range(10 - batch[0].chunk["id"] // BATCH):
            await asyncio.sleep(0)
        running.remove(batch[0].chunk["id"])
        return Encoded(batch, [], [])

    many = [Entry(make_chunk(n)) for n in range(4 * BATCH + 1)]
    batches = [batch.entries async for batch in encode_batches(each(many), encode, 2)]
    assert [entry.chunk["id"] for batch in batches for entry in batch] == list(range(4 * BATCH + 1))
    assert [len(batch) for batch in batches] == [BATCH] * 4 + [1]
    assert most[1] == 1, "the second has not begun before the first was done"
    assert max(most) == 3


async def test_a_failure_ends_the_other_batches() -> None:
    ended: list[int] = []

    async def encode(batch: list[Entry]) -> Encoded:
        first = batch[0].chunk["id"]
        try:
            if first == BATCH:
                raise ZeroDivisionError
            if first > BATCH:
                await asyncio.Event().wait()
        finally:
            ended.append(first)
        return Encoded(batch, [], [])

    many = [Entry(make_chunk(n)) for n in range(3 * BATCH)]
    with pytest.raises(ZeroDivisionError):
        async for _ in encode_batches(each(many), encode, 2):
            pass
    assert sorted(ended) == [0, BATCH, 2 * BATCH]
