from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.files.header import header_of, sidecar, take_block
from articulado.ingestion.model import Page
from articulado.values.errors import InvalidInput

ET = "BOE-A-2015-11430"
FILE = Path("sts.pdf")


def pages(*paragraphs):
    return (Page(1, paragraphs), Page(2, ("Más.",)))


def test_a_block_at_the_start_is_taken_off_the_text():
    fields, rest = take_block(FILE, pages("---", "court: TS", "provisions:", "- ET 38", "- ET 40", "---", "Texto."))
    assert fields == {"court": "TS", "provisions": ["ET 38", "ET 40"]}
    assert rest == pages("Texto.")


def test_a_block_may_be_one_paragraph_and_its_rules_dashes_of_a_word_processor():
    fields, rest = take_block(FILE, pages("—\nbody: INSS\n—\nTexto.", "Más texto."))
    assert fields == {"body": "INSS"}
    assert rest == pages("Texto.", "Más texto.")


@pytest.mark.parametrize(
    "paragraphs", [("Texto.", "---", "a: b", "---"), ("---", "Texto."), ("---", "Solo texto.", "---"), (), ("---",)]
)
def test_text_without_a_block_stays_as_it_is(paragraphs):
    assert take_block(FILE, pages(*paragraphs)) == (None, pages(*paragraphs))


def test_values_stay_as_they_are_written():
    fields, _ = take_block(FILE, pages("---", "number: 0123", "date: 2024-05-01", "title: no", "---"))
    assert fields == {"number": "0123", "date": "2024-05-01", "title": "no"}


@pytest.mark.parametrize("written", ["title: Despido: nulo", "a: [b", "a: " + "[" * 600, "- a: b\n- c"])
def test_what_is_no_yaml_is_refused_in_spanish(written):
    with pytest.raises(InvalidInput, match=r"un campo por línea|uno por línea"):
        take_block(FILE, pages("---", "x: y" if written.startswith("-") else "", written, "---"))


def test_the_longer_name_beside_the_file_counts_first(tmp_path):
    (tmp_path / "sts.yaml").write_text("court: Uno", encoding="utf-8")
    assert sidecar(tmp_path / "sts.pdf") == {"court": "Uno"}
    (tmp_path / "sts.pdf.yaml").write_text("---\ncourt: Dos\n---\n", encoding="cp1252")
    assert sidecar(tmp_path / "sts.pdf") == {"court": "Dos"}
    assert sidecar(tmp_path / "otra.pdf") is None


@pytest.mark.parametrize("name", ["sts.yml", "sts.pdf.yml"])
def test_the_short_extension_beside_the_file(tmp_path, name):
    (tmp_path / name).write_text("court: Uno", encoding="utf-8")
    assert sidecar(tmp_path / "sts.pdf") == {"court": "Uno"}
    (tmp_path / name.replace("yml", "yaml")).write_text("court: Dos", encoding="utf-8")
    assert sidecar(tmp_path / "sts.pdf") == {"court": "Dos"}


@given(st.dictionaries(st.sampled_from(["court", "title", "number"]), st.text("abcñ1 '", max_size=9), min_size=1))
def test_a_header_that_is_written_is_read(fields):
    quoted = [f"{name}: '{value.replace(chr(39), chr(39) * 2)}'" for name, value in fields.items()]
    assert take_block(FILE, pages("---", *quoted, "---"))[0] == fields


def test_all_fields():
    header = header_of(
        FILE,
        {
            "type": "ruling",
            "court": "Tribunal  Supremo",
            "number": "123/2024",
            "date": "2024-05-31",
            "ecli": "ECLI:ES:TS:2024:123",
            "title": "Vacaciones",
            "provisions": ["ET 38", f"{ET}#Artículo 48 bis", "arts. 44 y 45 ET", "LGSS#da 1"],
            "url": "https://example.org/a.pdf",
            "status_note": "Revocada",
            "territory": "Comunidad de Madrid",
            "id": "sts-123",
            "collection": "otras",
            "kind": "auto",
        },
    )
    assert (header.document_type, header.court, header.number, header.day) == (
        "ruling",
        "Tribunal Supremo",
        "123/2024",
        date(2024, 5, 31),
    )
    assert header.interprets == (
        (ET, "art:38"),
        (ET, "art:48 bis"),
        (ET, "art:44"),
        (ET, "art:45"),
        ("BOE-A-2015-11724", "da:1"),
    )
    assert header.territory == "Comunidad de Madrid"


@pytest.mark.parametrize(
    ("fields", "community", "city"),
    [
        ({"territory": "Galicia"}, "Galicia", None),
        ({"territory": "León"}, "Castilla y León", None),
        ({"municipality": "jerez"}, "Andalucía", "Jerez de la Frontera"),
        ({"municipality": "Jerez", "territory": "Galicia"}, "Andalucía", "Jerez de la Frontera"),
        ({}, None, None),
    ],
)
def test_the_city_of_a_bylaw_tells_its_community(fields, community, city):
    header = header_of(FILE, fields)
    assert (header.community, header.municipality) == (community, city)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"court": "TS"}, "ruling"),
        ({"ecli": "ECLI:ES:TS:2024:1"}, "ruling"),
        ({"body": "INSS"}, "criterion"),
        ({"body": "INSS", "type": "document"}, "document"),
        ({"type": ""}, "document"),
        ({}, "document"),
    ],
)
def test_the_type_follows_from_who_wrote_it(fields, what):
    assert header_of(FILE, fields).document_type == what


def test_one_provision_needs_no_list_and_empty_fields_count_as_none():
    assert header_of(FILE, {"provisions": "art. 48.4 ET", "date": ""}).interprets == ((ET, "art:48"),)


def test_a_law_outside_the_registry_goes_by_its_official_identifier():
    assert header_of(FILE, {"provisions": "boe-a-2099-1#Artículo 3"}).interprets == (("BOE-A-2099-1", "art:3"),)
    regional = header_of(FILE, {"provisions": "DOGC-f-2015-90448#Artículo 3"})
    assert regional.interprets == (("DOGC-f-2015-90448", "art:3"),)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"corte": "TS"}, "«corte» no es válido: no existe. Los posibles son type, court, .*provisions"),
        ({"type": "sentencia"}, "«type» .*'ruling', 'criterion', 'document', 'law' o 'agreement'"),
        ({"date": "31/05/2024"}, "«date» .*AAAA-MM-DD"),
        ({"date": "2024-02-30"}, "«date» .*AAAA-MM-DD"),
        ({"ecli": "STS 123/2024"}, "«ecli» .*ECLI:ES:TS:2024:123"),
        ({"provisions": ["ET 38", "la ley del aire"]}, "«provisions» .*«la ley del aire» no nombra"),
        ({"provisions": "ET 38 y art. 5 de la Ley 99/1850"}, "«ET 38 y art. 5 de la Ley 99/1850» no nombra"),
        ({"provisions": ["art. 38"]}, "«art. 38» no nombra"),
        ({"provisions": ["XX#Artículo 38"]}, "«XX#Artículo 38» no nombra"),
        ({"provisions": [["ET 38"]]}, "«provisions» .*lista de textos"),
        ({"territory": "Marte"}, "«territory» .*Andalucía, Aragón"),
        ({"municipality": "Andalucía"}, "«municipality» .*«Andalucía» no es un municipio conocido"),
        ({"url": "ftp://x"}, "«url» .*https://"),
        ({"id": "a b"}, "«id» .*guiones"),
        ({"collection": "Las Mías"}, "«collection» .*minúsculas"),
        ({"court": ["TS"]}, "«court» .*debe ser un texto"),
    ],
)
def test_what_breaks_the_schema_is_told_with_its_remedy(fields, message):
    with pytest.raises(InvalidInput, match=message):
        header_of(FILE, fields)


def test_a_header_that_nothing_closes_is_refused():
    open_ended = (Page(None, ("---\ncourt: Tribunal Supremo\nnumber: STS 5/2024", "Las vacaciones se conservan.")),)
    with pytest.raises(InvalidInput, match="no se cierra"):
        take_block(Path("sentencia.txt"), open_ended)
    talk = (Page(None, ("---\nDijo: nada.",)),)
    assert take_block(Path("acta.txt"), talk) == (None, talk)
