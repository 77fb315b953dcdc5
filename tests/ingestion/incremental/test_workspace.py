"""What the stages leave for one another."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.doubles import make_chunk

from ingestion.incremental.catalog import Catalog, read_catalog, titles_of
from ingestion.incremental.workspace import KEPT_SECONDS, Staged, Workspace, key_of
from services.store.manifest import CATALOG
from state.errors import ConfigurationError, IndexMismatch, StoreUnavailable
from state.ingest import Source

STAGED = Staged("normativa", "BOE-A-2000-1", "Ley", 1, [make_chunk(7)], [("BOE-A-2000-2", "art:1")], [])


def test_a_document_comes_back_as_it_was(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "nueva")
    assert workspace.staged("a") is None
    workspace.stage("a", STAGED)
    assert workspace.staged("a") == STAGED
    assert workspace.document("a") == STAGED
    workspace.stage("a", replace(STAGED, title="Otra"))
    assert workspace.staged("a") == replace(STAGED, title="Otra")
    assert [file.name for file in (tmp_path / "nueva").iterdir()] == ["a.document.json"]


def test_links_come_back_by_id(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.link("a", {2**53 - 1: [1, 2], 5: []})
    assert workspace.links("a") == {2**53 - 1: [1, 2]}
    assert workspace.links("b") == {}


@pytest.mark.parametrize("damage", ["", '{"collection": "normativa', "[]", '{"otra": 1}'])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.stage("a", STAGED)
    (tmp_path / "a.document.json").write_text(damage)
    assert workspace.staged("a") is None
    with pytest.raises(StoreUnavailable, match="repita la orden"):
        workspace.document("a")


def test_only_what_is_old_and_unused_goes(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for key in "abc":
        workspace.stage(key, STAGED)
    (tmp_path / "d.links.json.0f.partial").write_text("{")
    for name in ("a.document.json", "b.document.json", "d.links.json.0f.partial"):
        old = (tmp_path / name).stat().st_mtime - KEPT_SECONDS - 60
        os.utime(tmp_path / name, (old, old))
    workspace.clean({"a"})
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.document.json", "c.document.json"]


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "fichero").write_text("")
    with pytest.raises(ConfigurationError, match="--index"):
        Workspace(tmp_path / "fichero").stage("a", STAGED)


def test_keys_tell_their_parts_apart() -> None:
    assert key_of("a", "b") == key_of("a", "b")
    assert len({key_of("a", "b"), key_of("ab"), key_of("a", ["b"]), key_of()}) == 4


def test_a_damaged_catalogue_says_what_to_run(tmp_path: Path) -> None:
    assert read_catalog(tmp_path).sources == []
    Catalog(made_with="x").save(tmp_path)
    assert read_catalog(tmp_path) == Catalog(made_with="x")
    (tmp_path / CATALOG).write_text('{"sources": 1}')
    with pytest.raises(IndexMismatch, match="--rebuild"):
        read_catalog(tmp_path)


def test_a_guide_is_no_law_that_a_question_could_name() -> None:
    def source(law_id: str, title: str, provisions: int) -> Source:
        return {
            "identity": law_id,
            "collection": "documentos",
            "law_id": law_id,
            "title": title,
            "files": [],
            "staged": "",
            "provisions": provisions,
            "parents": 1,
            "skipped": [],
        }

    sources = [source("BOE-A-2000-1", "Ley de Faros", 2), source("guia", "Guía de la Ley de Faros", 0)]
    assert titles_of(Catalog(made_with="x", sources=sources)) == {"BOE-A-2000-1": "Ley de Faros"}
