"""Copying a generation: holes stay holes, and what the engine has only for a moment stays out."""

import random
from pathlib import Path

import pytest

from articulado.store.files import copy_folder


def test_a_copy_is_the_same_and_takes_no_more_room(tmp_path: Path) -> None:
    source = random.Random(1)
    written = {0: 10, 5_000_000: 70_000, 9_000_000: 3_000_000, 30_000_000: 1}
    (tmp_path / "a" / "b").mkdir(parents=True)
    with (tmp_path / "a" / "b" / "holes.dat").open("wb") as file:
        for offset, length in written.items():
            file.seek(offset)
            file.write(source.randbytes(length))
        file.truncate(33_554_432)
    (tmp_path / "a" / "all-hole.dat").write_bytes(b"")
    with (tmp_path / "a" / "all-hole.dat").open("wb") as file:
        file.truncate(1_000_000)
    (tmp_path / "a" / "empty").write_bytes(b"")
    (tmp_path / "a" / "b" / ".atomicwriteAbC").mkdir()
    (tmp_path / "a" / "b" / ".atomicwriteAbC" / "tmpfile.tmp").write_text("half")
    copy_folder(tmp_path / "a", tmp_path / "copy")
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    copied = sorted(path.relative_to(tmp_path / "copy") for path in (tmp_path / "copy").rglob("*") if path.is_file())
    assert copied == [path for path in files if path.name != "tmpfile.tmp"]
    for path in copied:
        assert (tmp_path / "copy" / path).read_bytes() == (tmp_path / "a" / path).read_bytes()
        original = (tmp_path / "a" / path).stat().st_blocks
        assert (tmp_path / "copy" / path).stat().st_blocks <= original + 8


def test_a_copy_goes_into_a_folder_that_is_there(tmp_path: Path) -> None:
    for name in ("a", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text(name)
    copy_folder(tmp_path / "a", tmp_path / "copy")
    assert (tmp_path / "copy" / "old").read_text() == "a"


def test_what_cannot_be_copied_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "copy").write_text("in the way")
    with pytest.raises(FileExistsError):
        copy_folder(tmp_path / "a", tmp_path / "copy")
    with pytest.raises(FileNotFoundError):
        copy_folder(tmp_path / "nothing", tmp_path / "other")
