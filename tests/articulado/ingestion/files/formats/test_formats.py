import io
import re

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from support.pdf import pdf_of, scanned_pdf

from articulado.ingestion.files.formats import docx as word
from articulado.ingestion.files.formats import html, pdf, plain
from articulado.ingestion.files.formats.lines import clean, rebuilt_paragraphs, width_of
from articulado.values.errors import InvalidInput

READERS = {
    "a.pdf": pdf.read,
    "a.docx": word.read,
    "a.html": html.read,
    "a.txt": plain.read,
    "a.md": plain.read_markdown,
}
SPANISH = "El trabajador percibirá una indemnización de 33 días por año; ¿según qué artículo 5.º?"


@pytest.fixture
def read(tmp_path):
    """Reads bytes as a file of a name."""

    def read(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return READERS[name](path).pages

    return read


def only(pages):
    (page,) = pages
    assert page.number is None
    return page.paragraphs


# Plain text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "cp850", "mac_roman"])
def test_plain_text_in_every_usual_encoding(read, encoding):
    assert only(read("a.txt", SPANISH.encode(encoding))) == (SPANISH,)


@pytest.mark.parametrize(
    "data",
    [
        SPANISH.encode("utf-8") + "ñ".encode("cp1252"),
        "Это русский текст".encode("koi8-r"),
        b"\xff\xfe\x00",
        b"a\0b",
    ],
)
def test_unknown_encoding_is_refused(read, data):
    with pytest.raises(InvalidInput, match="UTF-8"):
        read("a.txt", data)


def test_lines_are_joined_to_paragraphs_and_broken_words_made_whole(read):
    text = (
        "FUNDAMENTOS DE DERECHO\n"
        "Primero. La sentencia recurrida declaró que la trabaja-\n"
        "dora fija-\n"
        "discontinua tenía derecho conforme al Real Decreto-\n"
        "ley 32/2021 y al artículo\n"
        "15 del Estatuto de los Trabajadores.\n"
        "a) La primera letra de esta lista, que es bastante larga;\n"
        "b) la segunda.\n"
        "\n"
        "Otro párrafo."
    )
    assert only(read("a.txt", text.encode())) == (
        "FUNDAMENTOS DE DERECHO",
        "Primero. La sentencia recurrida declaró que la trabajadora fija-discontinua tenía derecho conforme al Real "
        "Decreto-ley 32/2021 y al artículo 15 del Estatuto de los Trabajadores.",
        "a) La primera letra de esta lista, que es bastante larga;",
        "b) la segunda.",
        "Otro párrafo.",
    )


def test_a_word_keeps_the_hyphen_that_it_has_elsewhere_in_the_text(read):
    line = "Se aportó un informe médico-legal que cada perito redactó por su cuenta, y el médico-\n"
    assert only(read("a.txt", (line + "legal fue el único que cono-\ncía el caso.").encode())) == (
        "Se aportó un informe médico-legal que cada perito redactó por su cuenta, y el médico-legal fue el único que "
        "conocía el caso.",
    )


def test_a_heading_of_an_article_begins_a_paragraph_and_a_mention_does_not():
    lines = [
        "Convenio colectivo de la empresa de transportes y de sus filiales",
        "Artículo 1. Ámbito",
        "Este convenio se aplica a todos, salvo a los que cita el",
        "Artículo 2. Y a nadie más que a ellos.",
    ]
    assert rebuilt_paragraphs(lines, width_of(lines)) == [
        "Convenio colectivo de la empresa de transportes y de sus filiales",
        "Artículo 1. Ámbito",
        "Este convenio se aplica a todos, salvo a los que cita el Artículo 2. Y a nadie más que a ellos.",
    ]


@given(st.lists(st.text(alphabet="abA1.;)- á", max_size=30), max_size=12))
def test_paragraphs_lose_nothing_but_blanks_and_hyphens(lines):
    cleaned = [clean(line) for line in lines]
    found = rebuilt_paragraphs(cleaned, width_of(cleaned))
    assert re.sub(r"[\s-]", "", "".join(found)) == re.sub(r"[\s-]", "", "".join(lines))


def test_lines_lose_controls_ligatures_and_soft_hyphens():
    assert clean("  la\u00a0o\ufb01cina\u200b \u00adco\u00adti\x07za  ") == "la oficina cotiza"


# PDF


def test_pages_of_a_pdf_keep_their_numbers(read):
    pages = read("a.pdf", pdf_of([["Primera página: años, «días» y 5.º (ojo)."], [], ["Tercera."]]))
    assert [(page.number, page.paragraphs) for page in pages] == [
        (1, ("Primera página: años, «días» y 5.º (ojo).",)),
        (2, ()),
        (3, ("Tercera.",)),
    ]


def test_running_heads_feet_and_page_numbers_go_and_the_text_stays(read):
    words = ["uno", "dos", "tres", "cuatro", "cinco"]
    lines = [
        [
            "BOLETÍN OFICIAL",
            f"Núm. 255 Lunes 4 Pág. {100_223 + number}",
            f"Texto {word}.",
            f"Nivel {number}",
            f"{number}",
        ]
        for number, word in enumerate(words, 1)
    ]
    pages = read("a.pdf", pdf_of(lines))
    assert [page.paragraphs[0] for page in pages] == [f"Texto {word}." for word in words]
    assert all("BOLETÍN" not in one and "Pág." not in one for page in pages for one in page.paragraphs)


def test_headings_of_articles_at_the_top_of_every_page_stay(read):
    pages = read("a.pdf", pdf_of([[f"Artículo {number}.", f"Texto {'abc'[number]}."] for number in range(3)]))
    assert [page.paragraphs[0] for page in pages] == ["Artículo 0.", "Artículo 1.", "Artículo 2."]


def test_rows_that_differ_in_their_amounts_are_no_running_heads(read):
    rows = [
        [f"Grupo {number} {number * 7},50", f"Es lo que percibe quien trabaja {number * 3}"] for number in range(1, 5)
    ]
    pages = read("a.pdf", pdf_of(rows))
    assert [page.paragraphs[0] for page in pages] == [row[0] for row in rows]


@pytest.mark.parametrize(("count", "said"), [(1, "1 página"), (3, "3 páginas")])
def test_scanned_pdf_is_reported(read, count, said):
    with pytest.raises(InvalidInput, match=rf"PDF escaneado, sin capa de texto \({said}\): páselo por un OCR"):
        read("a.pdf", scanned_pdf(count))


def test_scan_with_only_stamps_is_reported(read):
    with pytest.raises(InvalidInput, match="escaneado"):
        read("a.pdf", pdf_of([["Documento firmado electrónicamente", f"Página {page} de 4"] for page in range(1, 5)]))


def encrypted(password):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of([["Secreto."]]))))
    writer.encrypt(user_password=password, owner_password="dueño", algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_a_pdf_that_is_only_protected_from_changes_is_read(read):
    assert read("a.pdf", encrypted(""))[0].paragraphs == ("Secreto.",)


def test_pdf_with_a_password_is_reported(read):
    with pytest.raises(InvalidInput, match="cifrado con contraseña"):
        read("a.pdf", encrypted("clave"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"%PDF-1.4\nbasura", "dañado"),
        (pdf_of([["Uno."]])[:200], "dañado"),
        (pdf_of([]), "ninguna página"),
        (b"hola", "extensión «.pdf», pero no lo es"),
        (b"PK\x03\x04hola", "extensión «.pdf», pero es un documento de Office"),
        (b" \n", "está vacío"),
    ],
)
def test_damaged_pdfs_are_reported(read, data, message):
    with pytest.raises(InvalidInput, match=message):
        read("a.pdf", data)


# HTML

PAGE = """<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE html><html><head><title>No</title>
<meta charset="iso-8859-1"><style>no</style></head><body><nav>no</nav><!-- no --><script>no()</script>
<h1>Convenio <b>colect</b>ivo</h1><p>Año<br>uno &amp; dos</p>suelto
<ol start="3"><li>Tres</li><li><p>Cuatro</p></li></ol><ol type="a"><li>letra</li><li>b) con marca</li></ol>
<table><caption>Tabla</caption><tr><th rowspan="2">Grupo</th><th colspan="2">Salario</th></tr>
<tr><td>Mes</td><td>Año</td></tr><tr><td>I</td><td>1.000,00</td><td><p>14.000</p></td></tr></table>
<table><tr><td><p>Maqueta</p><p>sin datos</p></td></tr></table><pre>Línea
partida</pre></body></html>"""


def test_html_gives_a_paragraph_a_block_and_tables_row_by_row(read):
    assert only(read("a.html", PAGE.encode("cp1252"))) == (
        "Convenio colectivo",
        "Año",
        "uno & dos",
        "suelto",
        "3. Tres",
        "4. Cuatro",
        "a) letra",
        "b) con marca",
        "Tabla\nGrupo | Salario – Mes | Salario – Año\nI | 1.000,00 | 14.000",
        "Maqueta",
        "sin datos",
        "Línea partida",
    )


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig"])
def test_html_with_a_wrong_encoding_declaration(read, encoding):
    assert only(read("a.html", f"<p>{SPANISH}</p>".encode(encoding))) == (SPANISH,)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Sede | Portal</title><h1>Portal</h1><main><h1>Permiso por<br>nacimiento</h1></main>", "nacimiento"),
        ("<title>Otro</title><header><h1>Portal</h1></header><h1> </h1><h1>Permiso por nacimiento</h1>", "nacimiento"),
        ("<title>Permiso por nacimiento | Portal</title><p>Texto.</p>", "nacimiento"),
        ("<title>Real Decreto-ley 1/2099 - Permiso por nacimiento - Portal</title><p>Texto.</p>", "nacimiento"),
        ("<p>Texto.</p>", ""),
    ],
)
def test_html_title_is_the_heading_or_the_title_without_the_site_name(tmp_path, page, title):
    (tmp_path / "a.html").write_text(page if "<p>" in page else page + "<p>Texto.</p>", encoding="utf-8")
    read_title = html.read(tmp_path / "a.html").title
    assert read_title.endswith(f"Permiso por {title}" if title else "")
    assert "Portal" not in read_title
    assert bool(read_title) is bool(title)


def test_html_too_deep_or_empty_is_refused(read):
    with pytest.raises(InvalidInput, match="unos dentro de otros"):
        read("a.html", b"<div>" * 5000 + b"x")
    with pytest.raises(InvalidInput, match="no contiene texto"):
        read("a.html", b"<script>x()</script>")


# Word


@pytest.fixture
def document():
    return docx.Document()


def saved(document):
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def test_word_gives_paragraphs_and_tables_in_order(read, document):
    document.add_heading("Título\nen dos líneas", 1)
    document.add_paragraph("Antes\nde la tabla")
    table = document.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Grupo"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Salario"
    table.cell(1, 1).text, table.cell(1, 2).text = "Mes", "Año"
    document.add_table(1, 1).cell(0, 0).text = "Un recuadro"
    document.add_paragraph("Después")
    assert only(read("a.docx", saved(document))) == (
        "Título en dos líneas",
        "Antes",
        "de la tabla",
        "Grupo | Salario\nGrupo | Mes | Año",
        "Un recuadro",
        "Después",
    )


def test_numbers_that_word_computes_are_written(read, document):
    for text in ("Uno", "Dos"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("Viñeta", style="List Bullet")
    numbering = document.part.numbering_part.element
    levels = [("decimal", "Artículo %1."), ("lowerLetter", "%2)"), ("upperRoman", "%1.%3")]
    abstract = parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90"/>')
    for level, (form, shown) in enumerate(levels):
        abstract.append(
            parse_xml(
                f'<w:lvl {nsdecls("w")} w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
                f'<w:lvlText w:val="{shown}"/></w:lvl>'
            )
        )
    numbering.insert(0, abstract)
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    for text, level in [("Ámbito", 0), ("uno", 1), ("dos", 1), ("tres", 2), ("Vigencia", 0), ("otra", 1)]:
        properties = document.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_numId().val, properties.get_or_add_ilvl().val = 90, level
    assert only(read("a.docx", saved(document))) == (
        "1. Uno",
        "2. Dos",
        "Viñeta",
        "Artículo 1. Ámbito",
        "a) uno",
        "b) dos",
        "1.I tres",
        "Artículo 2. Vigencia",
        "a) otra",
    )


def test_tracked_changes_content_controls_and_links_are_read_as_word_shows_them(read, document):
    body = document.element.body
    run = "<w:r><w:t>{}</w:t></w:r>"
    body.insert(
        0,
        parse_xml(
            f"<w:p {nsdecls('w')}>{run.format('El ')}<w:ins>{run.format('nuevo ')}</w:ins>"
            "<w:del><w:r><w:delText>viejo </w:delText></w:r></w:del>"
            f"<w:moveFrom>{run.format('movido ')}</w:moveFrom>"
            f"<w:hyperlink>{run.format('texto')}</w:hyperlink></w:p>"
        ),
    )
    body.insert(
        1,
        parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p>{run.format('Dentro')}</w:p></w:sdtContent></w:sdt>"),
    )
    assert only(read("a.docx", saved(document))) == ("El nuevo texto", "Dentro")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"hola", "extensión «.docx», pero no lo es"),
        (pdf_of([["Uno."]]), "extensión «.docx», pero es un PDF"),
        (b"PK\x03\x04hola", "dañado"),
        (saved(docx.Document())[:2000], "dañado"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "contraseña o es un documento de Word antiguo"),
        (saved(docx.Document()), "no contiene texto"),
        (b"", "está vacío"),
    ],
)
def test_damaged_word_documents_are_reported(read, data, message):
    with pytest.raises(InvalidInput, match=message):
        read("a.docx", data)


# Markdown


def test_markdown_without_its_marks(read):
    written = (
        "---\ntitle: X\n---\n# Título\n\nUn **texto** que\nsigue con [enlace](https://x.es).\n\n- uno\n  y medio\n"
        "- dos\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n***\n> cita"
    )
    assert only(read("a.md", written.encode())) == (
        "---",
        "title: X",
        "---",
        "Título",
        "Un texto que sigue con enlace.",
        "- uno y medio",
        "- dos",
        "A | B\n1 | 2",
        "cita",
    )


# All of them


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.md"])
def test_binary_content_in_a_text_file_is_reported(read, name):
    with pytest.raises(InvalidInput, match="pero es un PDF"):
        read(name, pdf_of([["Uno."]]))


@pytest.mark.parametrize("name", READERS)
def test_missing_files_are_reported(tmp_path, name):
    with pytest.raises(InvalidInput, match="no se puede leer: no existe"):
        READERS[name](tmp_path / name)
