"""What the stages leave for one another."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.doubles import make_chunk

from articulado.ingestion.incremental.base import KEPT_SECONDS, Staged, Workspace, key_of
from articulado.values.errors import ConfigurationError, StoreUnavailable

STAGED = Staged("normativa", "BOE-A-2000-1", "Ley", 1, [make_chunk(7)], [("BOE-A-2000-2", "art:1")], [])


def test_staged_document_is_read_back_unchanged(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "nueva")
    assert workspace.staged("a") is None
    workspace.stage("a", STAGED)
    assert workspace.staged("a") == STAGED
    assert workspace.document("a") == STAGED
    workspace.stage("a", replace(STAGED, title="Otra"))
    assert workspace.staged("a") == replace(STAGED, title="Otra")
    assert [file.name for file in (tmp_path / "nueva").iterdir()] == ["a.document.json"]


@pytest.mark.parametrize("damage", ["", '{"collection": "normativa', "[]", '{"otra": 1}'])
def test_damaged_file_counts_as_missing(tmp_path: Path, damage: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.stage("a", STAGED)
    (tmp_path / "a.document.json").write_text(damage)
    assert workspace.has("a")
    assert workspace.staged("a") is None
    assert not workspace.has("a"), "so that it is read again"
    with pytest.raises(StoreUnavailable, match="repita la orden"):
        workspace.document("a")


def test_clean_removes_only_old_unused_files(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for key in "abc":
        workspace.stage(key, STAGED)
    (tmp_path / "d.document.json.0f.partial").write_text("{")
    for name in ("a.document.json", "b.document.json", "d.document.json.0f.partial"):
        old = (tmp_path / name).stat().st_mtime - KEPT_SECONDS - 60
        os.utime(tmp_path / name, (old, old))
    workspace.clean({"a"}.__contains__)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.document.json", "c.document.json"]


def test_unusable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "fichero").write_text("")
    with pytest.raises(ConfigurationError, match="--index"):
        Workspace(tmp_path / "fichero").stage("a", STAGED)


def test_keys_distinguish_their_parts() -> None:
    assert key_of("a", "b") == key_of("a", "b")
    assert len({key_of("a", "b"), key_of("ab"), key_of("a", ["b"]), key_of()}) == 4
