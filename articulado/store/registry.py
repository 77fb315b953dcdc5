"""Registry of generations on the server: a machine needs only the server's address to serve an index.

One small collection without vectors holds, for each profile, the served generation, the manifest of each
generation, and its files in parts. A part is stored under the digest of its content: parts shared by two
generations are neither sent nor fetched again, and a fetched part is compared with its digest. Everything
is read by id, so no field is indexed.
"""

import asyncio
import base64
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.language.translation import translate
from articulado.store.generations import REBUILD_HINT, Index, Manifest, translate_disk_errors
from articulado.store.server_collection import SINGLE_NODE, CollectionOptions, translate_server_errors
from articulado.values.errors import IndexMismatch, IndexMissing

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

REGISTRY = "articulado"
"""The collection, after the prefix of the index."""

PART_BYTES = 1 << 20
"""Of a file in one point, before it is compressed; a server takes requests of 32 MB."""

PARTS_PER_REQUEST = 8
"""At most 11 MB as base64."""

IDS_PER_REQUEST = 1_000


SERVED, GENERATION, PART, NOTE = "served", "generation", "part", "note"
"""What the points are of a profile, as their keys begin."""

NOTES_PER_REQUEST = 100


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


class StoredFile(_Record):
    """A file of a generation: its path within it, its bytes, and the digest of each of its parts, in order.

    The path leads nowhere else, whoever wrote it on the server.
    """

    name: str = Field(pattern=r"^(?:[\w-][\w.-]*/)*[\w-][\w.-]*$")
    size: int
    parts: tuple[str, ...]


class GenerationRecord(_Record):
    """What a generation consists of, beside its points."""

    manifest: Manifest
    files: tuple[StoredFile, ...]


class Registry:
    """The generations of one profile's index on a server.

    Raises (from every method): StoreUnavailable, ConfigurationError, as ``translate_server_errors`` says.
    IndexMismatch, where a record or a part is not what was written.
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

    async def has_record(self, generation: str) -> bool:
        """Tell whether there is a record of a generation."""
        return bool(await self._read([self._id(GENERATION, generation)], with_payload=False))

    async def parts(self, digests: Sequence[str]) -> AsyncIterator[tuple[str, bytes]]:
        """Yield parts with their digests, in the order asked for; nothing of them is held for longer."""
        for start in range(0, len(digests), PARTS_PER_REQUEST):
            asked = digests[start : start + PARTS_PER_REQUEST]
            payloads = await self._read([self._id(PART, digest) for digest in asked])
            for digest in asked:
                yield digest, _unpacked(payloads.get(self._id(PART, digest), {}), digest)

    async def add(self, index: Index, files: Iterable[str]) -> None:
        """Keep the manifest and some files of a generation (paths within its folder); nobody is served it yet."""
        stored = []
        for name in sorted(files):
            digests, size = await asyncio.to_thread(_digests_and_size, index.folder / name)
            await self._send(index.folder / name, digests)
            stored.append(StoredFile(name=name, size=size, parts=tuple(digests)))
        record = GenerationRecord(manifest=index.manifest, files=tuple(stored))
        await self._write({self._id(GENERATION, index.manifest.generation): record.model_dump(mode="json")})

    async def serve(self, served: Served, *, instead_of: Served) -> bool:
        """Name the generations that there are, by the last one which is served from now on.

        Return whether it was done: not where another one is served by now than ``instead_of`` says.
        """
        payload = {"generation": served.generation, **served.model_dump(mode="json")}
        return await self.replace(SERVED, payload, field="generation", expected=instead_of.generation)

    async def forget(self, gone: Iterable[str], kept: Iterable[str]) -> None:
        """Delete the records of generations, and the parts that none of those that stay has."""
        needed = {digest for name in kept for digest in await self._digests(name) or ()}
        for name in gone:
            digests = await self._digests(name)
            if digests is None:
                continue
            ids = [self._id(PART, digest) for digest in dict.fromkeys(digests) if digest not in needed]
            await self._delete([*ids, self._id(GENERATION, name)])

    async def note(self, stored_as: str, collection: str, number: int, ids: Sequence[int]) -> None:
        """Note that points of a collection of a generation are about to change; notes are numbered from 0."""
        await self._write({self._id(NOTE, stored_as, collection, str(number)): {"ids": list(ids)}})

    async def notes(self, stored_as: str, collection: str) -> list[list[int]]:
        """Return what was noted of a collection of a generation, and not forgotten: the ids of each note."""
        noted: list[list[int]] = []
        while True:
            numbers = range(len(noted), len(noted) + NOTES_PER_REQUEST)
            ids = [self._id(NOTE, stored_as, collection, str(number)) for number in numbers]
            payloads = await self._read(ids)
            noted += [list(payloads[id]["ids"]) for id in ids if id in payloads]
            if len(payloads) < NOTES_PER_REQUEST:
                return noted

    async def forget_notes(self, stored_as: str, collection: str, count: int) -> None:
        """Forget the notes of a collection, of which there are so many: its points are what the catalogue says."""
        # The last one first: what is left of them after a kill is still counted from 0.
        await self._delete([self._id(NOTE, stored_as, collection, str(number)) for number in reversed(range(count))])

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

    async def _digests(self, generation: str) -> list[str] | None:
        """Return the digests of the parts of a generation; ``None`` where there is no record of it."""
        try:
            record = await self.record(generation)
        except IndexMissing:
            return None
        return [digest for file in record.files for digest in file.parts]

    async def _send(self, file: Path, digests: Sequence[str]) -> None:
        """Send the parts of a file that the server does not have."""
        lacking = set(digests)
        for start in range(0, len(digests), IDS_PER_REQUEST):
            asked = {self._id(PART, digest): digest for digest in digests[start : start + IDS_PER_REQUEST]}
            lacking -= {asked[id] for id in await self._read(list(asked), with_payload=False)}
        batch: dict[int, dict[str, Any]] = {}
        with translate_disk_errors(file.parent):
            for part in parts_of(file) if lacking else ():
                if (digest := digest_of(part)) in lacking:
                    lacking.discard(digest)
                    batch[self._id(PART, digest)] = await asyncio.to_thread(_packed, part)
                if len(batch) == PARTS_PER_REQUEST:
                    await self._write(batch)
                    batch = {}
        if batch:
            await self._write(batch)

    async def _read(
        self, ids: Sequence[int], *, with_payload: bool = True, by_most: bool = False
    ) -> dict[int, dict[str, Any]]:
        from qdrant_client import models

        # Not "majority", which takes an answer of every replica: a lost node would stop everything.
        consistency = models.ReadConsistencyType.QUORUM if by_most else None
        with translate_server_errors():
            records = await self._client.retrieve(
                self._collection, list(ids), with_payload=with_payload, consistency=consistency
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

        for start in range(0, len(ids), IDS_PER_REQUEST):
            batch = list(ids[start : start + IDS_PER_REQUEST])
            with translate_server_errors():
                await self._client.delete(self._collection, batch, wait=True, ordering=models.WriteOrdering.MEDIUM)

    def _id(self, *key: str) -> int:
        """Return the id of a point of this profile: 63 bits of the digest of what it is."""
        text = "\0".join([self._profile, *key])
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def parts_of(file: Path) -> Iterator[bytes]:
    """Yield the content of a file in parts."""
    with file.open("rb") as stream:
        while part := stream.read(PART_BYTES):
            yield part


def digest_of(part: bytes) -> str:
    """Return the digest of a part: 32 hexadecimal digits."""
    return blake2b(part, digest_size=16).hexdigest()


def _digests_and_size(file: Path) -> tuple[list[str], int]:
    with translate_disk_errors(file.parent):
        return [digest_of(part) for part in parts_of(file)], file.stat().st_size


def _packed(part: bytes) -> dict[str, Any]:
    return {"data": base64.b64encode(zlib.compress(part)).decode()}


def _unpacked(payload: Mapping[str, Any], digest: str) -> bytes:
    """Return the part that a payload holds.

    Raises:
        IndexMismatch: it is missing, or of another content.
    """
    try:
        # No more than a part has: what is larger is none, and would only fill the memory.
        part = zlib.decompressobj().decompress(base64.b64decode(payload["data"]), PART_BYTES + 1)
    except (KeyError, TypeError, ValueError, zlib.error):
        part = b""
    if digest_of(part) != digest:
        raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT))
    return part


def _parsed(kind: type[_R], payload: Mapping[str, Any]) -> _R:
    """Return the record that a payload holds.

    Raises:
        IndexMismatch: it holds none, or one of another version of articulado.
    """
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT)) from error
