"""Building and reading an index from several processes at once, some of which are killed."""

import signal
from pathlib import Path

import pytest
from support.index_process import labelled, read_once, running
from support.stores import build, update

from articulado.store.opening import open_index

pytestmark = pytest.mark.integration


async def test_a_killed_build_leaves_the_old_index_serving(tmp_path: Path) -> None:
    before = await build(tmp_path, [labelled("a")], source="a")
    for _ in range(2):  # the second build removes what the first has left
        with running("hang", tmp_path, "added") as process:
            assert len(list((tmp_path / "generations").iterdir())) == 2
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
    assert open_index(tmp_path) == before
    await read_once(tmp_path)
    after = await build(tmp_path, [labelled("b")], source="b")
    kept = sorted(path.name for path in (tmp_path / "generations").iterdir())
    assert kept == [before.folder.name, after.folder.name]
    await read_once(tmp_path)


def test_one_of_two_processes_builds_and_both_use_the_index(tmp_path: Path) -> None:
    with running("build", tmp_path, "ready") as first, running("build", tmp_path, "ready") as second:
        for process in (first, second):
            process.stdin.write("\n")
            process.stdin.flush()
        outputs = [process.communicate()[0].split() for process in (first, second)]
        assert [process.returncode for process in (first, second)] == [0, 0]
    assert outputs[0][0] == outputs[1][0]
    assert sorted(built for _, built in outputs) == ["False", "True"]


async def test_a_reader_never_sees_a_switch_half_done(tmp_path: Path) -> None:
    await build(tmp_path, [labelled("0")], source="0")
    with running("read", tmp_path, "reading") as process:
        for number in range(1, 5):
            await build(tmp_path, [labelled(str(number))], source=str(number))
        times, _ = process.communicate()
        assert process.returncode == 0
        assert int(times) > 1


async def test_readers_work_while_their_generation_is_continued(tmp_path: Path) -> None:
    """They open and close the shards that are being copied."""
    index = await build(tmp_path, [labelled("0")], source="0")
    with running("read", tmp_path, "reading") as first, running("read", tmp_path, "reading") as second:
        for number in range(1, 3):
            index, _ = await update(tmp_path, index, [labelled(str(number))], source=str(number))
        for process in (first, second):
            times, _ = process.communicate()
            assert process.returncode == 0
            assert int(times) > 1
    await read_once(tmp_path)
    assert open_index(tmp_path) == index
