"""Which of the files of a law its text is read from."""

from pathlib import Path

import pytest
from support.small_laws import write_law

from articulado.ingestion.sources import by_age, text_files

LAW = "BOE-A-2000-1"


@pytest.fixture
def law(tmp_path: Path):
    def write(name: str, updated: str = "") -> Path:
        file = tmp_path / name
        if file.suffix == ".md":
            return write_law(file, LAW, updated=updated)
        day = f"<fecha_actualizacion>{updated.replace('-', '')}T101112Z</fecha_actualizacion>" if updated else ""
        file.write_text(f"<response><data><metadatos>{day}<identificador>{LAW}</identificador></metadatos></data>")
        return file

    return write


def test_the_newest_text_is_read_and_of_one_day_the_last_given(law):
    old, new, same = law("nueva.md", "2020-01-01"), law("antigua.md", "2024-01-01"), law("otra.md", "2024-01-01")
    assert text_files([new, old]) == [new]
    assert text_files([new, old, same]) == [same]
    assert text_files([same, new]) == [new]
    # Without a day of update, that of publication counts: 2 January 2000.
    assert text_files([old, law("sin.md")]) == [old]
    assert by_age([new, law("sin.md"), old]) == [law("sin.md"), old, new]


def test_texts_whose_names_have_a_day_are_the_history_of_the_newest(law):
    first, second = law("L@2010-01-01.md"), law("L@2015-01-01.md")
    old, new = law("a.md", "2012-01-01"), law("b.md", "2020-01-01")
    assert text_files([second, new, old, first]) == [first, second, new]
    same_day = law("c.md", "2015-01-01")
    assert text_files([same_day, first, second]) == [first, second]
    assert text_files([first, second, same_day]) == [first, same_day]


def test_boe_xml_wins_over_all_but_a_later_copy(law):
    gazette, same, later = law("full.xml", "2020-01-01"), law("a.md", "2020-01-01"), law("b.md", "2020-01-02")
    dated = law("L@2019-01-01.md")
    assert text_files([gazette, dated, same]) == [gazette]
    assert text_files([same, later, gazette, dated]) == [dated, later]
    assert text_files([later, law("sin.xml")]) == [law("sin.xml")]


def test_missing_files_are_skipped_while_others_exist(law, tmp_path):
    old, gone = law("a.md", "2001-01-01"), tmp_path / "L@2030-01-01.md"
    assert text_files([gone, old]) == text_files([old, gone]) == [old]
    assert text_files([gone]) == [gone]


def test_undated_text_is_the_oldest(law, tmp_path):
    broken = tmp_path / "rota.md"
    broken.write_text("---\nlast_updated: ayer\n---\n")
    assert text_files([law("a.md"), broken]) == [law("a.md")]
