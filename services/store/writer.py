"""What building an index asks of a store: one Protocol, so that ingestion does not care which store it is."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import SparseVector, Vector
from services.store.manifest import GraphSearch, Index
from services.store.points import Points


class Placed(NamedTuple):
    """Where the store keeps a point: its collection, the number of the segment in that, and its id."""

    collection: str
    segment: int
    id: int


class Scope(NamedTuple):
    """The collections that an update changes: it waits for those ``needed``, and has those ``wished`` that are free."""

    needed: Collection[str]
    wished: Collection[str] = ()


class BaseReplaced(StoreUnavailable):
    """Another generation has come to be served than the one that was continued: it is to be continued instead.

    What was written stays, and is found again by the build that continues the other one.
    """


class IndexWriter(Protocol):
    """Writes the collections of one new generation, unseen until it is published."""

    @property
    def stored_as(self) -> str:
        """The generation under whose name the points are kept: this one, or the one that is continued in place."""
        ...

    async def begin(self, scope: Scope | None) -> None:
        """Wait until no other machine writes the same, where several can; ``close`` lets the next one begin.

        Without a scope nobody else publishes until then, as long as it lasts: for a generation that is made from
        nothing.
        """
        ...

    def writes(self, collection: str) -> bool:
        """Tell whether a collection may be changed: it is in the scope, and nobody else's."""
        ...

    async def continue_from(self, base: Index) -> None:
        """Begin with the points of another generation. Where ``stored_as`` is then its own, it changes at once."""
        ...

    async def table(self, base: Index) -> Points:
        """Return the table of the points of a generation that is continued, as the store has them now.

        Of one that this machine has fetched, the points of the collections that may be changed, and no others.
        """
        ...

    async def touched(self) -> Mapping[int, str]:
        """Return the points, each with its collection, that updates in place which did not end may have changed."""
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
        """Make everything durable; return the number of chunks of each collection that may be changed, as read back."""
        ...

    async def measure_graphs(self) -> dict[str, GraphSearch]:
        """Measure what the graphs lose of the large collections that were written, once they are finished.

        Raises:
            IndexMismatch: too much; see ``services.store.recall``.
        """
        ...

    async def begin_publication(self) -> None:
        """Wait until nobody else publishes; then what is served is what was continued, until ``close``.

        Raises:
            BaseReplaced: it is not.
        """
        ...

    async def publish(self, index: Index) -> None:
        """Lead all who do not read the index folder to this generation, which is whole, in one step.

        Other generations stay as they are. Where this fails, it may have happened all the same.
        """
        ...

    async def sweep(self) -> None:
        """Delete what is of no use once this generation is served: what others that nobody can hold have left."""
        ...

    async def remove(self, generation: str, stored_as: str | None) -> None:
        """Delete what the store keeps beside the folder of a generation that goes, this one or another.

        ``stored_as`` is the name of its points, ``None`` where another generation has them too. What the store itself
        knows to be in use stays.
        """
        ...

    async def close(self) -> None:
        """Close files and connections."""
        ...


WriterFactory = Callable[[Path], IndexWriter]
"""Makes the writer of a generation, given its folder; the folder's name is the generation's."""
