"""The catalogue of an index, and the draft that an ingest makes of it."""

from pathlib import Path

import pytest
from support.doubles import make_chunk

from articulado.ingestion.incremental.catalog import FILE, GONE, Links, read_catalog, titles_in
from articulado.ingestion.incremental.draft import Draft
from articulado.store.generations import CATALOG
from articulado.values.documents import Source, SourceFile
from articulado.values.errors import IndexMismatch


def source(law_id: str, title: str = "Ley", provisions: int = 1, files: tuple[SourceFile, ...] = ()) -> Source:
    return {
        "identity": files[0]["identity"] if files else law_id,
        "collection": "normativa",
        "law_id": law_id,
        "title": title,
        "files": list(files),
        "staged": f"staged-{law_id}",
        "provisions": provisions,
        "parents": 1,
        "skipped": [],
    }


def file(path: str, digest: str = "0", identity: str = "") -> SourceFile:
    return {"path": path, "root": "/", "digest": digest, "identity": identity or path}


def committed(folder: Path, *sources: Source) -> Path:
    """Make the catalogue of a generation."""
    draft_file = Draft.begin(folder / "drafts", None)
    with Draft(draft_file) as draft:
        for position, one in enumerate(sources, start=1):
            draft.put_files(one["files"])
            draft.put_document(position, FILE, one, characters=0)
        draft.finish()
    draft_file.rename(folder / CATALOG)
    return folder


def test_a_damaged_catalogue_says_what_to_run(tmp_path: Path) -> None:
    with read_catalog(tmp_path) as catalog:
        assert list(catalog.sources()) == []
    committed(tmp_path, source("a"))
    with read_catalog(tmp_path) as catalog:
        assert list(catalog.sources()) == [source("a")]
    (tmp_path / CATALOG).write_text('{"sources": 1}')
    with pytest.raises(IndexMismatch, match="--rebuild"):
        read_catalog(tmp_path)


def test_a_guide_is_no_law_that_a_question_could_name(tmp_path: Path) -> None:
    committed(tmp_path, source("BOE-A-2000-1", "Ley de Faros", 2), source("guia", "Guía de la Ley de Faros", 0))
    assert titles_in(tmp_path) == {"BOE-A-2000-1": "Ley de Faros"}


def test_failed_stage_leaves_the_draft_unchanged(tmp_path: Path) -> None:
    draft_file = Draft.begin(tmp_path, None)

    def fail() -> None:
        with Draft(draft_file) as draft:
            draft.put_document(1, FILE, source("a"), characters=0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with Draft(draft_file) as draft:
        assert draft.count() == 0


def test_the_catalogue_that_is_served_stays_as_it_is(tmp_path: Path) -> None:
    served = committed(tmp_path / "g", source("a"))
    with Draft(Draft.begin(tmp_path, served)) as draft:
        draft.put_document(2, FILE, source("b"), characters=0)
        assert draft.count() == 2
    with read_catalog(served) as catalog:
        assert [one["law_id"] for one in catalog.sources()] == ["a"]


def test_files_are_grouped_by_document_in_the_order_in_which_they_were_given(tmp_path: Path) -> None:
    with Draft(Draft.begin(tmp_path, None)) as draft:
        draft.put_files([file("/b", identity="X"), file("/c", "1"), file("/a", identity="X"), file("/d", "1")])
        assert [[one["path"] for one in group] for group in draft.groups()] == [["/b", "/a"], ["/c", "/d"]]
        draft.put_files([file("/b", "2", identity="X")])
        draft.drop_files(["/c"])
        assert [[one["path"] for one in group] for group in draft.groups()] == [["/b", "/a"], ["/d"]]


def test_citing_documents_are_relinked_when_a_provision_changes(tmp_path: Path) -> None:
    with Draft(Draft.begin(tmp_path, None)) as draft:
        numbers = [draft.put_document(place, FILE, source(name), characters=0) for place, name in enumerate("abc")]
        for number, lookups in zip(numbers, ([("x", "art:1")], [("x", "")], [("x", "art:2")]), strict=True):
            draft.put_links(number, Links({}, {}, [], 0, [], lookups))
            draft.put_points(number, b"", b"")
        assert list(draft.to_write()) == []
        draft.mark_for_relinking([("x", "art:1"), ("x", "")])
        assert [row.law_id for row in draft.to_write()] == ["a", "b"]


def test_removed_documents_are_written_first_and_then_dropped(tmp_path: Path) -> None:
    with Draft(Draft.begin(tmp_path, None)) as draft:
        for place, name in enumerate("ab"):
            draft.put_document(place, FILE, source(name), characters=0)
        number, *_ = draft.number_of("normativa", "b")
        draft.drop_document(number)
        assert [(row.law_id, row.kind) for row in draft.to_write()] == [("b", GONE), ("a", FILE)]
        assert draft.documents() == {"normativa": 1}
        draft.forget_gone()
        assert draft.number_of("normativa", "b") is None


def test_citable_provisions_change_with_structure_and_not_with_words(tmp_path: Path) -> None:
    def law(*texts: str, since: str | None = None) -> list:
        return [
            make_chunk(number, law_id="x", provision_key=f"art:{number}", text=text, valid_from=since)
            for number, text in enumerate(texts, start=1)
        ]

    with Draft(Draft.begin(tmp_path, None)) as draft:
        index = draft.index
        assert index.put(1, law("Uno.", "1. Dos.\n\n2. Tres.")) == {("x", "art:1"), ("x", "art:2"), ("x", "")}
        assert index.put(1, law("Otro.", "1. Nada.\n\n2. Tampoco.")) == set()
        assert index.put(1, law("Otro.", "1. Nada.\n\n3. Tampoco.")) == {("x", "art:2")}
        assert index.put(1, law("Otro.")) == {("x", "art:2")}
        assert index.put(1, law("Otro.", since="2024-01-01")) == {("x", "art:1")}
        assert list(index.turned_between("2023-12-31", "2024-01-01")) == [("x", "art:1")]
        assert list(index.turned_between("2024-01-01", "2024-02-01")) == []
        assert index.remove(1, "x") == {("x", "art:1"), ("x", "")}
        assert not index.has("x", "art:1")
