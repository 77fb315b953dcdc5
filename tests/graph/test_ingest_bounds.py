"""Files that no reader should have been given: the ingest goes on without them."""

import io
from pathlib import Path

import docx
import pytest
from support.ingesting import ingest

from articulado.config.settings import Settings
from articulado.store.opening import open_index
from articulado.store.writer import Points
from articulado.values.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("nothing_comes_along")


def settings(folder: Path) -> Settings:
    return Settings.read(env_file=None, index=folder / "indice", home=folder / "home", read_unpacked=2)


def bomb() -> bytes:
    document, stream = docx.Document(), io.BytesIO()
    document.add_paragraph("a" * (4 << 20))
    document.save(stream)
    return stream.getvalue()


async def test_a_file_past_a_limit_is_named_and_all_others_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "documentos"
    folder.mkdir()
    for name in ("a", "b", "d", "e"):
        (folder / f"{name}.txt").write_text(f"Guía {name}\n\nDel descanso semanal.", encoding="utf-8")
    (folder / "c.docx").write_bytes(bomb())
    report = await ingest([folder], settings(tmp_path))
    assert report["added"] == ["Guía a", "Guía b", "Guía d", "Guía e"]
    (failure,) = report["failures"]
    assert failure["source"] == str(folder / "c.docx")
    assert "ocupa 4,8 MiB, ya descomprimido, y se leen como mucho 2,0." in failure["reason"]


async def test_the_older_version_of_a_file_past_a_limit_stays(tmp_path: Path) -> None:
    document, file = docx.Document(), tmp_path / "guia.docx"
    document.add_paragraph("Del descanso semanal.")
    document.save(str(file))
    await ingest([file], settings(tmp_path))
    before = {point.id for point in Points.load(open_index(settings(tmp_path).index_folder).folder)}
    file.write_bytes(bomb())
    report = await ingest([file], settings(tmp_path))
    assert [failure["source"] for failure in report["failures"]] == [str(file)]
    assert before == {point.id for point in Points.load(open_index(settings(tmp_path).index_folder).folder)}


async def test_where_nothing_else_is_given_the_limit_is_the_error(tmp_path: Path) -> None:
    (tmp_path / "c.docx").write_bytes(bomb())
    with pytest.raises(InvalidInput, match=r"ocupa 4,8 MiB.*suba ARTICULADO_READ_UNPACKED"):
        await ingest([tmp_path / "c.docx"], settings(tmp_path))
