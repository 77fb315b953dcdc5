"""Registry of generations on the server: a machine needs only the server's address to serve an index.

One small collection without vectors holds, for each profile, the served generation, the manifest of each generation,
and the files of its folder as one archive. Every point is read by id, so no field is indexed.
"""

import asyncio
import base64
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.language.translation import translate
from articulado.store.files import CHECKSUMS
from articulado.store.generations import MANIFEST, REBUILD_HINT, Index, Manifest, translate_disk_errors
from articulado.store.server_collection import SINGLE_NODE, CollectionOptions, translate_server_errors
from articulado.values.errors import IndexMismatch, IndexMissing

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

REGISTRY = "articulado"
"""The collection, after the prefix of the index."""

PART_BYTES = 8 << 20
"""Of an archive in one point: 11 MB as base64; a server takes requests of 32 MB."""

SERVED, GENERATION, PART, UPDATE = "served", "generation", "part", "update"
"""Kinds of points of a profile, as their keys begin."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_R = TypeVar("_R", bound=_Record)


class KnownGeneration(_Record):
    """A generation that the server holds: its name, whose points it has, and when it began to be served (UTC).

    A name is that of a folder too, and leads nowhere else, whoever wrote it on the server.
    """

    generation: str = Field(pattern=r"^\w+$")
    stored_as: str = Field(pattern=r"^\w+$")
    published: datetime


class Served(_Record):
    """Which generations a server holds, in the order in which they were served; the last one is served now."""

    generations: tuple[KnownGeneration, ...] = ()

    @property
    def generation(self) -> str:
        """The name of the one that is served; empty where there is none."""
        return self.generations[-1].generation if self.generations else ""


class GenerationRecord(_Record):
    """The manifest of a generation, and the digest of each part of the archive of its folder, in order."""

    manifest: Manifest
    parts: tuple[str, ...]


class Registry:
    """The generations of one profile's index on a server.

    Raises (from every method): StoreUnavailable, ConfigurationError, as ``translate_server_errors`` says.
    IndexMismatch, if a record or an archive is damaged.
    """

    def __init__(
        self,
        client: "AsyncQdrantClient",
        profile: str,
        *,
        prefix: str = "",
        options: CollectionOptions = SINGLE_NODE,
    ) -> None:
        self._client = client
        self._profile = profile
        self._collection = f"{prefix}{REGISTRY}"
        self._options = options

    async def served(self) -> Served:
        """Return which generations there are; none on a server where no index was published."""
        try:
            payloads = await self._read([self._id(SERVED)])
        except IndexMissing:
            return Served()
        payload = next(iter(payloads.values()), {})
        return _parsed(Served, {"generations": payload.get("generations", ())})

    async def record(self, generation: str) -> GenerationRecord:
        """Return what a generation consists of.

        Raises:
            IndexMissing: the server does not have it any more.
        """
        payloads = await self._read([self._id(GENERATION, generation)])
        if not payloads:
            raise IndexMissing(translate("store.collections_missing", command=REBUILD_HINT))
        return _parsed(GenerationRecord, next(iter(payloads.values())))

    async def archive(self, record: GenerationRecord) -> bytes:
        """Return the archive (ZIP) of the folder of a generation."""
        parts = []
        for number, digest in enumerate(record.parts):
            id = self._id(PART, record.manifest.generation, str(number))
            part = _unpacked((await self._read([id])).get(id, {}))
            if _digest_of(part) != digest:
                raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT))
            parts.append(part)
        return b"".join(parts)

    async def add(self, index: Index) -> None:
        """Store the manifest and the files of a generation; it is not served yet."""
        generation = index.manifest.generation
        parts = list(_in_parts(await asyncio.to_thread(_archive_of, index.folder)))
        for number, part in enumerate(parts):
            payload = {"data": base64.b64encode(part).decode()}
            await self._write({self._id(PART, generation, str(number)): payload})
        record = GenerationRecord(manifest=index.manifest, parts=tuple(map(_digest_of, parts)))
        await self._write({self._id(GENERATION, generation): record.model_dump(mode="json")})

    async def serve(self, served: Served, *, instead_of: Served) -> bool:
        """Name the generations that there are, by the last one which is served from now on.

        Return whether it was done: not where another one is served by now than ``instead_of`` says.
        """
        payload = {"generation": served.generation, **served.model_dump(mode="json")}
        return await self.replace(SERVED, payload, field="generation", expected=instead_of.generation)

    async def forget(self, generation: str) -> None:
        """Delete the record and the archive of a generation; one without a record is no error."""
        id = self._id(GENERATION, generation)
        payload = (await self._read([id])).get(id)
        if payload is not None:
            numbers = range(len(payload.get("parts", ())))
            await self._delete([*(self._id(PART, generation, str(number)) for number in numbers), id])

    async def begin_update(self, stored_as: str) -> None:
        """Record that the points of a generation are being changed in place."""
        await self._write({self._id(UPDATE): {"stored_as": stored_as}})

    async def updated(self) -> str:
        """Return the generation whose points an update that has not ended is changing in place; empty if none."""
        try:
            payloads = await self._read([self._id(UPDATE)])
        except IndexMissing:  # the server has no index, or one of a version without a registry
            return ""
        return str(payloads.get(self._id(UPDATE), {}).get("stored_as", ""))

    async def end_update(self) -> None:
        """Record that no points are being changed in place any more."""
        await self._delete([self._id(UPDATE)])

    async def read(self, key: str) -> dict[str, Any] | None:
        """Return what a point of this profile says, as most replicas have it; ``None`` where they do not agree."""
        return (await self._read([self._id(key)], by_most=True)).get(self._id(key))

    async def replace(self, key: str, payload: dict[str, Any], *, field: str, expected: str) -> bool:
        """Write a point of this profile if it is not there, or a field of it is as expected; return whether it was.

        The condition is looked at where the point is written, and all writes go through the leader of its shard: of
        several that expect the same one succeeds. Servers before 1.16 know no conditions, and write in any case.
        """
        from qdrant_client import models

        condition = models.FieldCondition(key=field, match=models.MatchAny(any=[expected]))
        await self._write({self._id(key): payload}, models.Filter(must=[condition]))
        return await self.read(key) == payload

    async def create(self) -> None:
        """Create the collection where it is not there; another machine may do so at the same time."""
        from qdrant_client.http.exceptions import UnexpectedResponse

        majority = self._options.replicas // 2 + 1
        with translate_server_errors():
            if await self._client.collection_exists(self._collection):
                return
            try:
                await self._client.create_collection(
                    self._collection,
                    vectors_config={},
                    replication_factor=self._options.replicas,
                    write_consistency_factor=majority,
                    on_disk_payload=True,
                )
            except UnexpectedResponse as error:
                if error.status_code != HTTPStatus.CONFLICT:
                    raise

    async def _read(self, ids: Sequence[int], *, by_most: bool = False) -> dict[int, dict[str, Any]]:
        from qdrant_client import models

        # Not "majority", which takes an answer of every replica: a lost node would stop everything.
        consistency = models.ReadConsistencyType.QUORUM if by_most else None
        with translate_server_errors():
            records = await self._client.retrieve(
                self._collection, list(ids), with_payload=True, consistency=consistency
            )
        return {int(str(record.id)): record.payload or {} for record in records}

    async def _write(self, payloads: Mapping[int, dict[str, Any]], condition: "models.Filter | None" = None) -> None:
        from qdrant_client import models

        points = [models.PointStruct(id=id, vector={}, payload=payload) for id, payload in payloads.items()]
        # Through one leader, whatever happens to it, where two may want the same; the rest waits for no lost node.
        ordering = models.WriteOrdering.STRONG if condition else models.WriteOrdering.MEDIUM
        with translate_server_errors():
            await self._client.upsert(self._collection, points, wait=True, ordering=ordering, update_filter=condition)

    async def _delete(self, ids: "Sequence[models.ExtendedPointId]") -> None:
        from qdrant_client import models

        with translate_server_errors():
            await self._client.delete(self._collection, list(ids), wait=True, ordering=models.WriteOrdering.MEDIUM)

    def _id(self, *key: str) -> int:
        """Return the id of a point of this profile: 63 bits of the digest of what it is."""
        text = "\0".join([self._profile, *key])
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def _archive_of(generation: Path) -> bytes:
    """Return the files of a generation's folder but for the manifest and the checksums, as a ZIP archive."""
    archive = io.BytesIO()
    with translate_disk_errors(generation), zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as stream:
        for path in sorted(generation.rglob("*")):
            name = str(path.relative_to(generation))
            if path.is_file() and name not in (MANIFEST, CHECKSUMS):
                stream.write(path, name)
    return archive.getvalue()


def _in_parts(archive: bytes) -> Iterator[bytes]:
    for start in range(0, len(archive), PART_BYTES):
        yield archive[start : start + PART_BYTES]


def _digest_of(part: bytes) -> str:
    """Return the digest of a part: 32 hexadecimal digits."""
    return blake2b(part, digest_size=16).hexdigest()


def _unpacked(payload: Mapping[str, Any]) -> bytes:
    """Return the part that a payload holds; empty if it holds none."""
    try:
        return base64.b64decode(payload["data"])
    except (KeyError, TypeError, ValueError):
        return b""


def _parsed(kind: type[_R], payload: Mapping[str, Any]) -> _R:
    """Return the record that a payload holds.

    Raises:
        IndexMismatch: it holds none, or one of another version of articulado.
    """
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT)) from error
