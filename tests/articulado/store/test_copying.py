"""Copying a folder of an index."""

from pathlib import Path

import pytest

from articulado.store.files import copy_folder


def test_a_copy_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "large").write_bytes(bytes(range(256)) * 20_000)
    (tmp_path / "a" / "empty").write_bytes(b"")
    copy_folder(tmp_path / "a", tmp_path / "copy")
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    copied = sorted(path.relative_to(tmp_path / "copy") for path in (tmp_path / "copy").rglob("*") if path.is_file())
    assert copied == files
    for path in copied:
        assert (tmp_path / "copy" / path).read_bytes() == (tmp_path / "a" / path).read_bytes()


def test_a_copy_goes_into_a_folder_that_is_there(tmp_path: Path) -> None:
    for name in ("a", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text(name)
    copy_folder(tmp_path / "a", tmp_path / "copy")
    assert (tmp_path / "copy" / "old").read_text() == "a"


def test_a_failed_copy_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "copy").write_text("in the way")
    with pytest.raises(FileExistsError):
        copy_folder(tmp_path / "a", tmp_path / "copy")
    with pytest.raises(FileNotFoundError):
        copy_folder(tmp_path / "nothing", tmp_path / "other")
