from pathlib import Path

import pytest

from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.files.header import header_of
from articulado.ingestion.files.structure import first_line, is_made_up, printed_title, title_of
from articulado.ingestion.model import Page
from articulado.language.formats import gap_mark


@pytest.mark.parametrize(
    ("paragraphs", "title"),
    [
        (
            ["BOLETÍN OFICIAL", "DE LA PROVINCIA DE X", "Número 64", "3 de abril de 2023", "CONVENIO COLECTIVO",
             "Y MARISQUEO DE X", "2023-2025", "CAPÍTULO I. Generales", "Artículo 1. Uno."],
            "CONVENIO COLECTIVO Y MARISQUEO DE X 2023-2025",
        ),
        (
            ["Convenio colectivo de guardas", "para los años 2024 y 2025.", "Las partes acuerdan:", "Artículo 1."],
            "Convenio colectivo de guardas para los años 2024 y 2025",
        ),
        (["Resolución por la que se publica el convenio de " + "a " * 80 + "fin.", "Visto el texto."],
         "Resolución por la que se publica el convenio de " + "a " * 80 + "fin"),
        (
            ["SECCIÓN QUINTA", "Subdirección Provincial de X", "Resolución que publica el convenio del sector",
             "GUARDAS DE LA PROVINCIA DE", "X para los años 2025 y 2026", "Visto el texto"],
            "Resolución que publica el convenio del sector GUARDAS DE LA PROVINCIA DE X para los años 2025 y "
            "2026",
        ),
        (["Convenio colectivo de la empresa", "Cestas X, S.L.", "Artículo 1. Uno."],
         "Convenio colectivo de la empresa Cestas X, S.L."),
        (["Preámbulo de algo", "Artículo 1. Uno.", "Convenio colectivo de nada"], ""),
        (["Este convenio obliga a todos"], ""),
    ],
)  # fmt: skip
def test_the_title_that_is_printed(paragraphs, title):
    assert printed_title(paragraphs) == title


def test_the_first_line_that_is_no_masthead():
    assert first_line(["BOP X, 14 de mayo", "Guía de permisos."]) == "Guía de permisos"
    assert first_line(["a " * 100]) == ""


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - Documento1",
        "Documento 2",
        "conv_final.docx",
        "  ",
        "scan 004",
        "doc1",
        "Word Document",
        "(anonymous)",
        "untitled",
        "(unspecified)",
        "/tmp/tmpa1b2c3/escrito",
        r"C:\Users\ana\AppData\Local\Temp\x",
        "tmpk3jd8",
        "file:///home/ana/convenio.html",
        "about:blank",
    ],
)
def test_titles_that_programs_make_up(title):
    assert is_made_up(title)


def test_titles_given_by_people_are_kept():
    assert not is_made_up("Documento de trabajo sobre permisos")
    assert not is_made_up("Temporalidad: guía de contratos")


@pytest.mark.parametrize(
    ("paragraphs", "title"),
    [
        ([gap_mark("recognised"), "CONTRATO DE TRABAJO TEMPORAL", "Empresa: Telares, S.L."],
         "CONTRATO DE TRABAJO TEMPORAL"),
        ([gap_mark("recognised"), f"Acuerdo de telares. {gap_mark('recognised')}", "Uno."], "Acuerdo de telares"),
        ([f"Recibo de herramientas. {gap_mark('recognised')}", "Uno."], "Recibo de herramientas"),
        ([gap_mark("image", "página 1"), "Carta de preaviso", "Uno."], "Carta de preaviso"),
        ([gap_mark("recognised"), gap_mark("table", "página 1")], "telares 2026"),
        ([gap_mark("recognised"), "a " * 100], "telares 2026"),
    ],
)  # fmt: skip
def test_a_mark_of_unread_or_recognised_content_is_never_the_title(paragraphs, title):
    text = running_text((Page(1, tuple(paragraphs)),))
    assert title_of(header_of(Path("x.pdf"), {}), text, Path("telares_2026.pdf"), "untitled") == title
