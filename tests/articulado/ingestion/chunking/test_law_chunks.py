"""Chunks of laws in several wordings; what becomes of wordings when the whole law ends."""

import pytest

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.model import Law, Provision
from articulado.values.errors import InvalidInput


def wording(text, **fields):
    return Provision("Artículo 1", "art:1", "Objeto", "TÍTULO I", (text,), **fields)


def law(*provisions, **fields):
    given = {"status": "in_force", "valid_to": None, "status_note": ""} | fields
    return Law("BOE-A-2001-1", "Ley de pruebas", "ley", "2001-01-02", provisions=provisions, **given)


OLD = wording("Antes.", valid_to="2010-05-01", status="modificada", status_note="Hasta abril.")
NEW = wording("Ahora.", valid_from="2010-05-01", notes=("Se modifica por la Ley 2/2010.",))


def validity(chunks):
    return [(one["valid_from"], one["valid_to"], one["status"], one["status_note"]) for one in chunks]


def test_each_wording_has_chunks_and_validity_of_its_own():
    chunks = law_chunks(law(OLD, NEW))
    assert validity(chunks) == [
        ("2001-01-22", "2010-05-01", "modificada", "Hasta abril."),
        ("2010-05-01", None, "vigente", ""),
    ]
    assert len({one["id"] for one in chunks}) == 2
    assert [(one["text"], one["part"], one["parts"]) for one in chunks] == [("Antes.", 1, 1), ("Ahora.", 1, 1)]


def test_parts_are_counted_in_each_wording():
    long = wording("\n\n".join(f"{n}. {'a' * 1_200}." for n in (1, 2, 3)), valid_to="2010-05-01")
    chunks = law_chunks(law(long, NEW))
    assert [(one["part"], one["parts"]) for one in chunks] == [(1, 3), (2, 3), (3, 3), (1, 1)]
    assert len({one["id"] for one in chunks}) == 4


def test_notes_are_kept_beside_the_text():
    old, new = law_chunks(law(OLD, NEW))
    assert (old["notes"], new["notes"]) == ([], ["Se modifica por la Ley 2/2010."])
    assert "Se modifica" not in new["text"]


def test_the_end_of_the_law_is_that_of_its_last_wordings_only():
    chunks = law_chunks(law(OLD, NEW, status="repealed", valid_to="2015-11-13", status_note="Norma derogada."))
    assert validity(chunks) == [
        ("2001-01-22", "2010-05-01", "modificada", "Hasta abril."),
        ("2010-05-01", "2015-11-13", "derogada", "Norma derogada."),
    ]


def test_wordings_end_with_their_law():
    late = wording("Tarde.", valid_to="2020-01-01", status="modificada")
    (one,) = law_chunks(law(late, status="repealed", valid_to="2015-11-13", status_note="Norma derogada."))
    assert (one["valid_to"], one["status"]) == ("2015-11-13", "derogada")


def test_an_old_wording_keeps_its_end_where_that_of_the_law_is_not_known():
    chunks = law_chunks(law(OLD, NEW, status="expired"))
    assert [(one["valid_to"], one["status"]) for one in chunks] == [("2010-05-01", "modificada"), (None, "agotada")]


def test_chunks_have_the_dates_of_their_wording():
    ended = {"last_day": "unknown", "last_seen": "2009-01-31", "ended_by": []}
    old = wording("Antes.", valid_to="2010-05-01", wording=ended)
    new = wording("Ahora.", valid_from="2010-05-01", wording={"first_day": "deduced"}, status_note="Se modifica.")
    first, last = law_chunks(law(old, new, status="repealed", valid_to="2015-11-13", status_note="Norma derogada."))
    assert (first["wording"], last["wording"]) == (ended, {"first_day": "deduced"})
    assert first["status_note"] == (
        "Redacción en vigor al menos el 31 de enero de 2009; dejó de estarlo un día que no consta, "
        "a más tardar el 1 de mayo de 2010."
    )
    assert last["status_note"] == "Norma derogada."


def test_wording_that_ends_with_its_law_has_no_amending_norm():
    given = {"tracked": True, "first_day": "exact", "last_day": "exact", "ended_by": []}
    last = wording("Uno.", valid_from="2010-05-01", valid_to="2015-11-13", wording=given)
    (one,) = law_chunks(law(last, valid_to="2015-11-13", status_note="Norma derogada."))
    assert (one["wording"], one["status_note"]) == ({"tracked": True, "first_day": "exact"}, "Norma derogada.")


def test_future_end_of_a_law_is_noted_without_a_source_note():
    ended = [
        ("2001-01-22", "2010-05-01", "modificada", "Hasta abril."),
        ("2010-05-01", "2026-08-28", "vigente", "Norma derogada, con efectos de 28 de agosto de 2026."),
    ]
    assert validity(law_chunks(law(OLD, NEW, valid_to="2026-08-28"))) == ended
    own = law_chunks(law(NEW, valid_to="2026-08-28", status_note="Norma derogada por la Ley 1/2026."))
    assert [one["status_note"] for one in own] == ["Norma derogada por la Ley 1/2026."]


def test_two_wordings_from_one_day_are_refused():
    with pytest.raises(InvalidInput, match=r"Artículo 1.*2001-01-22"):
        law_chunks(law(wording("Una."), wording("Otra.", valid_from="2001-01-22")))


def test_the_territory_is_that_of_the_law():
    (one,) = law_chunks(law(wording("Uno."), territory="Comunidad Foral de Navarra"))
    assert one["territory_ccaa"] == "Comunidad Foral de Navarra"


def test_a_table_that_begins_a_page_begins_a_part_with_that_page():
    rows = "Puesto | Salario\nGuarda | 1.100,00", "Puesto | Salario\nPastor | 1.000,00"
    annex = Provision(
        "Anexo I", "anexo:1", "Salarios", "", ("En euros.", *rows), urls=("a#page=6", "a#page=6", "a#page=7")
    )
    parts = [(one["text"], one["url"], one["attributes"]) for one in law_chunks(law(annex))]
    assert parts == [
        (f"En euros.\n\n{rows[0]}", "a#page=6", {"page": "6"}),
        (rows[1], "a#page=7", {"page": "7"}),
    ]
