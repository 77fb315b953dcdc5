"""Connect to a Qdrant server, translate its failures, and manage collections and aliases.

Time-outs are in seconds.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from articulado.config.settings import Quantization, Settings
from articulado.language.translation import translate
from articulado.store.generations import BUILD_HINT
from articulado.store.layout import DENSE, PAGE_SIZE, SPARSE, IndexKind, field_path
from articulado.values.errors import ConfigurationError, IndexMissing, StoreUnavailable

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, QdrantClient, models


TIMEOUT = 30
"""Seconds that one request may take (a batch of points, while building, is the longest)."""

SHARE_OF_QUESTION = 0.1
"""Of the seconds of a question, that one request of it may take: a server that hangs does not hold it for long."""

MAX_ASKED = 10.0
"""Seconds that it may take at most, however many a question has."""


def patience(settings: Settings) -> float:
    """Return the seconds that a request may take for which a question waits."""
    return min(MAX_ASKED, SHARE_OF_QUESTION * settings.question_timeout)


def connect(settings: Settings, *, timeout: float = TIMEOUT) -> "AsyncQdrantClient":
    """Return a client for the server that the settings name; nothing is sent yet.

    ``timeout``: seconds that one request may take; the client knows whole ones.
    """
    from qdrant_client import AsyncQdrantClient

    return AsyncQdrantClient(timeout=ceil(timeout), **_address(settings))


def connect_blocking(settings: Settings) -> "QdrantClient":
    """Return a client that blocks, for programs that do; nothing is sent yet."""
    from qdrant_client import QdrantClient

    return QdrantClient(timeout=TIMEOUT, **_address(settings))


def _address(settings: Settings) -> dict[str, Any]:
    """Return the arguments of a client; an address without a port has that of its scheme, not Qdrant's own."""
    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    written = settings.qdrant_url.strip()
    try:
        parts = urlsplit(written if "://" in written else f"http://{written}")
        port = parts.port or {"http": 80, "https": 443}[parts.scheme if parts.hostname else ""]
    except (ValueError, KeyError) as error:
        raise ConfigurationError(translate("store.bad_address", url=written)) from error
    return {
        "url": f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}",
        "port": port,
        "api_key": key,
        "check_compatibility": False,  # it would be a blocking request of its own
        # A plain address has no certificate: without reading those of the system a client is made in 6 ms, not 28.
        "verify": parts.scheme != "http",
    }


@contextmanager
def translate_server_errors() -> Iterator[None]:
    """Turn failures of the Qdrant client within the block into errors of this project.

    Raises:
        StoreUnavailable: the server cannot be reached, or fails.
        ConfigurationError: it refuses the key.
        IndexMissing: it does not have the collection.
    """
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            raise ConfigurationError(translate("store.key_refused")) from error
        if error.status_code is not None and 300 <= error.status_code < 400:
            place = urlsplit(error.headers.get("location", "")).netloc.rpartition("@")[2] or "?"
            raise ConfigurationError(translate("store.redirected", place=place)) from error
        if error.status_code == 404 and not _is_of_qdrant(error.content):
            raise StoreUnavailable(translate("store.no_qdrant")) from error
        if error.status_code == 404:
            raise IndexMissing(translate("store.collections_missing", command=BUILD_HINT)) from error
        raise StoreUnavailable(
            translate("store.server_error", status=error.status_code, content=error.content[:200])
        ) from error
    except (ApiException, QdrantException) as error:
        raise StoreUnavailable(translate("store.no_connection", url=_tried(error), error=_reason(error))) from error


def _is_of_qdrant(content: bytes) -> bool:
    """Tell if a response is Qdrant's own: it is a JSON object with a status."""
    with suppress(ValueError):
        reply = json.loads(content)
        return isinstance(reply, dict) and "status" in reply
    return False


def _tried(error: Exception) -> str:
    """Return the address that was asked, with its port and path."""
    request = getattr(getattr(error, "source", error), "_request", None)
    if request is None:
        return "?"
    url = request.url
    return f"{url.scheme}://{url.host}:{url.port or {'http': 80, 'https': 443}.get(url.scheme)}{url.path}"


def _reason(error: Exception) -> str:
    """Return why a server could not be asked, in the language that is spoken where that is known."""
    from httpx import ConnectError, TimeoutException, TransportError

    match getattr(error, "source", error):
        case TimeoutException():
            return translate("store.no_answer")
        case ConnectError():
            return translate("store.not_reached")
        case TransportError():
            return translate("store.cut_off")
        case source:
            return str(source)


SEPARATOR = "__"
"""Between the name of a collection and that of its generation."""

GRAPH_LINKS = 16
"""Links of a point in the HNSW graph: Qdrant's default."""

EXACT_UP_TO = 250_000
"""Points of a collection up to which its dense vectors are all compared: such a collection has no graph."""

QUANTILE = 0.99
"""Of the numbers of the vectors, which the bytes tell apart: those beyond are cut (benchmarks/quantization.py)."""

POLL_INTERVAL = 1.0
"""Seconds between two questions to the server whether the graph is built."""

MAX_IDLE_POLLS = 60
"""Answers of a server that has something to do and does not begin, after which it is no longer waited for."""


@dataclass(frozen=True)
class CollectionOptions:
    """How collections are spread over the nodes of a server and kept there.

    ``on_disk``: vectors, graph and word index are read from the disk, and the machine's memory is their cache.
    ``quantization``: ``int8`` keeps a byte a number in memory beside the vectors; the best are ranked by these.
    ``periods``: the years of a period, for each collection that is kept apart by period
    (``articulado.config.settings``).
    """

    shards: int = 1
    replicas: int = 1
    on_disk: bool = False
    quantization: Quantization = "none"
    periods: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> "CollectionOptions":
        """Return the options that the settings name."""
        return cls(
            settings.qdrant_shards,
            settings.qdrant_replicas,
            settings.qdrant_on_disk,
            settings.qdrant_quantization,
            settings.qdrant_periods,
        )


SINGLE_NODE = CollectionOptions()
"""One node, and everything in its memory."""


def collection_name(name: str, generation: str) -> str:
    """Return the name on the server of a collection of one generation; its alias is the plain name."""
    return f"{name}{SEPARATOR}{generation}"


def plain_name(collection: str, generation: str, prefix: str = "") -> str:
    """Return the name of a collection from that on the server of a generation.

    >>> plain_name(collection_name("a-normativa", "20260101"), "20260101", "a-")
    'normativa'
    """
    return collection.removeprefix(prefix).removesuffix(collection_name("", generation))


async def stored_collections(client: "AsyncQdrantClient", generation: str) -> set[str]:
    """Return the names of the collections that the server has of a generation."""
    with translate_server_errors():
        collections = (await client.get_collections()).collections
    return {collection.name for collection in collections if collection.name.endswith(SEPARATOR + generation)}


async def delete_collections(client: "AsyncQdrantClient", collections: Iterable[str]) -> None:
    """Delete collections, with the aliases that lead to them."""
    for collection in sorted(collections):
        with translate_server_errors():
            await client.delete_collection(collection)


async def scroll(
    client: "AsyncQdrantClient",
    collection: str,
    *,
    condition: "models.Filter | None" = None,
    with_payload: "bool | list[str]" = True,
    with_vectors: "bool | list[str]" = False,
) -> "AsyncIterator[list[models.Record]]":
    """Yield the points of a collection that satisfy a condition, in pages by ascending id."""
    offset = None
    while True:
        with translate_server_errors():
            page, offset = await client.scroll(
                collection,
                scroll_filter=condition,
                limit=PAGE_SIZE,
                offset=offset,
                with_payload=with_payload,
                with_vectors=with_vectors,
            )
        if page:
            yield page
        if offset is None:
            return


async def create_collection(
    client: "AsyncQdrantClient",
    collection: str,
    size: int,
    options: CollectionOptions,
    fields: Mapping[str, IndexKind],
    *,
    by_period: bool = False,
) -> None:
    """Create a collection without an HNSW graph; ``build_graph`` builds it when a large collection is filled.

    A graph that grows with the load is built several times over (Qdrant, "Bulk upload"). Payload indexes come before
    the points, so that the graph is built with them in view. A write counts when most replicas have it. A collection
    that is kept apart by period has no shards yet: each key has so many as the options say.
    """
    from qdrant_client import models

    on_disk = options.on_disk or None  # unset: as the server is configured
    int8 = models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=QUANTILE, always_ram=True)
    )
    dense = models.VectorParams(
        size=size,
        distance=models.Distance.COSINE,
        on_disk=on_disk,
        quantization_config=int8 if options.quantization == "int8" else None,
    )
    sparse_index = models.SparseIndexParams(on_disk=True) if on_disk else None
    with translate_server_errors():
        await client.create_collection(
            collection,
            vectors_config={DENSE: dense},
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF, index=sparse_index)},
            shard_number=options.shards,
            sharding_method=models.ShardingMethod.CUSTOM if by_period else None,
            replication_factor=options.replicas,
            write_consistency_factor=options.replicas // 2 + 1,
            on_disk_payload=True,
            hnsw_config=models.HnswConfigDiff(m=0, on_disk=on_disk),
        )
    await index_fields(client, collection, fields, wait=True)


async def indexed_paths(client: "AsyncQdrantClient", collection: str) -> set[str]:
    """Return the payload paths that a collection has indexed."""
    with translate_server_errors():
        return set((await client.get_collection(collection)).payload_schema)


async def index_fields(
    client: "AsyncQdrantClient", collection: str, fields: Mapping[str, IndexKind], *, wait: bool
) -> None:
    """Have fields indexed; without ``wait`` the server does it in the background, and reads payloads until then."""
    from qdrant_client import models

    for name, kind in fields.items():
        with translate_server_errors():
            await client.create_payload_index(collection, field_path(name), models.PayloadSchemaType(kind), wait=wait)


async def shard_keys(client: "AsyncQdrantClient", collection: str) -> set[str] | None:
    """Return the shard keys of a collection; ``None`` of one that is not kept apart by keys."""
    from qdrant_client import models

    with translate_server_errors():
        described = await client.get_collection(collection)
        if described.config.params.sharding_method != models.ShardingMethod.CUSTOM:
            return None
        return {str(described.key) for described in (await client.list_shard_keys(collection)).shard_keys or ()}


async def has_graph(client: "AsyncQdrantClient", collection: str) -> bool:
    """Tell whether a collection has an HNSW graph, or is building one."""
    with translate_server_errors():
        return bool((await client.get_collection(collection)).config.hnsw_config.m)


async def build_graph(client: "AsyncQdrantClient", collection: str, *, poll_interval: float = POLL_INTERVAL) -> None:
    """Have the HNSW graph of a filled collection built, and wait for it: until then a search reads every vector.

    Raises:
        StoreUnavailable: the server gave up building it.
    """
    from qdrant_client import models

    with translate_server_errors():
        await client.update_collection(collection, hnsw_config=models.HnswConfigDiff(m=GRAPH_LINKS))
    idle_polls = 0
    while True:
        with translate_server_errors():
            status = (await client.get_collection(collection)).status
        if status == models.CollectionStatus.RED:
            raise StoreUnavailable(translate("store.not_indexed", collection=collection))
        idle_polls = idle_polls + 1 if status == models.CollectionStatus.GREY else 0
        if status == models.CollectionStatus.GREEN or idle_polls > MAX_IDLE_POLLS:
            return
        await asyncio.sleep(poll_interval)


async def switch_aliases(client: "AsyncQdrantClient", collections: Mapping[str, str]) -> None:
    """Point the aliases (the keys) to the collections of a generation, all in one request, where they do not already.

    A collection that the new generation lacks loses its alias too: the aliases point to one build. Those of other
    programs stay.
    """
    from qdrant_client import models

    with translate_server_errors():
        aliases = {alias.alias_name: alias.collection_name for alias in (await client.get_aliases()).aliases}
        replaced = {aliases[name].removeprefix(name + SEPARATOR) for name in collections if name in aliases}
        current = {
            alias: collection
            for alias, collection in aliases.items()
            if collection in {collection_name(alias, generation) for generation in replaced}
        }
        if current == collections:
            return
        operations: list[models.AliasOperations] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)) for alias in current
        ]
        operations += [
            models.CreateAliasOperation(create_alias=models.CreateAlias(alias_name=name, collection_name=collection))
            for name, collection in collections.items()
        ]
        await client.update_collection_aliases(operations)
