"""What is compared when an index is opened, in both stores."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.real_qdrant import REAL
from support.stores import KINDS, Kind, Place

from articulado.store.generations import Index
from articulado.store.opening import check_points
from articulado.store.writer import POINTS, Points
from articulado.values.errors import IndexMismatch

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

IDS = list(range(1, 11))
TEN = Batch([make_chunk(id, content_hash=str(id)) for id in IDS], [unit(1, 0)] * 10, [NO_TERMS] * 10)


@pytest.fixture(params=KINDS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(request.param, tmp_path)
    yield made
    await made.close()


async def check(place: Place, index: Index) -> None:
    await check_points(index, place.open(index), embedded=place.kind == "embedded")


async def test_half_a_table_is_not_half_the_law(place: Place) -> None:
    index = await place.build(TEN)
    await check(place, index)
    table = np.load(index.folder / POINTS)
    np.save(index.folder / POINTS, table[:, :5])
    with pytest.raises(IndexMismatch, match=r"points\.npy» tiene 5 puntos y deben ser 10.*doctor --deep.*--rebuild"):
        await check(place, index)


async def test_points_of_other_content_are_told(place: Place) -> None:
    index = await place.build(TEN)
    table = np.load(index.folder / POINTS)
    table[2] += 1
    np.save(index.folder / POINTS, table)
    with pytest.raises(IndexMismatch, match="de una muestra de 10 puntos, 10 faltan"):
        await check(place, index)


@pytest.mark.parametrize(
    ("place", "may_be_lost"),
    [("embedded", 0), ("server", 2), pytest.param("real", 2, marks=REAL.marks)],
    indirect=["place"],
)
async def test_lost_points_are_reported(place: Place, may_be_lost: int) -> None:
    """A server may have been updated in place by a fifth since the table was written."""
    index = await place.build(TEN)
    await place.forget(index, IDS[:may_be_lost])
    await check(place, index)
    await place.forget(index, IDS[: may_be_lost + 1])
    with pytest.raises(IndexMismatch, match=f"«normativa» tiene {9 - may_be_lost} puntos y deben ser 10"):
        await check(place, index)


async def test_a_server_that_is_away_says_so_when_it_is_asked(tmp_path: Path) -> None:
    kind: Kind = "rest"
    place = Place(kind, tmp_path)
    index = await place.build(TEN)
    assert place.qdrant
    place.qdrant.fail[".*"] = 503
    await check(place, index)
    await place.close()


def test_a_sample_is_the_same_each_time_and_reaches_both_ends(tmp_path: Path) -> None:
    table = Points(np.array([range(100), range(100), [7] * 100, [0] * 100], dtype=np.int64))
    assert [point.id for point in table.sample(4)] == [0, 33, 66, 99]
    assert [point.id for point in table.sample(200)] == list(range(100))
    assert Points.of([]).sample(4) == []
