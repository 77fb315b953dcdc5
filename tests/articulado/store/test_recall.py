"""What graphs lose is measured before a generation is published, and made good or refused."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support.chunks import NO_TERMS, Batch, make_chunk
from support.qdrant_rest import running_qdrant
from support.real_qdrant import needs_real_server, real_server
from support.stores import build, prompt_writer, update

from articulado.config.settings import Settings
from articulado.store import edge_writer, recall
from articulado.store.edge_writer import EdgeWriter
from articulado.store.generations import Generations, GraphSearch, Index
from articulado.store.opening import IndexBuilder, open_index
from articulado.store.recall import CANDIDATES, LIMIT, SAMPLE, measured
from articulado.store.server import ServerStore
from articulado.store.server_collection import connect
from articulado.values.errors import IndexMismatch
from articulado.values.protocols import HybridQuery, SearchFilter

LARGE = 3_000


def points(count: int, dimensions: int, *, first: int = 1) -> Batch:
    random = np.random.default_rng(first + 41)
    vectors = random.standard_normal((count, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    chunks = [make_chunk(id) for id in range(first, first + count)]
    return Batch(chunks, list(vectors), [NO_TERMS] * count)


class Engine:
    """Searches that miss so many of the hundred best, by the number of candidates."""

    def __init__(self, missed: dict[int, int]) -> None:
        self.missed = missed
        self.asked: list[int | None] = []
        self.queries: list[np.ndarray] = []

    async def search(self, queries: Sequence[np.ndarray], candidates: int | None) -> list[list[float]]:
        self.asked.append(candidates)
        self.queries = list(queries)
        missed = 0 if candidates is None else self.missed.get(candidates, 0)
        best = [1 - rank / 1_000 for rank in range(2 * LIMIT)]
        return [best[missed : LIMIT + missed] for _ in queries]


@pytest.mark.parametrize(
    ("missed", "expected"),
    [
        ({}, GraphSearch(candidates=0, recall=1.0)),
        ({0: 1}, GraphSearch(candidates=0, recall=0.99)),
        ({0: 2, 128: 2, 256: 1}, GraphSearch(candidates=256, recall=0.99)),
        (dict.fromkeys(CANDIDATES[:-1], 2), GraphSearch(candidates=CANDIDATES[-1], recall=1.0)),
    ],
)
async def test_the_least_number_of_candidates_that_reaches_the_gate_is_taken(
    missed: dict[int, int], expected: GraphSearch
) -> None:
    engine = Engine(missed)
    vectors = points(2 * SAMPLE, 8).dense
    assert await measured("normativa", vectors, engine.search) == expected
    assert engine.asked == [None, *CANDIDATES[: CANDIDATES.index(expected.candidates) + 1]]
    assert len(engine.queries) == SAMPLE
    similarities = [float(a @ b / np.linalg.norm(a)) for a, b in zip(engine.queries, vectors, strict=False)]
    assert all(0.86 < similarity < 0.99999 for similarity in similarities), "near to a point, and none itself"


async def test_where_none_reaches_it_the_message_says_what_it_is_and_what_to_do() -> None:
    engine = Engine(dict.fromkeys(CANDIDATES, 5))
    with pytest.raises(IndexMismatch, match=r"«normativa» encuentra solo el 0,950 .*1024 .*exige el 0,99.*--rebuild"):
        await measured("normativa", points(SAMPLE, 8).dense, engine.search)


async def test_points_that_are_alike_may_stand_for_one_another(tmp_path: Path) -> None:
    batch = points(2_000, 16)
    alike = Batch(batch.chunks, [batch.dense[number % 3] for number in range(2_000)], batch.sparse)
    index = await build(tmp_path, [alike], partial(EdgeWriter, exact_up_to=500, segment_points=1_000))
    assert index.manifest.graphs["normativa"].recall == 1


async def test_without_vectors_nothing_is_asked() -> None:
    engine = Engine({})
    assert (await measured("normativa", [], engine.search)).recall == 1
    assert engine.asked == []


async def test_a_small_collection_is_not_measured(tmp_path: Path) -> None:
    index = await build(tmp_path, [points(50, 8)], EdgeWriter)
    assert index.manifest.graphs == {}


async def test_a_shard_with_graphs_is_measured_and_an_update_takes_what_was_measured_over(tmp_path: Path) -> None:
    writer = partial(EdgeWriter, exact_up_to=500, segment_points=1_000)
    index = await build(tmp_path, [points(LARGE, 16)], writer)
    assert index.manifest.graphs["normativa"].recall >= 0.99
    assert open_index(tmp_path).manifest.graphs == index.manifest.graphs
    other = points(5, 16, first=10_000)
    small = Batch([{**chunk, "collection": "otros"} for chunk in other.chunks], other.dense, other.sparse)
    again, _ = await update(tmp_path, index, [small], writer=writer)
    assert again.manifest.graphs.keys() == {"normativa"}


async def test_a_graph_that_loses_too_much_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_writer, "GRAPH_LINKS", 2)
    monkeypatch.setattr(edge_writer, "GRAPH_CANDIDATES", 4)
    monkeypatch.setattr(edge_writer, "SCANNED", 1)
    monkeypatch.setattr(recall, "CANDIDATES", (0,))
    writer = partial(EdgeWriter, exact_up_to=500, segment_points=LARGE)
    with pytest.raises(IndexMismatch, match="No se publica"):
        await build(tmp_path, [points(LARGE, 64)], writer)
    assert Generations(tmp_path).current() is None


async def test_a_server_is_searched_as_was_measured(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        settings = Settings.read(None, store="server", qdrant_url=qdrant.url)
        index = await build(tmp_path, [points(1_000, 8)], prompt_writer(settings))
        searches = [one for asked in qdrant.asked("POST", ".*/query/batch") for one in asked.body["searches"]]
        exact = [search for search in searches if search["params"].get("exact")]
        assert len(searches) == 2 * len(exact) == 2 * SAMPLE
        assert index.manifest.graphs == {"normativa": GraphSearch(candidates=0, recall=1.0)}
        graphs = {"normativa": GraphSearch(candidates=256, recall=0.995)}
        store = ServerStore.connect(settings, Index(index.folder, index.manifest.model_copy(update={"graphs": graphs})))
        qdrant.requests.clear()
        query = HybridQuery(points(1, 8).dense[0], NO_TERMS)
        await store.search("normativa", [query], limit=5, prefetch=5, where=SearchFilter())
        await store.close()
        [asked] = qdrant.asked("POST", ".*/query/batch")
        assert asked.body["searches"][0]["params"]["hnsw_ef"] == 256


@needs_real_server
@pytest.mark.integration
@pytest.mark.parametrize("quantization", ["none", "int8"])
async def test_a_graph_of_a_real_server_is_measured(tmp_path: Path, quantization: str) -> None:
    """The vectors fill 24 of 256 dimensions: directions without any structure lose too much in every graph."""
    async with real_server(qdrant_shards=1, qdrant_quantization=quantization) as settings:
        batch = points(24_000, 24)
        spread = np.linalg.qr(np.random.default_rng(3).standard_normal((256, 24)))[0].T.astype(np.float32)
        batch = Batch(batch.chunks, [vector @ spread for vector in batch.dense], batch.sparse)
        index = await build(tmp_path, [batch], prompt_writer(settings))
        client = connect(settings)
        described = await client.get_collection(f"{settings.qdrant_prefix}normativa")
        await client.close()
        assert described.indexed_vectors_count
        graph = index.manifest.graphs["normativa"]
        assert graph.candidates in CANDIDATES
        assert graph.recall >= 0.99


async def test_what_an_update_that_failed_has_written_is_measured_by_the_next(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        writer = prompt_writer(Settings.read(None, store="server", qdrant_url=qdrant.url))
        first = await build(tmp_path, [points(5, 8)], writer)
        more = points(1_000, 8, first=100)

        async def fail() -> None:
            async with IndexBuilder(tmp_path, writer) as builder:
                await builder.continue_from(first)
                await builder.add(more.chunks, more.dense, more.sparse)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        second, digests = await update(tmp_path, first, writer=writer)
        assert digests.keys() >= {chunk["id"] for chunk in more.chunks}
        assert second.manifest.graphs.keys() == {"normativa"}
