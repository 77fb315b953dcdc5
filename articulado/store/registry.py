"""Registry of generations on the server: a collection that holds the folder of each generation of a profile."""

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

REGISTRY = "articulado"  # name of the collection, after the prefix of the index

PART_BYTES = 8 << 20  # part of an archive in one point: 11 MB as base64; a server accepts requests of 32 MB

SERVED, GENERATION, PART, UPDATE = "served", "generation", "part", "update"
"""Kinds of points: the beginning of their keys."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_R = TypeVar("_R", bound=_Record)


class KnownGeneration(_Record):
    """A generation on the server. Names become folder names, so the pattern excludes separators; times are UTC."""

    generation: str = Field(pattern=r"^\w+$")
    stored_as: str = Field(pattern=r"^\w+$")
    published: datetime


class Served(_Record):
    """Generations on a server in order of service; the last one is served now."""

    generations: tuple[KnownGeneration, ...] = ()

    @property
    def generation(self) -> str:
        return self.generations[-1].generation if self.generations else ""


class GenerationRecord(_Record):
    """Manifest of a generation, and the digest of each part of its archive, in order."""

    manifest: Manifest
    parts: tuple[str, ...]


class Registry:
    """Generations of one profile's index on a server; damaged records raise ``IndexMismatch``."""

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
        """Return the generations; none if the server has no index."""
        try:
            payloads = await self._read([self._id(SERVED)])
        except IndexMissing:
            return Served()
        payload = next(iter(payloads.values()), {})
        return _parsed(Served, {"generations": payload.get("generations", ())})

    async def record(self, generation: str) -> GenerationRecord:
        """Return the record of a generation; raise ``IndexMissing`` if the server has it no longer."""
        payloads = await self._read([self._id(GENERATION, generation)])
        if not payloads:
            raise IndexMissing(translate("store.collections_missing", command=REBUILD_HINT))
        return _parsed(GenerationRecord, next(iter(payloads.values())))

    async def archive(self, record: GenerationRecord) -> bytes:
        """Return the ZIP archive of a generation's folder."""
        parts = []
        for number, digest in enumerate(record.parts):
            id = self._id(PART, record.manifest.generation, str(number))
            part = _unpacked((await self._read([id])).get(id, {}))
            if _digest_of(part) != digest:
                raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT))
            parts.append(part)
        return b"".join(parts)

    async def add(self, index: Index) -> None:
        """Store the manifest and files of a generation without serving it."""
        generation = index.manifest.generation
        parts = list(_in_parts(await asyncio.to_thread(_archive_of, index.folder)))
        for number, part in enumerate(parts):
            payload = {"data": base64.b64encode(part).decode()}
            await self._write({self._id(PART, generation, str(number)): payload})
        record = GenerationRecord(manifest=index.manifest, parts=tuple(map(_digest_of, parts)))
        await self._write({self._id(GENERATION, generation): record.model_dump(mode="json")})

    async def serve(self, served: Served, *, instead_of: Served) -> bool:
        """Store the list of generations if ``instead_of`` is still current; return True if stored."""
        payload = {"generation": served.generation, **served.model_dump(mode="json")}
        return await self.replace(SERVED, payload, field="generation", expected=instead_of.generation)

    async def forget(self, generation: str) -> None:
        """Delete the record and archive of a generation, if any."""
        id = self._id(GENERATION, generation)
        payload = (await self._read([id])).get(id)
        if payload is not None:
            numbers = range(len(payload.get("parts", ())))
            await self._delete([*(self._id(PART, generation, str(number)) for number in numbers), id])

    async def begin_update(self, stored_as: str) -> None:
        await self._write({self._id(UPDATE): {"stored_as": stored_as}})

    async def updated(self) -> str:
        """Return the generation of an unfinished update in place, or ""."""
        try:
            payloads = await self._read([self._id(UPDATE)])
        except IndexMissing:  # the server has no index, or one of a version without a registry
            return ""
        return str(payloads.get(self._id(UPDATE), {}).get("stored_as", ""))

    async def end_update(self) -> None:
        await self._delete([self._id(UPDATE)])

    async def read(self, key: str) -> dict[str, Any] | None:
        """Return a payload of this profile on which a quorum of the replicas agrees, or ``None``."""
        return (await self._read([self._id(key)], by_most=True)).get(self._id(key))

    async def replace(self, key: str, payload: dict[str, Any], *, field: str, expected: str) -> bool:
        """Write a point if it is absent or its ``field`` is as expected; return True if written.

        The shard's leader checks the condition, so one of several writers succeeds. Servers before 1.16 ignore it.
        """
        from qdrant_client import models

        condition = models.FieldCondition(key=field, match=models.MatchAny(any=[expected]))
        await self._write({self._id(key): payload}, models.Filter(must=[condition]))
        return await self.read(key) == payload

    async def create(self) -> None:
        """Create the collection if absent; another machine may do so at the same time."""
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
        """Return a point's id: 63 bits of the digest of profile and key."""
        text = "\0".join([self._profile, *key])
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def _archive_of(generation: Path) -> bytes:
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
    return blake2b(part, digest_size=16).hexdigest()


def _unpacked(payload: Mapping[str, Any]) -> bytes:
    try:
        return base64.b64decode(payload["data"])
    except (KeyError, TypeError, ValueError):
        return b""


def _parsed(kind: type[_R], payload: Mapping[str, Any]) -> _R:
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT)) from error
