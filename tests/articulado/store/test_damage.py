"""What becomes of an index whose files are damaged, or whose disk is full: an error that says what to do."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.chunks import random_batch
from support.index_process import labelled
from support.paths import REPOSITORY
from support.stores import build

from articulado.store.embedded import EmbeddedStore
from articulado.store.embedded_writer import WRITING_ROOM, EmbeddedWriter
from articulado.store.opening import IndexBuilder
from articulado.values.errors import StoreUnavailable

pytestmark = pytest.mark.integration

ENVIRONMENT = {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}", "PATH": os.environ["PATH"]}


def outcomes(script: str, *arguments: object, prefix: tuple[str, ...] = ()) -> list[str]:
    """Run a process of its own to its end, and return its lines."""
    process = subprocess.run(
        [*prefix, sys.executable, str(REPOSITORY / "tests" / "support" / script), *map(str, arguments)],
        cwd=REPOSITORY,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, (process.stdout[-200:], process.stderr[-2000:])
    return process.stdout.splitlines()


def files_of(folder: Path) -> set[str]:
    """Return the files that hold something of an index, relative to its folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {"build.lock"}


async def test_any_damaged_file_is_an_error_and_no_file_is_less_law(tmp_path: Path) -> None:
    index = await build(tmp_path, [random_batch(4, count=999)])
    files = files_of(tmp_path)
    assert len(files) == 20
    lines = [line.split(" ", 2) for line in outcomes("damaged_index.py", tmp_path)]
    assert lines.pop() == ["same", "nothing", "index"]
    assert {name for _, _, name in lines} == files
    bad = [line for line in lines if line[0] not in ("same", "IndexMismatch", "IndexMissing", "found")]
    assert not bad
    # Where a file is zeros, or after its head, it is the same when they are zeroed; nothing else passes.
    assert {damage for outcome, damage, _ in lines if outcome == "same"} <= {"zeroed", "rest-zeroed"}
    counted = Counter(outcome for outcome, _, _ in lines)
    assert counted["found"] > 0, "what is not read at opening, a thorough look finds"
    assert {name for outcome, _, name in lines if outcome == "IndexMissing"} <= {
        "current",
        f"generations/{index.folder.name}/manifest.json",
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [("ids.npy", b""), ("chunks.jsonl", b""), ("fields.json", b"{"), ("dense.npy", b"\xff" * 4096)],
)
async def test_a_collection_that_cannot_be_read_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    index = await build(tmp_path, [labelled("a")])
    (index.folder / "normativa" / name).write_bytes(content)
    store = EmbeddedStore(index.folder, ["normativa"])
    with pytest.raises(StoreUnavailable, match="articulado ingest"):
        await store.fetch([1, 2, 3])
    await store.close()


async def test_a_payload_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    index = await build(tmp_path, [labelled("a")])
    file = index.folder / "normativa" / "chunks.jsonl"
    file.write_bytes(b"\0" * file.stat().st_size)
    store = EmbeddedStore(index.folder, ["normativa"])
    with pytest.raises(StoreUnavailable, match="articulado ingest"):
        await store.fetch([1, 2, 3])
    await store.close()


async def test_room_is_looked_at_before_anything_is_written(tmp_path: Path) -> None:
    async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
        await builder.require_room(400, 8)
        with pytest.raises(
            StoreUnavailable, match=rf"hacen falta unos 1\d{{9}} MB en {builder.folder}.*--index"
        ) as raised:
            await builder.require_room(400, 1 << 40)
        assert "ARTICULADO_HOME" in str(raised.value)


async def test_the_estimated_size_is_above_the_written_one(tmp_path: Path) -> None:
    batch = random_batch(6, count=400)
    index = await build(tmp_path, [batch])
    estimated = EmbeddedWriter(tmp_path).bytes_of(400, 8) - WRITING_ROOM
    taken = sum(file.stat().st_size for file in (index.folder / "normativa").iterdir())
    assert taken < estimated < 4 << 20


def test_on_a_full_disk_nothing_crashes_and_the_old_index_stays(tmp_path: Path) -> None:
    small_disk = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
    mount = f"mount -t tmpfs -o size=160m none {tmp_path}"
    if not shutil.which("unshare") or subprocess.run([*small_disk, mount], check=False, capture_output=True).returncode:
        pytest.skip("no disk of its own can be mounted here (user namespaces)")
    lines = outcomes("full_disk.py", tmp_path, prefix=(*small_disk, f'{mount} && exec "$@"', "sh"))
    steps = [line.split(" ", 2)[:2] for line in lines]
    assert steps == [
        ["build", "done"],
        ["midway", "StoreUnavailable"],
        ["read", "done"],
        ["update", "StoreUnavailable"],
        ["read", "done"],
    ]
    for line in (lines[1], lines[3]):
        assert "quedan 1 MB" in line
        assert str(tmp_path) in line
