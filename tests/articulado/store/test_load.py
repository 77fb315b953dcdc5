"""How a large collection gets onto a server: sizes of requests, how many at once, and when it is indexed."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.stores import build, prompt_writer, update
from support.waiting import PATIENCE

from articulado.config.settings import Settings
from articulado.store.opening import open_index
from articulado.store.server import ServerStore
from articulado.store.server_collection import MAX_IDLE_POLLS, connect
from articulado.store.server_writer import MAX_CONCURRENT_REQUESTS, ServerWriter
from articulado.store.writer import WriterFactory
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import HybridQuery, SearchFilter

MEGABYTE = 1_000_000
SERVER_LIMIT = 32 * MEGABYTE


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with running_qdrant() as state:
        yield state


def settings(qdrant: FakeQdrant, **more: object) -> Settings:
    return Settings.read(None, store="server", qdrant_url=qdrant.url, **more)


def impatient(qdrant: FakeQdrant) -> WriterFactory:
    """A writer that looks again at once."""
    return lambda folder: ServerWriter(connect(settings(qdrant)), folder, poll_interval=0, exact_up_to=2)


def points(count: int, collection: str = "normativa") -> Batch:
    first = 1 if collection == "normativa" else 1_001
    chunks = [make_chunk(id, collection=collection) for id in range(first, first + count)]
    return Batch(chunks, [unit(1, 0)] * count, [NO_TERMS] * count)


def widest(count: int, dimensions: int) -> Batch:
    """Children as large as they get: long texts of letters of two bytes, numbers of many digits."""
    parent = make_chunk(1, text="ñ" * 2_000, notes=["ñ" * 500] * 3)
    vector = np.random.default_rng(1).standard_normal(dimensions, dtype=np.float32)
    chunks = [make_child(id, parent, text="ñ" * 350) for id in range(2, count + 2)]
    return Batch([parent, *chunks], [vector / np.linalg.norm(vector)] * (count + 1), [terms({1: 0.1})] * (count + 1))


@pytest.mark.parametrize(
    ("dimensions", "points", "requests"), [(192, 513, 3), (3_072, 257, 2), (4_096, 196, 2), (8_192, 98, 2)]
)
async def test_a_request_is_no_larger_than_a_server_takes(
    qdrant: FakeQdrant, tmp_path: Path, dimensions: int, points: int, requests: int
) -> None:
    await build(tmp_path, [widest(points - 1, dimensions)], prompt_writer(settings(qdrant)))
    sent = qdrant.asked("PUT", ".*/points")
    assert len(sent) == requests, "256 points a request, or 800,000 numbers"
    largest = max(len(json.dumps(asked.body, ensure_ascii=False, separators=(",", ":")).encode()) for asked in sent)
    assert largest < 0.75 * SERVER_LIMIT


async def test_requests_go_side_by_side_and_a_few_at_a_time(qdrant: FakeQdrant, tmp_path: Path) -> None:
    together = threading.Barrier(MAX_CONCURRENT_REQUESTS, timeout=PATIENCE)
    writing = most_at_once = 0
    lock = threading.Lock()

    def wait_for_the_others() -> None:
        nonlocal writing, most_at_once
        with lock:
            writing += 1
            most_at_once = max(most_at_once, writing)
        together.wait()
        with lock:
            writing -= 1

    qdrant.before_write = wait_for_the_others
    index = await build(tmp_path, [points(256 * MAX_CONCURRENT_REQUESTS * 2)], prompt_writer(settings(qdrant)))
    assert index.manifest.collections == {"normativa": 256 * MAX_CONCURRENT_REQUESTS * 2}
    assert most_at_once <= MAX_CONCURRENT_REQUESTS
    assert len(qdrant.asked("PUT", ".*/points")) == 2 * MAX_CONCURRENT_REQUESTS


async def test_where_a_request_fails_the_build_does(qdrant: FakeQdrant, tmp_path: Path) -> None:
    count = 0

    def fail_once() -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise ConnectionAbortedError

    qdrant.before_write = fail_once
    with pytest.raises(StoreUnavailable):
        await build(tmp_path, [points(256 * 4)], prompt_writer(settings(qdrant)))
    assert qdrant.names == set()


def order(qdrant: FakeQdrant) -> list[str]:
    """What was asked of collections, in order, without repetitions."""
    names = {("PATCH", 3): "index", ("GET", 3): "look", ("PUT", 3): "create", ("POST", 4): "other"}
    steps = []
    for request in qdrant.of_points:
        parts = request.path.split("/")
        points = {"PUT": "upsert", "POST": "read"}
        step = names.get((request.method, len(parts)), parts[-1])
        step = points[request.method] if request.path.endswith("/points") else step
        if steps[-1:] != [step]:
            steps.append(step)
    return steps


async def test_a_collection_is_indexed_when_it_is_whole_and_served_when_it_is_indexed(
    qdrant: FakeQdrant, tmp_path: Path
) -> None:
    qdrant.states = ["green", "grey", "yellow", "green"]
    index = await build(tmp_path, [points(300)], impatient(qdrant))
    steps = order(qdrant)
    expected = ["create", "index", "upsert", "count", "look", "index", "look", "aliases"]
    assert steps in (["collections", *expected], expected)
    name = f"normativa__{index.manifest.generation}"
    assert qdrant.asked("PUT", f"/collections/{name}")[0].body["hnsw_config"] == {"m": 0}
    [asked] = qdrant.asked("PATCH", f"/collections/{name}")
    assert asked.body == {"hnsw_config": {"m": 16}}
    assert len(qdrant.asked("GET", f"/collections/{name}")) == 4


async def test_a_collection_gets_a_graph_when_it_is_too_large_to_be_compared_whole(
    qdrant: FakeQdrant, tmp_path: Path
) -> None:
    index = await build(tmp_path, [points(2)], impatient(qdrant))
    assert not qdrant.asked("PATCH", ".*")
    index, _ = await update(tmp_path, index, [points(3)], writer=impatient(qdrant))
    assert len(qdrant.asked("PATCH", ".*")) == 1
    await update(tmp_path, index, [points(4)], writer=impatient(qdrant))
    assert len(qdrant.asked("PATCH", ".*")) == 1, "it has one already"


async def test_a_collection_that_cannot_be_indexed_is_not_served(qdrant: FakeQdrant, tmp_path: Path) -> None:
    old = await build(tmp_path, [points(3)], impatient(qdrant))
    aliases = dict(qdrant.aliases)
    qdrant.states = ["green", "yellow", "red"]
    with pytest.raises(StoreUnavailable, match="no ha podido indexar la colección «normativa__"):
        await build(tmp_path, [points(5)], impatient(qdrant))
    assert (open_index(tmp_path), qdrant.aliases) == (old, aliases)
    assert qdrant.names == {f"normativa__{old.manifest.generation}"}


async def test_a_server_that_does_not_begin_is_not_waited_for_for_ever(qdrant: FakeQdrant, tmp_path: Path) -> None:
    qdrant.states = ["grey"] * 1_000
    index = await build(tmp_path, [points(3)], impatient(qdrant))
    assert open_index(tmp_path) == index
    looks_for_a_graph = 1
    assert len(qdrant.states) == 1_000 - looks_for_a_graph - MAX_IDLE_POLLS - 1


async def test_an_update_indexes_only_what_it_creates(qdrant: FakeQdrant, tmp_path: Path) -> None:
    first = await build(tmp_path, [points(3)], impatient(qdrant))
    qdrant.requests.clear()
    second, _ = await update(tmp_path, first, [points(2)], writer=impatient(qdrant))
    assert not qdrant.asked("PATCH", ".*")
    await update(tmp_path, second, [points(3, "sentencias")], writer=impatient(qdrant))
    [asked] = qdrant.asked("PATCH", ".*")
    assert asked.path == f"/collections/sentencias__{first.manifest.generation}"


async def test_vectors_are_kept_as_bytes_where_that_is_asked_for(qdrant: FakeQdrant, tmp_path: Path) -> None:
    configured = settings(qdrant, qdrant_quantization="int8")
    index = await build(tmp_path, [points(3)], prompt_writer(configured))
    [created] = qdrant.asked("PUT", f"/collections/normativa__{index.manifest.generation}")
    assert created.body["vectors"]["text-dense"]["quantization_config"] == {
        "scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}
    }
    store = ServerStore.connect(configured, index)
    query = HybridQuery(unit(1, 0), terms({1: 1.0}))
    await store.search("normativa", [query], limit=5, prefetch=20, where=SearchFilter())
    await store.close()
    [searched] = qdrant.asked("POST", ".*/query/batch")
    dense, sparse = searched.body["searches"]
    assert dense["params"]["quantization"] == {"rescore": True, "oversampling": 2.0}
    assert not sparse.get("params")


def ruling(id: int, day: str | None) -> Batch:
    return Batch([make_chunk(id, collection="sentencias", valid_from=day)], [unit(1, 0)], [NO_TERMS])


def by_key(qdrant: FakeQdrant, name: str) -> list[tuple[str | None, list[int]]]:
    """The points that were written to a collection, by shard key: they are sent at once, and come in any order."""
    sent = qdrant.asked("PUT", f"/collections/{name}/points")
    written = [(asked.body.get("shard_key"), [point["id"] for point in asked.body["points"]]) for asked in sent]
    return sorted(written, key=lambda pair: str(pair[0]))


async def test_rulings_lie_apart_by_period_behind_one_alias(qdrant: FakeQdrant, tmp_path: Path) -> None:
    configured = settings(qdrant, qdrant_periods="sentencias:5", qdrant_shards=2)
    writer = prompt_writer(configured)
    days = {1: "2019-12-31", 2: "2020-01-01", 3: "2024-12-31", 4: None}
    together = [points(1), *(ruling(10 + id, day) for id, day in days.items())]
    rows = [[row for batch in together for row in getattr(batch, part)] for part in ("chunks", "dense", "sparse")]
    index = await build(tmp_path, [Batch(*rows)], writer)
    name = f"sentencias__{index.manifest.generation}"
    [created] = qdrant.asked("PUT", f"/collections/{name}")
    assert (created.body["sharding_method"], created.body["shard_number"]) == ("custom", 2)
    assert qdrant.shard_keys == {name: ["2015-2019", "2020-2024", "undated"]}
    assert by_key(qdrant, name) == [("2015-2019", [11]), ("2020-2024", [12, 13]), ("undated", [14])]
    assert by_key(qdrant, f"normativa__{index.manifest.generation}") == [(None, [1])]
    assert qdrant.aliases["sentencias"] == name
    qdrant.requests.clear()
    # another day for one that is there: it goes from the period in which it was
    await update(tmp_path, index, [ruling(11, "2026-01-01"), ruling(15, "2021-01-01")], writer=writer)
    assert qdrant.shard_keys[name] == ["2015-2019", "2020-2024", "undated", "2025-2029"]
    assert by_key(qdrant, name) == [("2020-2024", [15]), ("2025-2029", [11])]
    [deleted] = qdrant.asked("POST", f"/collections/{name}/points/delete")
    assert deleted.body["points"] == [11]
    assert set(deleted.body["shard_key"]) == set(qdrant.shard_keys[name]), "it is deleted wherever it is"


async def test_a_collection_of_before_is_not_kept_apart(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, [ruling(1, "2019-12-31")], prompt_writer(settings(qdrant)))
    qdrant.requests.clear()
    writer = prompt_writer(settings(qdrant, qdrant_periods="sentencias:5"))
    await update(tmp_path, index, [ruling(2, "2020-01-01")], writer=writer)
    assert by_key(qdrant, f"sentencias__{index.manifest.generation}") == [(None, [2])]
    assert qdrant.shard_keys == {}


async def test_the_on_disk_setting_keeps_vectors_on_disk(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, [points(3)], prompt_writer(settings(qdrant, qdrant_on_disk=True)))
    name = f"normativa__{index.manifest.generation}"
    [created] = qdrant.asked("PUT", f"/collections/{name}")
    assert created.body == {
        "vectors": {"text-dense": {"size": 2, "distance": "Cosine", "on_disk": True}},
        "sparse_vectors": {"text-sparse": {"modifier": "idf", "index": {"on_disk": True}}},
        "shard_number": 1,
        "replication_factor": 1,
        "write_consistency_factor": 1,
        "on_disk_payload": True,
        "hnsw_config": {"m": 0, "on_disk": True},
    }
