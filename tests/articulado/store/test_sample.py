"""What was written is read back before it is served."""

from pathlib import Path

import pytest
import qdrant_edge as q
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.stores import build, update

from articulado.store.edge_writer import EdgeWriter
from articulado.store.opening import open_index
from articulado.store.recall import SAMPLED, WrittenSample
from articulado.values.errors import IndexMismatch


def test_a_sample_tells_what_is_missing_and_what_is_another() -> None:
    sample = WrittenSample()
    sample.add(make_chunk(id, content_hash=f"{id}") for id in range(2 * SAMPLED, 0, -1))
    assert sorted(sample.ids) == list(range(1, SAMPLED + 1))
    payloads = {id: {"metadata": {"content_hash": f"{id}"}} for id in sample.ids}
    sample.check(payloads, "aquí")
    payloads[1] = {"metadata": {"content_hash": "otro"}}
    del payloads[2]
    with pytest.raises(IndexMismatch, match=rf"aquí.* de una muestra de {SAMPLED} puntos, 2 faltan"):
        sample.check(payloads, "aquí")


class Confused(EdgeWriter):
    """A writer whose engine keeps another payload than it was given."""

    def _shard(self, name: str, number: int) -> q.EdgeShard:
        shard = super()._shard(name, number)
        point = q.Point(1, {}, {"metadata": {"content_hash": "de otro"}, "page_content": ""})
        if shard.count(q.CountRequest(exact=True)):
            shard.update(q.UpdateOperation.upsert_points([point]))
        return shard


async def test_a_build_that_reads_back_something_else_is_not_served(tmp_path: Path) -> None:
    first = await build(tmp_path, [Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])])
    with pytest.raises(IndexMismatch, match="1 faltan o no son los que se escribieron"):
        await update(
            tmp_path, first, [Batch([make_chunk(1, content_hash="b")], [unit(1, 0)], [NO_TERMS])], writer=Confused
        )
    assert open_index(tmp_path) == first
