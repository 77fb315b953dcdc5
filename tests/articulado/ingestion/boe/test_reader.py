"""Laws from the BOE's XML, and the real ones against their Markdown."""

from datetime import date
from functools import partial
from pathlib import Path

import pytest
from support.boe_law import LAW, article, block, posterior, read_law_of

from articulado.ingestion.boe.reader import read_boe
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.values.errors import InvalidInput


@pytest.fixture
def read(tmp_path):
    return partial(read_law_of, tmp_path)


def test_reads_all_fields_of_a_law(read):
    law = read(block("Artículo 1", article("Artículo 1. Objeto.", "Texto.")))
    assert (law.id, law.title, law.rank) == (LAW, "Ley 9/2001, de 2 de febrero, de Pruebas", "ley")
    assert (law.published, law.status, law.valid_to, law.status_note, law.territory) == (
        "2001-02-03",
        "in_force",
        None,
        "",
        None,
    )


def test_a_repealed_law_says_by_whom_and_since_when(read):
    later = posterior("270", "BOE-A-2016-5", "el art. 1, por Ley 5/2016, de 3 de mayo")
    later += posterior("210", "BOE-A-2015-7", "y se sustituye, por Real Decreto Legislativo 7/2015, de 4 de junio")
    later += posterior("212", "BOE-A-2015-8", "con la excepción indicada, por Ley 8/2015, de 3 de mayo")
    law = read(
        block("Artículo 1", article("Artículo 1.", "Texto.")),
        later=later,
        estatus_derogacion="S",
        fecha_derogacion="20160102",
    )
    assert (law.status, law.valid_to) == ("repealed", "2016-01-02")
    assert law.status_note == (
        "Norma derogada, con efectos de 2 de enero de 2016, "
        "por el Real Decreto Legislativo 7/2015, de 4 de junio (BOE-A-2015-7)."
    )
    (chunk,) = law_chunks(law)
    assert (chunk["status"], chunk["valid_to"]) == ("derogada", "2016-01-02")


def test_a_law_that_will_be_repealed_is_still_in_force(tmp_path, read):
    law = read(
        block("Artículo 1", article("Artículo 1.", "Texto.")), estatus_derogacion="S", fecha_derogacion="20250101"
    )
    assert (law.status, law.valid_to) == ("in_force", "2025-01-01")
    assert law.status_note == "Norma derogada, con efectos de 1 de enero de 2025."
    then = read_boe(tmp_path / "full.xml", today=date(2025, 1, 1))
    assert (then.status, then.valid_to, then.status_note) == ("repealed", law.valid_to, law.status_note)


def test_annulled_and_expired_laws(read):
    text = block("Artículo 1", article("Artículo 1.", "Texto."))
    annulled = read(
        text,
        later=posterior("220", "BOE-A-2012-3", "por Sentencia del TS de 3 de marzo de 2012"),
        estatus_anulacion="S",
        fecha_anulacion="20120401",
    )
    assert (annulled.status, annulled.valid_to) == ("repealed", "2012-04-01")
    assert annulled.status_note.endswith("por la Sentencia del TS de 3 de marzo de 2012 (BOE-A-2012-3).")
    assert read(text, vigencia_agotada="S").status == "expired"


@pytest.mark.parametrize(
    ("department", "community"),
    [
        ("Comunidad Autónoma de Andalucía", "Andalucía"),
        ("Comunidad Autónoma de las Illes Balears", "Islas Baleares"),
        ("Comunidad de Castilla y León", "Castilla y León"),
        ("Comunidad Autónoma de Castilla-La Mancha", "Castilla-La Mancha"),
        ("Comunidad Autónoma de la Región de Murcia", "Región de Murcia"),
        ("Comunitat Valenciana", "Comunidad Valenciana"),
        ("Comunidad Foral de Navarra", "Navarra"),
        ("Comunidad Autónoma del Principado de Asturias", "Asturias"),
        ("Ciudad de Ceuta", "Ceuta"),
    ],
)
def test_a_law_of_a_community_has_its_territory(read, department, community):
    law = read(
        block("Artículo 1", article("Artículo 1.", "Texto.")),
        ambito=("2", "Autonómico"),
        departamento=("8000", department),
        rango=("1450", "Ley Foral"),
    )
    assert (law.territory, law.rank) == (community, "ley_foral")


def test_unknown_rank_code_uses_the_rank_name(read):
    assert read(block("Artículo 1", "<p>Uno.</p>"), rango=("9", "Decreto-Ley Raro")).rank == "decreto_ley_raro"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<response><data><metadatos><identificador>X</identificador></metadatos></data></response>", "sin su texto"),
        ("<response><status/></response>", "le faltan los metadatos"),
        ("<html>", "no es XML válido"),
        ("", "no es XML válido"),
        ("<data><metadatos/><texto><bloque/></texto></data>", "identificador"),
    ],
)
def test_incomplete_files_are_refused(tmp_path, content, says):
    path = tmp_path / "x.xml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=says):
        read_boe(path)
    with pytest.raises(InvalidInput, match="no se puede leer: no existe"):
        read_boe(tmp_path / "none.xml")


REAL = {"BOE-A-2015-10565": (155, 174), "BOE-A-2018-16673": (144, 159)}


@pytest.fixture(scope="module")
def both(real_laws: Path):
    """The real laws from both sources, by identifier."""
    folder = real_laws.parent / "boe_api"
    return {
        law_id: (read_boe(folder / law_id / "full.xml", today=date(2026, 9, 1)), read_law(real_laws / f"{law_id}.md"))
        for law_id in REAL
    }


@pytest.mark.parametrize("law_id", REAL)
def test_current_wordings_equal_those_of_the_markdown_files(both, law_id):
    """Only two paragraphs differ: emphasis inside a word, and a quoted heading that the Markdown joins to its title."""
    xml, markdown = both[law_id]
    assert (xml.id, xml.title, xml.rank, xml.published, xml.status, xml.valid_to) == (
        markdown.id,
        markdown.title,
        markdown.rank,
        markdown.published,
        markdown.status,
        markdown.valid_to,
    )
    current = [one for one in xml.provisions if one.valid_to is None]
    assert (len(current), len(xml.provisions)) == REAL[law_id]

    def face(one):
        return one.key, one.label, one.title, one.breadcrumb

    assert [face(one) for one in current] == [face(one) for one in markdown.provisions]
    different = {
        one.key: set(one.paragraphs) ^ set(other.paragraphs)
        for one, other in zip(current, markdown.provisions, strict=True)
        if one.paragraphs != other.paragraphs
    }
    assert {key: len(paragraphs) for key, paragraphs in different.items()} == (
        {"art:6": 2} if law_id == "BOE-A-2015-10565" else {"df:5": 3}
    )


def test_real_wordings_and_their_days(both):
    law, _ = both["BOE-A-2018-16673"]
    found = {one.key: one for one in law.provisions}
    assert (found["art:53 bis"].valid_from, found["art:53 bis"].url.partition("#")[2]) == ("2023-05-10", "a5-12")
    old, new = [one for one in law.provisions if one.key == "art:48"]
    assert (old.valid_from, old.valid_to, new.valid_from) == ("2018-12-07", "2023-05-10", "2023-05-10")
    assert [old.wording["first_day"], old.wording["last_day"]] == ["exact", "exact"]
    (change,) = old.wording["ended_by"]
    assert (change["norm"], change["law_id"]) == ("Ley 11/2023, de 8 de mayo", "BOE-A-2023-11022")
    law, _ = both["BOE-A-2015-10565"]
    starts = [one.valid_from for one in law.provisions if one.key == "df:7"]
    assert starts == ["2016-10-02", "2018-09-04", "2020-08-05", "2020-09-11", "2020-09-23", "2021-07-11"]


def test_every_ended_wording_of_the_real_laws_names_the_norm(both):
    for law, _ in both.values():
        ended = [one for one in law.provisions if one.valid_to]
        assert ended
        assert all(change["norm"] for one in ended for change in one.wording["ended_by"])
