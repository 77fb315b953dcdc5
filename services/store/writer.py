"""What building an index asks of a store: one Protocol, so that ingestion does not care which store it is."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from services.protocols import SparseVector, Vector
from services.store.manifest import Index
from state.chunks import Chunk


class Placed(NamedTuple):
    """Where the store keeps a point: its collection, the number of the segment in that, and its id."""

    collection: str
    segment: int
    id: int


class IndexWriter(Protocol):
    """Writes the collections of one new generation, unseen until it is published."""

    @property
    def stored_as(self) -> str:
        """The generation under whose name the points are kept: this one, or the one that is continued in place."""
        ...

    async def continue_from(self, base: Index) -> None:
        """Begin with the points of another generation. Where ``stored_as`` is then its own, it changes at once."""
        ...

    async def delete(self, points: Sequence[Placed]) -> None:
        """Delete points; those that are not there are no error."""
        ...

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, Placed],
    ) -> Sequence[int]:
        """Write chunks with their vectors (``size`` is the length of the dense ones), each in its collection.

        A ``None`` dense vector or an empty sparse one leaves that side out. ``replaced`` tells by id where those are
        kept that a chunk takes the place of. Return the segment of each chunk.
        """
        ...

    def bytes_of(self, points: int, dimensions: int) -> int:
        """Estimate the bytes that points, with dense vectors of this length, will take on the disk of the index."""
        ...

    async def finish(self) -> dict[str, int]:
        """Make everything durable and return the number of chunks of each collection, as read back."""
        ...

    async def publish(self) -> None:
        """Point programs that do not read the index folder to this generation, in one step for all collections.

        Other generations stay as they are. Where this fails, it may have happened all the same.
        """
        ...

    async def remove(self, stored_as: str) -> None:
        """Delete what the store keeps beside the folder of a generation, this one or another, under its name."""
        ...

    async def close(self) -> None:
        """Close files and connections."""
        ...


WriterFactory = Callable[[Path], IndexWriter]
"""Makes the writer of a generation, given its folder; the folder's name is the generation's."""
