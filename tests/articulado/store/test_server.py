"""What the server adapter sends over HTTP, and what it makes of failures."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_chunk, terms, unit
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.stores import build, prompt_writer

from articulado.config.settings import Settings
from articulado.store.generations import Index
from articulado.store.layout import INDEXED_FIELDS, POINTS_PER_PARENT
from articulado.store.opening import IndexBuilder, open_index
from articulado.store.server import ServerStore
from articulado.store.server_collection import connect, translate_server_errors
from articulado.store.server_writer import server_writer
from articulado.values.errors import ArticuladoError, ConfigurationError, IndexMissing, StoreUnavailable
from articulado.values.protocols import HybridQuery, SearchFilter

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
    writer = prompt_writer(settings(qdrant, qdrant_shards=4, qdrant_replicas=3, qdrant_api_key="secreta"))
    index = await build(tmp_path, two_collections(), writer)
    name = f"normativa__{index.manifest.generation}"
    [created] = qdrant.asked("PUT", f"/collections/{name}")
    assert created.body == {
        "vectors": {"text-dense": {"size": 2, "distance": "Cosine"}},
        "sparse_vectors": {"text-sparse": {"modifier": "idf"}},
        "shard_number": 4,
        "replication_factor": 3,
        "write_consistency_factor": 2,
        "on_disk_payload": True,
        "hnsw_config": {"m": 0},
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
        "metadata.refs": "integer",
        "metadata.chunk_type": "keyword",
        "metadata.tier": "keyword",
        "metadata.provision": "keyword",
        "metadata.parent_id": "integer",
        "metadata.wording.last_day": "datetime",
        "metadata.topic": "keyword",
    }
    assert {asked.api_key for asked in qdrant.of_points} == {"secreta"}
    point = qdrant.collections[name][1]
    assert point["vector"] == {"text-dense": [1.0, 0.0], "text-sparse": {"indices": [1], "values": [1.0]}}
    assert point["payload"]["page_content"] == make_chunk(1)["text"]
    assert point["payload"]["metadata"]["law_id"] == "BOE-A-2015-11430"
    assert "text" not in point["payload"]["metadata"]


def collections_of(*indexes: Index) -> set[str]:
    return {f"{name}__{index.manifest.generation}" for index in indexes for name in index.manifest.collections}


def aliases_of(index: Index) -> dict[str, str]:
    return {name: f"{name}__{index.manifest.generation}" for name in index.manifest.collections}


async def searched(qdrant: FakeQdrant, index: Index) -> dict[str, int]:
    """Open a store as a process does, and count."""
    store = ServerStore.connect(settings(qdrant), index)
    try:
        return await store.counts()
    finally:
        await store.close()


async def test_a_rebuild_switches_all_aliases_at_once(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = prompt_writer(settings(qdrant))
    await build(tmp_path, two_collections(), writer)
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
    assert qdrant.aliases["ajena"] == "ajena__1"


async def test_the_last_generation_stays_and_older_ones_go(qdrant: FakeQdrant, tmp_path: Path) -> None:
    first, second, third = [await build(tmp_path, two_collections(), prompt_writer(settings(qdrant))) for _ in "123"]
    assert qdrant.names == collections_of(second, third)
    assert {request.path for request in qdrant.asked("DELETE", ".*")} == {
        f"/collections/{name}" for name in collections_of(first)
    }
    assert not first.folder.exists()


async def test_a_collection_that_the_new_build_lacks_loses_its_alias(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = prompt_writer(settings(qdrant))
    await build(tmp_path, two_collections(), writer)
    new = await build(tmp_path, one_collection(), writer)
    assert qdrant.aliases == aliases_of(new)


async def test_indexes_of_one_server_leave_each_other_alone(qdrant: FakeQdrant, tmp_path: Path) -> None:
    """Those of other profiles, and those under another prefix."""
    qdrant.collections["normativa__otra-cosa"] = {}
    own, prefixed = settings(qdrant), settings(qdrant, qdrant_prefix="pruebas-")
    first = await build(tmp_path / "una", two_collections(), prompt_writer(own))
    second = await build(tmp_path / "otra", two_collections(), prompt_writer(prefixed))
    aliases = dict(qdrant.aliases)
    for _ in "123":
        await build(tmp_path / "más", two_collections(), server_writer(own, "otro", held=timedelta(0)))
    names = {f"pruebas-{name}" for name in collections_of(second)}
    assert collections_of(first) | names | {"normativa__otra-cosa"} < qdrant.names
    assert {alias: name for alias, name in aliases.items() if alias.startswith("pruebas-")}.items() <= (
        qdrant.aliases.items()
    )
    assert await searched(qdrant, first) == {"normativa": 2, "sentencias": 1}
    store = ServerStore.connect(prefixed, second)
    assert await store.counts() == {"normativa": 2, "sentencias": 1}
    await store.close()


async def test_all_queries_go_in_one_request_and_the_parents_in_another(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, two_collections(), prompt_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index)
    await store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter())
    qdrant.requests.clear()
    queries = [QUERY, HybridQuery(None, terms({1: 0.5})), HybridQuery(unit(0, 1), NO_TERMS)]
    answers = await store.search("normativa", queries, limit=1, prefetch=20, where=SearchFilter(territory="Galicia"))
    assert [[hit.chunk["id"] for hit in hits] for hits in answers] == [[1], [1], [1]]
    searched, fetched = qdrant.of_points
    assert fetched.path == f"/collections/normativa__{index.manifest.generation}/points"
    assert (fetched.body["ids"], fetched.body["with_payload"]) == ([1], True)
    assert searched.path == f"/collections/normativa__{index.manifest.generation}/points/query/batch"
    searches = searched.body["searches"]
    assert [search["using"] for search in searches] == ["text-dense", "text-sparse", "text-sparse", "text-dense"]
    assert searches[2]["query"]["nearest"] == {"indices": [1], "values": [0.5]}
    assert {search["limit"] for search in searches} == {20 * POINTS_PER_PARENT}
    assert not any(search.get("with_payload") for search in searches), "texts are read for the best alone"
    somewhere = searches[0]["filter"]["must"][2]["should"]
    assert {"key": "metadata.territory_ccaa", "match": {"any": ["Galicia"]}} in somewhere
    await store.close()


async def test_the_server_is_told_what_to_filter_by(qdrant: FakeQdrant, tmp_path: Path) -> None:
    chunks = [make_chunk(1, topic="loans", attributes={"record_keeper": ""}), make_chunk(2, collection="sentencias")]
    batch = Batch(chunks, [unit(1, 0)] * 2, [terms({1: 1.0})] * 2)
    index = await build(tmp_path, [batch], prompt_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index)
    qdrant.requests.clear()
    where = SearchFilter(
        chunk_types=("provision", "faqs"), fields=(("topic", ("loans", "")), ("attributes.record_keeper", ("Acme", "")))
    )
    [hits] = await store.search("normativa", [QUERY], limit=5, prefetch=5, where=where)
    assert [hit.chunk for hit in hits] == chunks[:1]
    request = qdrant.of_points[0]
    expected = [
        {"should": [{"key": "metadata.chunk_type", "match": {"any": ["provision", "faqs"]}}]},
        {"should": [{"key": "metadata.topic", "match": {"any": ["loans", ""]}}]},
        {"should": [{"key": "metadata.attributes.record_keeper", "match": {"any": ["Acme", ""]}}]},
    ]
    assert [search["filter"]["must"][-3:] for search in request.body["searches"]] == [expected] * 2
    qdrant.requests.clear()
    assert await store.select(["normativa", "nadie"], where) == chunks[:1]
    [read] = qdrant.of_points
    assert read.path == f"/collections/normativa__{index.manifest.generation}/points/scroll"
    assert read.body["filter"]["must"][-4:] == [*expected, {"should": [{"is_null": {"key": "metadata.parent_id"}}]}]
    await store.close()


async def test_the_attributes_that_chunks_have_are_indexed(qdrant: FakeQdrant, tmp_path: Path) -> None:
    def batch(id: int, collection: str = "normativa", **attributes: str) -> Batch:
        return Batch([make_chunk(id, collection=collection, attributes=attributes)], [unit(1, 0)], [NO_TERMS])

    batches = [batch(1, record_keeper="Acme"), batch(2, "otra"), batch(3, plan_type="", **{"con espacio": "x"})]
    await build(tmp_path, batches, prompt_writer(settings(qdrant)))
    sent = [
        (request.path.split("/")[2].partition("__")[0], request.path.rpartition("/")[2], request)
        for request in qdrant.asked("PUT", ".*/(points|index)")
    ]
    indexed = [request.body["field_name"] for name, what, request in sent if (name, what) == ("normativa", "index")]
    assert indexed[-2:] == ["metadata.attributes.record_keeper", "metadata.attributes.plan_type"]
    assert len(indexed) == len(set(indexed)) == len(INDEXED_FIELDS) + 2
    of_others = [request.body["field_name"] for name, what, request in sent if (name, what) == ("otra", "index")]
    assert of_others == [f"metadata.{field}" for field in INDEXED_FIELDS]
    # what the first batch shows is indexed before there are points
    steps = [what for name, what, _ in sent if name == "normativa"]
    assert steps == ["index"] * (len(INDEXED_FIELDS) + 1) + ["points"] * 2 + ["index"]


async def test_fetch_and_find_take_one_request_a_collection(qdrant: FakeQdrant, tmp_path: Path) -> None:
    index = await build(tmp_path, two_collections(), prompt_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index)
    assert await store.counts() == {"normativa": 2, "sentencias": 1}
    qdrant.requests.clear()
    assert [chunk["id"] for chunk in await store.fetch([3, 1])] == [3, 1]
    assert len(qdrant.of_points) == 2
    await store.find("BOE-A-2015-11430", "art:1")
    assert {request.path for request in qdrant.of_points[2:]} == {
        f"/collections/{name}/points/scroll" for name in collections_of(index)
    }
    await store.close()


async def test_a_running_process_goes_on_with_what_it_opened(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = prompt_writer(settings(qdrant))
    opened = await build(tmp_path, two_collections(), writer)
    store = ServerStore.connect(settings(qdrant), opened)
    await store.counts()
    await build(tmp_path, one_collection(), writer)
    qdrant.requests.clear()
    assert await store.counts() == {"normativa": 2, "sentencias": 1}
    assert [chunk["id"] for chunk in await store.fetch([3, 2])] == [3, 2]
    await store.find("a", "b")
    await store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter())
    assert {request.path.split("/")[2] for request in qdrant.of_points} == collections_of(opened)
    await build(tmp_path, one_collection(), writer)  # the second rebuild removes what the process has open
    for call in (
        store.counts,
        lambda: store.fetch([1]),
        lambda: store.find("a", "b"),
        lambda: store.search("normativa", [QUERY], limit=5, prefetch=20, where=SearchFilter()),
    ):
        with pytest.raises(IndexMissing, match=r"se ha reconstruido.* Reinicie articulado"):
            await call()
    await store.close()


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (401, ConfigurationError, "ARTICULADO_QDRANT_API_KEY"),
        (403, ConfigurationError, "ARTICULADO_QDRANT_API_KEY"),
        (404, IndexMissing, "articulado ingest"),
        (429, StoreUnavailable, "No se puede conectar|429"),
        (500, StoreUnavailable, "500"),
        (0, StoreUnavailable, "la conexión se ha cortado.*ARTICULADO_QDRANT_URL"),
    ],
)
async def test_failures_become_errors_by_who_can_act(
    qdrant: FakeQdrant, tmp_path: Path, status: int, error: type[ArticuladoError], says: str
) -> None:
    index = await build(tmp_path, one_collection(), prompt_writer(settings(qdrant)))
    store = ServerStore.connect(settings(qdrant), index)
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
        index = await build(tmp_path, one_collection(), prompt_writer(settings(gone)))
    store = ServerStore.connect(settings(gone), index)
    with pytest.raises(StoreUnavailable, match="ARTICULADO_STORE=embedded"):
        await store.counts()
    await store.close()


@pytest.mark.parametrize("moved", [False, True], ids=["refused", "reply lost"])
async def test_where_the_aliases_fail_the_old_index_serves(qdrant: FakeQdrant, tmp_path: Path, moved: bool) -> None:
    writer = prompt_writer(settings(qdrant))
    old = await build(tmp_path, two_collections(), writer)
    aliases = dict(qdrant.aliases)
    if moved:
        qdrant.lose_reply = "/collections/aliases"
    else:
        qdrant.fail["/collections/aliases"] = 500
    with pytest.raises(StoreUnavailable):
        await build(tmp_path, two_collections(), writer)
    assert open_index(tmp_path) == old
    assert await searched(qdrant, old) == {"normativa": 2, "sentencias": 1}
    assert (qdrant.aliases == aliases) is not moved
    assert set(qdrant.aliases.values()) < qdrant.names, "outsiders find the old index or the new"
    qdrant.fail.clear()
    qdrant.lose_reply = ""
    new = await build(tmp_path, two_collections(), writer)
    assert (qdrant.aliases, qdrant.names) == (aliases_of(new), collections_of(old, new))


async def test_where_the_switch_fails_both_generations_are_whole(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = prompt_writer(settings(qdrant))
    old = await build(tmp_path, two_collections(), writer)
    obstacle = tmp_path / "current.partial"
    obstacle.mkdir()
    with pytest.raises(ArticuladoError):
        await build(tmp_path, two_collections(), writer)
    assert open_index(tmp_path) == old
    assert await searched(qdrant, old) == {"normativa": 2, "sentencias": 1}
    assert len(qdrant.names) == 4
    published = qdrant.names - collections_of(old)
    assert set(qdrant.aliases.values()) == published
    obstacle.rmdir()
    new = await build(tmp_path, two_collections(), writer)
    # what other machines have been led to stays beside the new one, and not what this one went on with
    assert (qdrant.aliases, qdrant.names) == (aliases_of(new), published | collections_of(new))


async def test_the_next_build_removes_leftovers(qdrant: FakeQdrant, tmp_path: Path) -> None:
    writer = prompt_writer(settings(qdrant))
    first, second = [await build(tmp_path, two_collections(), writer) for _ in "12"]
    qdrant.fail[f"/collections/sentencias__{first.manifest.generation}"] = 500
    third = await build(tmp_path, two_collections(), writer)
    assert open_index(tmp_path) == third
    assert f"sentencias__{first.manifest.generation}" in qdrant.collections
    qdrant.fail.clear()
    fourth = await build(tmp_path, two_collections(), writer)
    assert qdrant.names == collections_of(third, fourth)
    assert not first.folder.exists()
    assert not second.folder.exists()


@pytest.mark.parametrize("reachable", [True, False])
async def test_a_build_that_fails_or_is_killed_leaves_nothing(
    qdrant: FakeQdrant, tmp_path: Path, reachable: bool
) -> None:
    """Where the server cannot be reached to clean up, the next build does it, as after a killed one."""
    writer = prompt_writer(settings(qdrant))
    old = await build(tmp_path, two_collections(), writer)
    [batch] = two_collections()

    async def fail() -> None:
        async with IndexBuilder(tmp_path, writer) as builder:
            await builder.add(batch.chunks, batch.dense, batch.sparse)
            if not reachable:
                qdrant.fail["/collections"] = 500
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert len(qdrant.names) == (2 if reachable else 4)
    qdrant.fail.clear()
    async with IndexBuilder(tmp_path, writer):
        assert qdrant.names == collections_of(old)
    assert (open_index(tmp_path), qdrant.aliases) == (old, aliases_of(old))


@contextmanager
def answering(status: int, body: bytes = b"", prefix: str = "", **headers: str) -> Iterator[tuple[str, list[str]]]:
    """Answer every request alike; yields the address and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def collections_at(url: str) -> object:
    client = connect(Settings.read(None, store="server", qdrant_url=url), timeout=2)
    try:
        with translate_server_errors():
            return (await client.get_collections()).collections
    finally:
        await client.close()


NOTHING = b'{"result": {"collections": []}, "status": "ok", "time": 0.0}'


@pytest.mark.parametrize("prefix", ["", "/", "/qdrant", "/qdrant/", "/a/b"])
async def test_an_address_with_a_path_is_taken_as_given(prefix: str) -> None:
    with answering(200, NOTHING, prefix) as (url, asked):
        assert await collections_at(url) == []
        assert await collections_at(f" {url.removeprefix('http://')} ") == []
    assert asked == [f"{prefix.rstrip('/')}/collections"] * 2


@pytest.mark.parametrize(
    ("url", "tried"),
    [
        ("http://127.0.0.1", "http://127.0.0.1:80/collections"),
        ("https://127.0.0.1", "https://127.0.0.1:443/collections"),
        ("127.0.0.1/qdrant", "http://127.0.0.1:80/qdrant/collections"),
        ("http://127.0.0.1:1/qdrant/", "http://127.0.0.1:1/qdrant/collections"),
        ("http://127.0.0.1:1", "http://127.0.0.1:1/collections"),
    ],
)
async def test_an_error_names_the_tried_address(url: str, tried: str) -> None:
    with pytest.raises(StoreUnavailable, match="ARTICULADO_QDRANT_URL") as caught:
        await collections_at(url)
    assert f" en {tried}: " in str(caught.value)
    assert "6333" in str(caught.value)


@pytest.mark.parametrize(
    "url", ["ftp://servidor", "http://servidor:puerto", "http://servidor:99999", "http://[::1", ""]
)
async def test_an_invalid_address_is_reported(url: str) -> None:
    with pytest.raises(ConfigurationError, match="no es una dirección"):
        await collections_at(url)


@pytest.mark.parametrize("body", [b"<html>Not found</html>", b"", b'{"detail": "Not Found"}', b"[]"])
async def test_a_server_other_than_qdrant_is_reported(body: bytes) -> None:
    with answering(404, body) as (url, _), pytest.raises(StoreUnavailable, match="que no es Qdrant"):
        await collections_at(url)


@pytest.mark.parametrize("location", ["http://127.0.0.1:9/x", "https://u:k@otro.example/y?k=1", "http://10.0.0.1/"])
async def test_a_redirect_is_refused(location: str) -> None:
    with (
        answering(302, Location=location) as (url, asked),
        pytest.raises(ConfigurationError, match="redirige") as caught,
    ):
        await collections_at(url)
    assert len(asked) == 1
    assert "k=1" not in str(caught.value)
    assert "u:k" not in str(caught.value)
