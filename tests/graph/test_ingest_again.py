"""A law that is given again, and a document that lies in two places."""

from pathlib import Path

import pytest
from support.ingesting import ingest
from support.small_laws import write_law

from articulado.config.settings import Settings
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.store.opening import open_index

pytestmark = pytest.mark.usefixtures("nothing_comes_along")

LAW = "BOE-A-2000-1"


@pytest.fixture
def configured(tmp_path: Path) -> Settings:
    return Settings.read(env_file=None, index=tmp_path / "indice", home=tmp_path / "home")


def read_from(configured: Settings) -> list[str]:
    """Return the texts that the index has, of all documents."""
    folder = open_index(configured.index_folder).folder
    documents = configured.index_folder / "documents"
    with read_catalog(folder) as catalog:
        keys = [source["staged"] for source in catalog.sources()]
    staged = [(documents / f"{key}.document.json").read_text() for key in keys]
    return [text for text in ("Antiguo.", "Nuevo.", "Otro.", "Largo descanso.") if any(text in one for one in staged)]


async def test_the_newer_text_of_a_law_wins_in_whatever_order_it_is_given(tmp_path: Path, configured: Settings) -> None:
    old = write_law(tmp_path / "a" / "x.md", LAW, "Antiguo.", updated="2020-01-01")
    new = write_law(tmp_path / "b" / "y.md", LAW, "Nuevo.", updated="2024-01-01")
    await ingest([old], configured)
    report = await ingest([new], configured)
    told = [{"law": f"Ley {LAW}", "kept": str(new), "replaced": str(old)}]
    assert (report["updated"], report["replaced"], report["failures"]) == ([f"Ley {LAW}"], told, [])
    assert read_from(configured) == ["Nuevo."]
    # Neither a run without paths nor the old text once more goes back.
    for paths in ([], [old.parent]):
        report = await ingest(paths, configured, rebuild=not paths)
        assert (report["updated"], report["replaced"], report["copies"]) == ([], [], [])
        assert read_from(configured) == ["Nuevo."]
    new.unlink()
    report = await ingest([new.parent, old.parent], configured)
    assert read_from(configured) == ["Antiguo."]
    assert report["removed"] == []


async def test_an_older_text_that_comes_later_is_told_and_changes_nothing(tmp_path: Path, configured: Settings) -> None:
    new = write_law(tmp_path / "b" / "y.md", LAW, "Nuevo.", updated="2024-01-01")
    await ingest([new], configured)
    old = write_law(tmp_path / "a" / "x.md", LAW, "Antiguo.", updated="2020-01-01")
    report = await ingest([old], configured)
    assert report["replaced"] == [{"law": f"Ley {LAW}", "kept": str(new), "replaced": str(old)}]
    assert (report["updated"], report["written"], report["failures"]) == ([], 0, [])
    new.unlink()
    # It is not below what is named, and gone all the same: what is there is read.
    assert (await ingest([], configured))["updated"] == [f"Ley {LAW}"]
    assert read_from(configured) == ["Antiguo."]


async def test_of_the_same_day_what_is_given_now_wins(tmp_path: Path, configured: Settings) -> None:
    first = write_law(tmp_path / "a" / "x.md", LAW, "Antiguo.")
    second = write_law(tmp_path / "b" / "y.md", LAW, "Nuevo.")
    await ingest([first], configured)
    report = await ingest([second], configured)
    assert report["replaced"] == [{"law": f"Ley {LAW}", "kept": str(second), "replaced": str(first)}]
    assert read_from(configured) == ["Nuevo."]
    assert (await ingest([], configured))["written"] == 0
    assert read_from(configured) == ["Nuevo."]
    await ingest([first], configured)
    assert read_from(configured) == ["Antiguo."]
    await ingest([write_law(tmp_path / "c" / "z.md", LAW, "Nuevo.")], configured)
    assert read_from(configured) == ["Nuevo."]


async def test_the_same_text_of_a_law_in_two_folders_is_one_and_outlives_either(
    tmp_path: Path, configured: Settings
) -> None:
    first = write_law(tmp_path / "a" / "x.md", LAW, "Nuevo.")
    second = write_law(tmp_path / "b" / "y.md", LAW, "Nuevo.")
    await ingest([first.parent], configured)
    report = await ingest([second.parent], configured)
    assert (report["written"], report["updated"], report["replaced"], report["failures"]) == (0, [], [], [])
    assert len(report["copies"]) == 1
    first.unlink()
    assert (await ingest([first.parent, second.parent], configured))["removed"] == []
    assert read_from(configured) == ["Nuevo."]


async def test_a_document_under_two_names_is_one(tmp_path: Path, configured: Settings) -> None:
    first, second = tmp_path / "a" / "guia.txt", tmp_path / "b" / "copia.txt"
    for file in (first, second):
        file.parent.mkdir()
        file.write_text("Largo descanso.")
        file.with_suffix(".yaml").write_text("title: Descansos\n")
    report = await ingest([first.parent, second.parent], configured)
    assert report["documents"] == {"documentos": 1}
    assert report["copies"] == [{"document": "Descansos", "kept": str(first), "copy": str(second)}]
    assert (report["added"], report["failures"]) == (["Descansos"], [])
    again = await ingest([second.parent], configured)
    assert (again["generation"], again["copies"], again["unchanged"]) == (report["generation"], [], 1)
    first.unlink()
    (first.parent / "nota.txt").write_text("Otro.")
    report = await ingest([first.parent, second.parent], configured)
    assert (report["documents"], report["added"], report["removed"]) == ({"documentos": 2}, ["Otro"], [])
    # With another header it is another document, and each goes by its own path.
    first.write_text("Largo descanso.")
    first.with_suffix(".yaml").write_text("title: Otros descansos\n")
    report = await ingest([first.parent, second.parent], configured)
    assert (report["documents"], report["added"]) == ({"documentos": 3}, ["Otros descansos"])
    report = await ingest([], configured, remove=[str(second)])
    assert report["removed"] == ["Descansos"]


async def test_files_of_one_id_are_one_document_if_they_say_the_same(tmp_path: Path, configured: Settings) -> None:
    header = "---\ncourt: TS\nnumber: STS 1/2024\ndate: 2024-01-09\n---\n"
    for name, text in (("a", "Largo descanso.\n"), ("b", "Largo descanso.\r\n"), ("c", "Otro.\n")):
        (tmp_path / f"{name}.txt").write_bytes(f"{header}{text}".encode())
    report = await ingest([tmp_path / "a.txt", tmp_path / "b.txt"], configured)
    assert (report["failures"], report["documents"]) == ([], {"sentencias": 1})
    assert [Path(copy["copy"]).name for copy in report["copies"]] == ["b.txt"]
    assert (await ingest([], configured))["generation"] == report["generation"]
    report = await ingest([tmp_path / "c.txt"], configured)
    assert [Path(failure["source"]).name for failure in report["failures"]] == ["c.txt"]
