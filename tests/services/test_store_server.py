"""What the server adapter sends over HTTP, and what it makes of failures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.chunks import NO_TERMS, Batch, make_chunk, terms, unit
from fakes.qdrant_rest import FakeQdrant, running_qdrant
from fakes.stores import build

from services.errors import ArticuladoError, ConfigurationError, IndexMismatch, IndexMissing, StoreUnavailable
from services.index import open_index
from services.protocols import HybridQuery, SearchFilter
from services.settings import Settings
from services.store.server import ServerStore
from services.store.server_writer import server_writer

QUERY = HybridQuery(unit(1, 0), terms({1: 1.0}))


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with running_qdrant() as state:
        yield state


def settings(qdrant: FakeQdrant, **more: object) -> Settings:
    return Settings.read(None, store="server", qdrant_url=qdrant.url, **more)


def two_collections() -> list[Batch]:
    chunks = [make_chunk(1), make_chunk(2), make_chunk(3, collection="sentencias")]
    return [Batch(chunks, [unit(1, 0)] * 3, [terms({1: 1.0})] * 3)]


def one_collection() -> list[Batch]:
    return [Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])]


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning")
async def test_collections_are_laid_out_for_scale(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = server_writer(settings(qdrant, qdrant_shards=3, qdrant_replicas=2, qdrant_api_key="secreta"))
    index = await build(tmp_path, two_collections(), writer)
    name = f"normativa__{index.manifest.generation}"
    [created] = qdrant.asked("PUT", f"/collections/{name}")
    assert created.body == {
        "vectors": {"text-dense": {"size": 2, "distance": "Cosine"}},
        "sparse_vectors": {"text-sparse": {"modifier": "idf"}},
        "shard_number": 3,
        "replication_factor": 2,
    }
    indexed = {
        asked.body["field_name"]: asked.body["field_schema"] for asked in qdrant.asked("PUT", f".*/{name}/index")
    }
    assert indexed == {
        "metadata.law_id": "keyword",
        "metadata.provision_key": "keyword",
        "metadata.status": "keyword",
        "metadata.territory_ccaa": "keyword",
        "metadata.territory_municipio": "keyword",
        "metadata.valid_from": "datetime",
        "metadata.valid_to": "datetime",
    }
    assert {asked.api_key for asked in qdrant.requests} == {"secreta"}
    point = qdrant.collections[name][1]
    assert point["vector"] == {"text-dense": [1.0, 0.0], "text-sparse": {"indices": [1], "values": [1.0]}}
    assert point["payload"]["page_content"] == make_chunk(1)["text"]
    assert point["payload"]["metadata"]["law_id"] == "BOE-A-2015-11430"
    assert "text" not in point["payload"]["metadata"]


async def test_a_rebuild_switches_all_aliases_at_once_and_deletes_the_old(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = server_writer(settings(qdrant))
    old = (await build(tmp_path, two_collections(), writer)).manifest.generation
    qdrant.collections["normativa__killed"] = {}
    qdrant.collections["ajena__1"] = {}
    qdrant.aliases["ajena"] = "ajena__1"
    qdrant.requests.clear()
    new = (await build(tmp_path, two_collections(), writer)).manifest.generation
    [switch] = qdrant.asked("POST", "/collections/aliases")
    assert switch.body["actions"] == [
        {"delete_alias": {"alias_name": "normativa"}},
        {"delete_alias": {"alias_name": "sentencias"}},
        {"create_alias": {"collection_name": f"normativa__{new}", "alias_name": "normativa"}},
        {"create_alias": {"collection_name": f"sentencias__{new}", "alias_name": "sentencias"}},
    ]
    after = qdrant.requests[qdrant.requests.index(switch) :]
    deleted = {asked.path for asked in after if asked.method == "DELETE"}
    assert deleted == {
        f"/collections/{name}" for name in (f"normativa__{old}", f"sentencias__{old}", "normativa__killed")
    }
    assert len(deleted) == len(qdrant.asked("DELETE", ".*"))
    assert set(qdrant.collections) == {f"normativa__{new}", f"sentencias__{new}", "ajena__1"}


async def test_a_collection_that_the_new_build_lacks_goes(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = server_writer(settings(qdrant))
    await build(tmp_path, two_collections(), writer)
    new = (await build(tmp_path, one_collection(), writer)).manifest.generation
    assert qdrant.aliases == {"normativa": f"normativa__{new}"}
    assert list(qdrant.collections) == [f"normativa__{new}"]


async def test_all_queries_of_a_collection_go_in_one_request(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, two_collections(), server_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index.manifest)
    await store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter())
    qdrant.requests.clear()
    queries = [QUERY, HybridQuery(None, terms({7: 0.5})), HybridQuery(unit(0, 1), NO_TERMS)]
    found = await store.search("normativa", queries, limit=1, prefetch=20, where=SearchFilter(territory="Galicia"))
    assert [[hit.chunk["id"] for hit in hits] for hits in found] == [[1], [1], [1]]
    [asked] = qdrant.requests
    assert asked.path == "/collections/normativa/points/query/batch"
    searches = asked.body["searches"]
    assert [search["using"] for search in searches] == ["text-dense", "text-sparse", "text-sparse", "text-dense"]
    assert searches[2]["query"]["nearest"] == {"indices": [7], "values": [0.5]}
    assert {search["limit"] for search in searches} == {20}
    somewhere = searches[0]["filter"]["must"][2]["should"]
    assert {"key": "metadata.territory_ccaa", "match": {"any": ["Galicia"]}} in somewhere
    await store.close()


async def test_fetch_and_find_take_one_request_a_collection(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, two_collections(), server_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index.manifest)
    assert await store.counts() == {"normativa": 2, "sentencias": 1}
    qdrant.requests.clear()
    assert [chunk["id"] for chunk in await store.fetch([3, 1])] == [3, 1]
    assert len(qdrant.requests) == 2
    await store.find("BOE-A-2015-11430", "art:1")
    assert sorted(asked.path for asked in qdrant.requests[2:]) == [
        "/collections/normativa/points/scroll",
        "/collections/sentencias/points/scroll",
    ]
    await store.close()


async def test_vectors_of_another_build_are_never_searched(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = server_writer(settings(qdrant))
    stale = await build(tmp_path / "una", two_collections(), writer)
    fresh = await build(tmp_path / "otra", two_collections(), writer)
    store = ServerStore.connect(settings(qdrant), stale.manifest)
    for call in (store.counts, lambda: store.fetch([1]), lambda: store.find("a", "b")):
        with pytest.raises(IndexMismatch, match="generación"):
            await call()
    with pytest.raises(IndexMismatch, match="articulado ingest"):
        await store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter())
    assert not qdrant.asked("POST", ".*batch")
    await store.close()
    good = ServerStore.connect(settings(qdrant), fresh.manifest)
    assert await good.counts() == {"normativa": 2, "sentencias": 1}
    await good.close()


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (401, ConfigurationError, "ARTICULADO_QDRANT_API_KEY"),
        (403, ConfigurationError, "ARTICULADO_QDRANT_API_KEY"),
        (404, IndexMissing, "articulado ingest"),
        (429, StoreUnavailable, "No se puede conectar|429"),
        (500, StoreUnavailable, "500"),
        (0, StoreUnavailable, "ARTICULADO_QDRANT_URL"),
    ],
)
async def test_failures_say_who_can_act(
    qdrant: FakeQdrant, tmp_path: Path, status: int, error: type[ArticuladoError], says: str
) -> None:
    index = await build(tmp_path, one_collection(), server_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index.manifest)
    qdrant.fail[".*/points.*"] = status
    for call in (
        store.counts,
        lambda: store.fetch([1]),
        lambda: store.find("a", "b"),
        lambda: store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter()),
    ):
        with pytest.raises(error, match=says):
            await call()
    await store.close()


async def test_no_server(tmp_path: Path) -> None:
    with running_qdrant() as gone:
        index = await build(tmp_path, one_collection(), server_writer(settings(gone)))
    store = ServerStore.connect(settings(gone), index.manifest)
    with pytest.raises(StoreUnavailable, match="ARTICULADO_STORE=embedded"):
        await store.counts()
    await store.close()


async def test_a_build_that_fails_leaves_the_old_collections(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = server_writer(settings(qdrant))
    old = await build(tmp_path, two_collections(), writer)
    aliases, collections = dict(qdrant.aliases), set(qdrant.collections)
    qdrant.fail["/collections/aliases"] = 500
    with pytest.raises(StoreUnavailable):
        await build(tmp_path, two_collections(), writer)
    assert (qdrant.aliases, set(qdrant.collections)) == (aliases, collections)
    assert open_index(tmp_path) == old
