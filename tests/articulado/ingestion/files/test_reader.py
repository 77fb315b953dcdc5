import io
import re
import unicodedata

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pdf import pdf_of

from articulado.ingestion.files.reader import read_document
from articulado.ingestion.files.structure import slug
from articulado.ingestion.model import Document, Law
from articulado.values.errors import InvalidInput

ET = "BOE-A-2015-11430"
HEADER = ["---", "court: Tribunal Supremo", "number: STS 123/2024", "date: 2024-02-01", "provisions: ET 55", "---"]
BODY = ["Sentencia sobre un despido", "El despido es nulo."]
ARTICLES = [
    "Convenio colectivo de hostelería",
    *(
        line
        for number in range(1, 5)
        for line in (f"Artículo {number}. Asunto {'abcd'[number - 1]}.", f"Texto {number}.")
    ),
]


def docx_of(lines):
    document, written = docx.Document(), io.BytesIO()
    for line in lines:
        document.add_paragraph(line)
    document.save(written)
    return written.getvalue()


FORMATS = {
    "pdf": lambda lines: pdf_of([lines]),
    "docx": docx_of,
    "html": lambda lines: "".join(f"<p>{line}</p>" for line in lines).encode(),
    "txt": lambda lines: "\n".join(lines).encode("cp1252"),
    "md": lambda lines: "\n\n".join(lines).encode(),
}


@pytest.fixture
def read(tmp_path):
    """Writes files (the first is the document, the rest beside it) and reads the document."""

    def read(name, data, **beside):
        (tmp_path / name).write_bytes(data)
        for suffix, text in beside.items():
            (tmp_path / suffix.replace("_", ".")).write_text(text, encoding="utf-8")
        return read_document(tmp_path / name)

    return read


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_ruling_with_its_header_in_every_format(read, suffix):
    found = read(f"despido.{suffix}", FORMATS[suffix](HEADER + BODY))
    assert isinstance(found, Document)
    assert (found.id, found.collection, found.kind) == ("sentencia-sts-123-2024-2024-02-01", "sentencias", "sentencia")
    assert (found.author, found.number, found.published) == ("Tribunal Supremo", "STS 123/2024", "2024-02-01")
    assert found.interprets == ((ET, "art:55"),)
    assert found.title == "Sentencia sobre un despido"
    assert "court" not in found.pages[0].paragraphs[0]
    assert found.pages[0].number == (1 if suffix == "pdf" else None)
    assert " ".join(found.pages[0].paragraphs) == " ".join(BODY)


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_agreement_is_a_law_in_every_format(read, suffix):
    found = read(f"hostelería.{suffix}", FORMATS[suffix](ARTICLES), hostelería_yaml="url: https://x.es/a")
    assert isinstance(found, Law)
    assert re.fullmatch("hosteleria-[0-9a-f]{8}", found.id)
    assert (found.collection, found.rank) == ("documentos", "convenio")
    assert (found.title, found.status, found.published) == ("Convenio colectivo de hostelería", "in_force", "")
    assert [one.key for one in found.provisions] == ["preambulo", "art:1", "art:2", "art:3", "art:4"]
    assert [one.text for one in found.provisions[1:]] == ["Texto 1.", "Texto 2.", "Texto 3.", "Texto 4."]
    assert {one.url for one in found.provisions} == {"https://x.es/a" + ("#page=1" if suffix == "pdf" else "")}


def test_sidecar_header_takes_precedence_over_the_block(read):
    found = read("a.txt", FORMATS["txt"](HEADER + BODY), a_txt_yaml="body: INSS\nid: criterio-1\ntitle: Otro")
    assert (found.id, found.collection, found.kind) == ("criterio-1", "criterios_inss", "criterio")
    assert (found.author, found.number, found.interprets, found.title) == ("INSS", "", (), "Otro")
    assert found.pages[0].paragraphs == ("Sentencia sobre un despido", "El despido es nulo.")


def test_header_fields_of_an_agreement(read):
    given = "title: Ley de prueba\nterritory: Galicia\ncollection: mias\ndate: 2024-01-02\nstatus_note: Ojo\nid: ley-1"
    found = read("a.txt", FORMATS["txt"](ARTICLES), a_yaml=given)
    assert (found.id, found.title, found.rank, found.collection) == ("ley-1", "Ley de prueba", "ley", "mias")
    assert (found.territory, found.published) == ("Galicia", "2024-01-02")
    assert {one.status_note for one in found.provisions} == {"Ojo"}


@pytest.mark.parametrize("header", ["type: ruling", "body: INSS", "provisions: ET 38"])
def test_doctrine_that_quotes_articles_is_no_law(read, header):
    assert isinstance(read("a.txt", FORMATS["txt"](ARTICLES), a_yaml=header), Document)


@pytest.mark.parametrize(("header", "kind"), [("type: law", "convenio"), ("kind: acuerdo", "acuerdo")])
def test_the_kind_of_a_structured_text(read, header, kind):
    assert read("a.txt", FORMATS["txt"](ARTICLES), a_yaml=header).rank == kind


def test_ecli_takes_precedence_as_id(read):
    found = read("a.txt", b"Texto.", a_yaml="ecli: ecli:es:ts:2024:123\nid: otra\nnumber: 1")
    assert (found.id, found.ecli, found.collection) == ("ECLI:ES:TS:2024:123", "ECLI:ES:TS:2024:123", "sentencias")


def test_id_without_a_header_is_made_of_name_and_text(tmp_path):
    def id_of(folder, name, text):
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return read_document(path).id

    first = id_of("2023", "sentencia.txt", "El despido es nulo.")
    assert re.fullmatch("sentencia-[0-9a-f]{8}", first)
    assert id_of("otra", "sentencia.txt", "El despido es nulo.") == first
    assert id_of("2024", "sentencia.txt", "El despido es procedente.") != first


def test_title_comes_from_the_file_if_the_first_paragraph_is_long(read):
    assert read("mi_guía-laboral.txt", b"palabra " * 40).title == "mi guía laboral"


@pytest.mark.parametrize("name", ["a.md", "a.markdown", "A.MD"])
def test_markdown_with_an_identifier_is_an_official_law(read, name):
    front = "identifier: BOE-A-2099-1\ntitle: Ley X\npublication_date: 2099-01-01"
    found = read(name, f"---\n{front}\n---\n\n##### Artículo 1. Uno\n\nTexto.\n".encode())
    assert isinstance(found, Law)
    assert (found.id, found.collection, [one.key for one in found.provisions]) == (
        "BOE-A-2099-1",
        "normativa",
        ["art:1"],
    )


@pytest.mark.parametrize(("name", "data"), [("a.markdown", b"## Hola\n\nMundo."), ("a.xhtml", b"<h1>Hola</h1>Mundo.")])
def test_the_longer_names_of_formats(read, name, data):
    assert read(name, data).pages[0].paragraphs == ("Hola", "Mundo.")


@pytest.mark.parametrize("name", ["a.rtf", "a", "a.doc", "a.xml"])
def test_unknown_format_lists_the_known_ones(read, name):
    with pytest.raises(InvalidInput, match=r"formatos posibles son \.pdf, \.docx, \.odt"):
        read(name, b"x")


def test_header_without_text_is_refused(read):
    with pytest.raises(InvalidInput, match="no contiene texto"):
        read("a.txt", FORMATS["txt"](HEADER))


def test_a_broken_header_names_its_file(read):
    with pytest.raises(InvalidInput, match=r"a\.txt», el campo «corte»"):
        read("a.txt", b"---\ncorte: TS\n---\nTexto.")
    with pytest.raises(InvalidInput, match=r"a\.yaml» no es YAML"):
        read("a.txt", b"Texto.", a_yaml="title: a: b")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Sentencia Nº 5 (año 2024)", "sentencia-no-5-ano-2024"), ("__A__b", "a-b")],
)
def test_slugs_are_ascii(name, expected):
    assert slug(name) == expected


@given(st.text(min_size=1, max_size=20))
def test_slugs_do_not_depend_on_how_accents_are_composed(name):
    made = slug(name)
    assert made == slug(unicodedata.normalize("NFD", name)) == slug(unicodedata.normalize("NFC", name))
    assert made
    assert made.isascii()


def test_names_in_other_alphabets_stay_apart():
    assert len({slug("文書 1"), slug("書文 1"), slug("1"), slug("¿?"), slug("!!")}) == 5
