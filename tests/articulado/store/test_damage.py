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
from support.stores import as_of_earlier_version, build

from articulado.store.edge import EdgeStore
from articulado.store.edge_segments import INDEXED_FROM, translate_engine_errors
from articulado.store.edge_writer import WRITING_ROOM, EdgeWriter
from articulado.store.files import bytes_on_disk
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
    index = await build(tmp_path, [random_batch(4, count=INDEXED_FROM - 1)])
    files = files_of(tmp_path)
    assert len(files) > 20
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


ENGINE_DAMAGES = {
    "the engine panics as it opens": ("vector_storage-text-sparse/deleted/status.dat", b""),
    "the engine panics as it reads": ("payload_storage/tracker.dat", b"\xff" * 4096),
    "the engine cannot decode": ("payload_storage/page_0.dat", b"\xff" * 4096),
    "the engine has lost the payload": ("payload_storage/tracker.dat", b"\0" * (1 << 20)),
}


@pytest.mark.parametrize("damage", ENGINE_DAMAGES)
async def test_where_no_checksum_tells_a_failure_of_the_engine_is_an_error(tmp_path: Path, damage: str) -> None:
    index = as_of_earlier_version(await build(tmp_path, [labelled("a")]))
    name, content = ENGINE_DAMAGES[damage]
    [file] = index.folder.glob(f"normativa/segments/*/{name}")
    with file.open("r+b" if content else "wb") as opened:
        opened.write(content)
    store = EdgeStore(index.folder, ["normativa"])
    with pytest.raises(StoreUnavailable, match="articulado ingest"):
        await store.fetch([1, 2, 3])
    await store.close()


def test_what_does_not_come_from_the_engine_passes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), translate_engine_errors(tmp_path, "normativa"):
        raise KeyboardInterrupt


async def test_room_is_looked_at_before_anything_is_written(tmp_path: Path) -> None:
    async with IndexBuilder(tmp_path, EdgeWriter) as builder:
        await builder.require_room(400, 8)
        with pytest.raises(
            StoreUnavailable, match=rf"hacen falta unos 1\d{{9}} MB en {builder.folder}.*--index"
        ) as raised:
            await builder.require_room(400, 1 << 40)
        assert "ARTICULADO_HOME" in str(raised.value)


async def test_what_is_estimated_is_rather_more_than_what_is_taken(tmp_path: Path) -> None:
    batch = random_batch(6, count=400)
    index = await build(tmp_path, [batch])
    estimated = EdgeWriter(tmp_path).bytes_of(400, 8) - WRITING_ROOM
    assert bytes_on_disk(index.folder / "normativa") < estimated < 4 << 20


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
        ["read", "StoreUnavailable"],
        ["update", "StoreUnavailable"],
        ["read", "done"],
    ]
    for line in lines[1:4]:
        assert "quedan 1 MB" in line
        assert str(tmp_path) in line
