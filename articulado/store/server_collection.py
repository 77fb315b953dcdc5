"""Connect to a Qdrant server, translate its failures, and manage collections and aliases."""

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


TIMEOUT = 30  # seconds for one request; a batch of points during a build takes longest

SHARE_OF_QUESTION = 0.1  # share of the question's time limit for one request

MAX_ASKED = 10.0  # maximum seconds for one request of a question


def patience(settings: Settings) -> float:
    return min(MAX_ASKED, SHARE_OF_QUESTION * settings.question_timeout)


def connect(settings: Settings, *, timeout: float = TIMEOUT) -> "AsyncQdrantClient":
    from qdrant_client import AsyncQdrantClient

    return AsyncQdrantClient(timeout=ceil(timeout), **_address(settings))


def connect_blocking(settings: Settings) -> "QdrantClient":
    from qdrant_client import QdrantClient

    return QdrantClient(timeout=TIMEOUT, **_address(settings))


def _address(settings: Settings) -> dict[str, Any]:
    """Return the client's arguments; the port defaults to the scheme's, not Qdrant's."""
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
    """Convert client failures to ``IndexMissing`` (no such collection), ``ConfigurationError`` (key refused, redirect)
    or ``StoreUnavailable``.
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
    with suppress(ValueError):
        reply = json.loads(content)
        return isinstance(reply, dict) and "status" in reply
    return False


def _tried(error: Exception) -> str:
    request = getattr(getattr(error, "source", error), "_request", None)
    if request is None:
        return "?"
    url = request.url
    return f"{url.scheme}://{url.host}:{url.port or {'http': 80, 'https': 443}.get(url.scheme)}{url.path}"


def _reason(error: Exception) -> str:
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

GRAPH_LINKS = 16  # links of a point in the HNSW graph (Qdrant's default)

EXACT_UP_TO = 250_000  # points up to which a collection has no graph, and a search compares all dense vectors

QUANTILE = 0.99  # share of vector values inside the quantized range; the rest is clipped

POLL_INTERVAL = 1.0  # seconds between two checks of the graph's construction

MAX_IDLE_POLLS = 60  # checks without progress after which waiting stops


@dataclass(frozen=True)
class CollectionOptions:
    """Distribution and storage of collections on a server; ``periods``: years of a period, by collection."""

    shards: int = 1
    replicas: int = 1
    on_disk: bool = False
    quantization: Quantization = "none"
    periods: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> "CollectionOptions":
        return cls(
            settings.qdrant_shards,
            settings.qdrant_replicas,
            settings.qdrant_on_disk,
            settings.qdrant_quantization,
            settings.qdrant_periods,
        )


SINGLE_NODE = CollectionOptions()


def collection_name(name: str, generation: str) -> str:
    """Return the server's name of a collection of one generation; its alias is the plain name."""
    return f"{name}{SEPARATOR}{generation}"


def plain_name(collection: str, generation: str, prefix: str = "") -> str:
    """Return a collection's plain name from its name on the server.

    >>> plain_name(collection_name("a-normativa", "20260101"), "20260101", "a-")
    'normativa'
    """
    return collection.removeprefix(prefix).removesuffix(collection_name("", generation))


async def stored_collections(client: "AsyncQdrantClient", generation: str) -> set[str]:
    with translate_server_errors():
        collections = (await client.get_collections()).collections
    return {collection.name for collection in collections if collection.name.endswith(SEPARATOR + generation)}


async def delete_collections(client: "AsyncQdrantClient", collections: Iterable[str]) -> None:
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
    """Create a collection without an HNSW graph; ``build_graph`` builds it after loading (Qdrant, "Bulk upload").

    Payload indexes come before the points, so that the graph takes them into account.
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
    with translate_server_errors():
        return set((await client.get_collection(collection)).payload_schema)


async def index_fields(
    client: "AsyncQdrantClient", collection: str, fields: Mapping[str, IndexKind], *, wait: bool
) -> None:
    """Create payload indexes; without ``wait`` the server builds them in the background."""
    from qdrant_client import models

    for name, kind in fields.items():
        with translate_server_errors():
            await client.create_payload_index(collection, field_path(name), models.PayloadSchemaType(kind), wait=wait)


async def shard_keys(client: "AsyncQdrantClient", collection: str) -> set[str] | None:
    """Return the shard keys of a collection; ``None`` if it has no custom sharding."""
    from qdrant_client import models

    with translate_server_errors():
        described = await client.get_collection(collection)
        if described.config.params.sharding_method != models.ShardingMethod.CUSTOM:
            return None
        return {str(described.key) for described in (await client.list_shard_keys(collection)).shard_keys or ()}


async def has_graph(client: "AsyncQdrantClient", collection: str) -> bool:
    with translate_server_errors():
        return bool((await client.get_collection(collection)).config.hnsw_config.m)


async def build_graph(client: "AsyncQdrantClient", collection: str, *, poll_interval: float = POLL_INTERVAL) -> None:
    """Build the graph of a loaded collection and wait; raise ``StoreUnavailable`` if the server gives up."""
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
    """Point aliases (keys) to collections in one request; delete other aliases of the generation replaced by it."""
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
