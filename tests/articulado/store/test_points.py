"""The table of points: against a dictionary, and when its file is gone."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.stores import Place

from articulado.store.writer import POINTS, Point, Points
from articulado.values.errors import IndexMismatch, IndexMissing

IDS = st.integers(0, 2**53 - 1)
TABLES = st.dictionaries(IDS, st.tuples(IDS, st.integers(0, 2**56 - 1), st.integers(0, 9)), max_size=30)


@given(TABLES, st.lists(IDS, max_size=10))
def test_a_saved_table_has_the_same_points(table: dict[int, tuple[int, int, int]], others: list[int]) -> None:
    points = Points.of(Point(id, *fields) for id, fields in table.items())
    with tempfile.TemporaryDirectory() as folder:
        points.save(Path(folder))
        loaded = Points.load(Path(folder))
        for points_table in (points, loaded):
            assert len(points_table) == len(table)
            assert list(points_table) == [Point(id, *table[id]) for id in sorted(table)]
            requested = [*table, *others]
            stored = {point.id: point.parent for point in points_table.find(requested)}
            assert stored == {id: table[id][0] for id in requested if id in table}


@given(TABLES, TABLES)
def test_two_tables_differ_in_the_points_of_one_or_of_other_fields(
    one: dict[int, tuple[int, int, int]], other: dict[int, tuple[int, int, int]]
) -> None:
    tables = [Points.of(Point(id, *fields) for id, fields in table.items()) for table in (one, other)]
    expected = sorted(id for id in one.keys() | other.keys() if one.get(id) != other.get(id))
    assert tables[0].differences(tables[1]) == expected
    assert tables[0].differences(tables[0]) == []


def test_an_empty_table_or_request_finds_no_points() -> None:
    assert Points.of([]).find([1, 2]) == []
    assert Points.of([Point(1, 1, 1, 0)]).find([]) == []


DAMAGES = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "cut off": lambda file: file.write_bytes(file.read_bytes()[:-8]),
    "no array": lambda file: file.write_bytes(b"{}"),
    "of another kind": lambda file: np.save(file, np.zeros((4, 3))),
    "of another shape": lambda file: np.save(file, np.zeros((3, 3), dtype=np.int64)),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["embedded", "server"])
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")
async def test_without_its_table_an_index_says_what_to_run(tmp_path: Path, kind: str, damage: str) -> None:
    place = Place(kind, tmp_path)
    index = await place.build(Batch([make_chunk(id) for id in (1, 2, 3)], [unit(1, 0)] * 3, [NO_TERMS] * 3))
    DAMAGES[damage](index.folder / POINTS)
    with pytest.raises(IndexMismatch, match=r"points\.npy.*articulado ingest … --rebuild"):
        await place.update(index)
    with pytest.raises(IndexMissing, match=r"articulado ingest … --rebuild"):
        Points.load(index.folder)
    await place.close()
