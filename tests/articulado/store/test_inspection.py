"""A thorough look at the points of an index: what it finds in a store that holds something else than was written."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.stores import KINDS, Place, build

from articulado.store.layout import CONTENT, METADATA, StoredPoint, to_payload
from articulado.store.opening import Inspection
from articulado.values.chunks import Chunk
from articulado.values.protocols import ChunkStore

PARENT = make_chunk(1, provision="Artículo 1", law_id="ET", refs=[2], content_hash="a")
OTHER = make_chunk(2, provision="Artículo 2", law_id="ET", refs=[], content_hash="b")
CHILD = make_child(3, PARENT, content_hash="c")
CHUNKS = [PARENT, OTHER, CHILD]
WRITTEN = Batch(CHUNKS, [None, unit(1, 0), unit(0, 1)], [terms({1: 1.0}), NO_TERMS, NO_TERMS])


def stored(chunk: Chunk, dense: list[float] | None = None, sparse: list[float] | None = None) -> StoredPoint:
    return StoredPoint(chunk["id"], to_payload(chunk), dense, sparse)


AS_WRITTEN = {1: stored(PARENT, None, [1.0]), 2: stored(OTHER, [1.0, 0.0]), 3: stored(CHILD, [0.0, 1.0])}


class Holding(ChunkStore):
    """A store that holds these points."""

    def __init__(self, points: dict[int, StoredPoint], *, updated: bool = False) -> None:
        self._points = points
        self._updated = updated

    async def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        yield list(self._points.values())

    async def is_being_updated(self) -> bool:
        return self._updated


FAULTS = {
    "nothing": ({}, []),
    "a point is gone": (
        {2: None},
        ["faltan en la colección «normativa»: 1 (2)", "no está en el índice: 1 (Artículo 1 ET)"],
    ),
    "a point is of other content": (
        {2: stored(make_chunk(2, law_id="ET", content_hash="x"))},
        ["no son los que se escribieron: 1 (2)"],
    ),
    "a child has another parent": ({3: stored({**CHILD, "parent_id": 2})}, ["no son los que se escribieron: 1 (3)"]),
    "a point is not listed": ({9: stored(make_chunk(9))}, ["que la tabla no nombra: 1 (9)"]),
    "a payload is empty": ({2: StoredPoint(2, {}, None, None)}, ["no se puede leer: 1 (2)"]),
    "a payload is no chunk": (
        {2: StoredPoint(2, {CONTENT: "", METADATA: None}, None, None)},
        ["no se puede leer: 1 (2)"],
    ),
    "a vector is short": ({2: stored(OTHER, [1.0])}, ["no tiene la longitud debida o no es de números finitos: 1 (2)"]),
    "a vector is not finite": ({2: stored(OTHER, [1.0, float("nan")])}, ["números finitos: 1 (2)"]),
    "a weight is not finite": ({1: stored(PARENT, None, [float("inf")])}, ["números finitos: 1 (1)"]),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_is_a_finding(tmp_path: Path, fault: str) -> None:
    index = await build(tmp_path, [WRITTEN])
    changed, expected = FAULTS[fault]
    points = {id: point for id, point in {**AS_WRITTEN, **changed}.items() if point}
    inspection, steps = Inspection(index), []
    await inspection.run(Holding(points), lambda *step: steps.append(step))  # type: ignore[abstract]
    assert len(inspection.findings) == len(expected)
    for finding, part in zip(inspection.findings, expected, strict=True):
        assert part in finding
    assert inspection.points == len(points)
    assert steps == [("Revisando puntos", len(points), 3)]


async def test_a_killed_update_is_reported_as_unfinished(tmp_path: Path) -> None:
    index = await build(tmp_path, [WRITTEN])
    inspection = Inspection(index)
    held = Holding({**AS_WRITTEN, 3: stored({**CHILD, "content_hash": "y"})}, updated=True)  # type: ignore[abstract]
    await inspection.run(held, lambda *step: None)
    [finding] = inspection.findings
    assert "1 puntos pueden estar a medias (3). Si no hay otra ingesta en marcha, repita «articulado ingest»" in finding
    assert inspection.is_unfinished_alone


@pytest.fixture(params=KINDS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(request.param, tmp_path)
    yield made
    await made.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")
async def test_both_stores_yield_all_points(place: Place) -> None:
    index = await place.build(WRITTEN)
    store = place.open(index)
    points = [point async for page in store.stored("normativa") for point in page]
    assert [(point.id, point.dense and list(point.dense), point.sparse and list(point.sparse)) for point in points] == [
        (1, None, [1.0]),
        (2, [1.0, 0.0], None),
        (3, [0.0, 1.0], None),
    ]
    assert [point.chunk() for point in points] == CHUNKS
    inspection = Inspection(index)
    await inspection.run(store, lambda *step: None)
    assert inspection.findings == []
    assert inspection.laws == {"normativa": {"ET"}}
