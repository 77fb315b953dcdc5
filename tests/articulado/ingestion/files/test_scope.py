"""The scope of an agreement that comes in as a file: its header goes before its text, and other documents have none."""

import pytest

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.files.reader import read_document
from articulado.values.errors import InvalidInput

TITLE = "Convenio colectivo del sector de la cestería de la provincia de Lugo para los años 2021-2023"
ARTICLES = "\n\n".join(
    f"Artículo {number}. {title}.\n\n{text}"
    for number, (title, text) in enumerate(
        (
            ("Ámbito territorial", "Rige en la provincia de Lugo."),
            ("Vacaciones", "Las vacaciones son de treinta y un días naturales."),
            ("Jornada", "La jornada es de treinta y nueve horas semanales."),
        ),
        start=1,
    )
)


def agreement(tmp_path, header: str = "", title: str = TITLE):
    file = tmp_path / "convenio.txt"
    file.write_text(f"---\n{header}\n---\n{title}\n\n{ARTICLES}\n" if header else f"{title}\n\n{ARTICLES}\n")
    return read_document(file)


def test_the_scope_stands_on_every_chunk_and_in_its_name(tmp_path):
    chunks = law_chunks(agreement(tmp_path))
    assert {chunk["law_name"] for chunk in chunks} == {"Convenio colectivo de cestería (Lugo)"}
    assert all(chunk["agreement"]["province"] == "Lugo" for chunk in chunks)
    assert {chunk["agreement"]["last_day"] for chunk in chunks} == {"2023-12-31"}
    assert {(chunk["territory_ccaa"], chunk["valid_to"], chunk["status"]) for chunk in chunks} == {
        (None, None, "vigente")
    }, "neither its place nor the end of its agreed validity hides it"


def test_header_takes_precedence_over_the_text(tmp_path):
    header = "company: Tarambana, S.L.\nprovince: Vizcaya\nvalidity_start: 2024-04-01\nvalidity_end: 2026-03-31"
    scope = agreement(tmp_path, header).agreement
    assert (scope["sector"], scope["company"]) == ("", "Tarambana, S.L.")
    assert (scope["community"], scope["province"]) == ("País Vasco", "Bizkaia")
    assert (scope["first_day"], scope["last_day"]) == ("2024-04-01", "2026-03-31")
    statewide = agreement(tmp_path, "territory: España").agreement
    assert (statewide["statewide"], statewide["province"], statewide["sector"]) == (True, None, "cestería")


def test_header_alone_makes_an_agreement(tmp_path):
    assert agreement(tmp_path, title="Normas de la casa").agreement is None
    assert agreement(tmp_path, "sector: cestería", title="Normas de la casa").agreement["sector"] == "cestería"
    assert agreement(tmp_path, "type: agreement", title="Normas de la casa").rank == "convenio"


def test_rulings_and_guides_have_no_scope(tmp_path):
    assert agreement(tmp_path, "court: Tribunal Supremo").agreement is None
    guide = tmp_path / "guia.txt"
    guide.write_text("Guía del convenio colectivo de cestería de Lugo\n\nLas vacaciones se piden por escrito.\n")
    assert read_document(guide).agreement is None
    tables = tmp_path / "tablas.txt"
    tables.write_text("Tablas salariales del convenio colectivo de cestería de Lugo para 2024\n\nOficial | 1.200,00\n")
    assert read_document(tables).agreement["last_day"] == "2024-12-31"


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("province: Atlántida", "«province» .*«Atlántida» no es una provincia conocida.*Lugo"),
        ("sector: cestería\ncompany: Tarambana", "de un sector o de una empresa"),
        ("validity_start: 2025-01-01\nvalidity_end: 2024-12-31", r"2024-12-31\) es anterior al primero \(2025-01-01"),
        ("validity_end: 2024-02-30", "«validity_end» .*fecha que exista"),
        ("province: Lugo\nterritory: Aragón", "la provincia Lugo no es de Aragón: es de Galicia"),
    ],
)
def test_contradictory_header_is_reported(tmp_path, header, message):
    with pytest.raises(InvalidInput, match=message):
        agreement(tmp_path, header)
