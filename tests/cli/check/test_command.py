"""``articulado check`` over an index of one small law: Word, PDF and Markdown, comments, statuses and messages."""

import json
from pathlib import Path

import docx
import pytest
from docx.shared import Cm
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from articulado.verification.briefs.passages import BriefReport
from cli.main import run

LAW = """---
title: "Estatuto de los Trabajadores"
identifier: "BOE-A-2015-11430"
rank: "real_decreto_legislativo"
publication_date: "2015-10-24"
last_updated: "2024-01-02"
---
###### Artículo 1. Ámbito.

Esta ley será de aplicación a los trabajadores que voluntariamente presten sus servicios.

###### Artículo 38. Vacaciones anuales.

1. El periodo de vacaciones anuales será el pactado en convenio colectivo o contrato individual.

2. En ningún caso la duración será inferior a treinta días naturales.
"""
ALTERED = "En ningún caso la duración será inferior a veinte días naturales."


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    (folder / "leyes").mkdir()
    (folder / "leyes" / "BOE-A-2015-11430.md").write_text(LAW, encoding="utf-8")
    assert run(["ingest", str(folder / "leyes"), "--index", str(folder / "indice"), "--without-packaged"]) == 0
    return folder


@pytest.fixture
def check(folder, capsys):
    capsys.readouterr()

    def check(name: str, *options: str) -> tuple[int, str, str]:
        status = run(["check", str(folder / name), "--index", str(folder / "indice"), *options])
        return status, *capsys.readouterr()

    return check


@pytest.fixture(scope="module")
def word(folder) -> str:
    document = docx.Document()
    document.add_paragraph("PRIMERO.- El actor percibía 1.900 euros.")
    row = document.add_table(rows=1, cols=1).rows[0]
    row.cells[0].text = "Se citan los arts. 38.1 y 512 ET."
    document.add_paragraph("El art. 38.2 ET dispone:")
    document.add_paragraph(ALTERED).paragraph_format.left_indent = Cm(2)
    quoting = document.add_paragraph("El art. 38.1 ET señala que ")
    quoting.add_run("el periodo de vacaciones anuales será el pactado en contrato individual").italic = True
    document.add_paragraph("En Madrid, a 3 de junio de 2025.")
    document.save(str(folder / "demanda.docx"))
    return "demanda.docx"


def test_a_word_document_gets_comments_at_the_places(check, word, folder) -> None:
    status, out, _ = check(word, "--docx", str(folder / "revisada.docx"), "--json")
    report = json.loads(out)
    assert (status, report["day"], report["day_origin"], report["ok"]) == (1, "2025-06-03", "brief", False)
    assert report["counts"]["citations"] == 4
    assert report.keys() == BriefReport.__annotations__.keys()
    found = [(p["number"], f["kind"], f["where"]) for p in report["paragraphs"] for f in p["findings"]]
    quoted = "el periodo de vacaciones anuales será el pactado en contrato individual"
    assert found == [
        (2, "unknown_provision", "512"),
        (4, "altered", ALTERED),
        (5, "dropped_words", quoted),
    ]
    revised = docx.Document(str(folder / "revisada.docx"))
    assert [comment.author for comment in revised.comments] == ["articulado"] * 3
    assert "«veinte días», la fuente «treinta días»" in [comment.text for comment in revised.comments][1]
    assert [p.text for p in revised.paragraphs] == [p.text for p in docx.Document(str(folder / word)).paragraphs]
    assert revised.tables[0].rows[0].cells[0].text == "Se citan los arts. 38.1 y 512 ET."
    commented = revised.tables[0].rows[0].cells[0].paragraphs[0]
    assert "512" in [run.text for run in commented.runs]


def test_a_pdf_has_pages_and_a_new_word_document_the_comments(check, folder) -> None:
    style = getSampleStyleSheet()["BodyText"]
    story = [
        Paragraph("Se invoca el artículo 38 del Estatuto de los Trabajadores.", style),
        PageBreak(),
        Paragraph(f"El art. 38.2 ET dice que «{ALTERED}»", style),
    ]
    SimpleDocTemplate(str(folder / "informe.pdf")).build(story)
    status, out, _ = check("informe.pdf", "--docx", str(folder / "informe.docx"), "--date", "2025-01-01")
    assert status == 1
    assert "Derecho vigente el 1 de enero de 2025 (la indicada con --date)." in out
    assert "Página 2, párrafo 2" in out
    assert "La ley dice: «En ningún caso la duración será inferior a treinta días naturales»" in out
    revised = docx.Document(str(folder / "informe.docx"))
    assert len(revised.paragraphs) == 2
    assert len(list(revised.comments)) == 1


def test_a_right_brief_has_no_finding(check, folder) -> None:
    text = (
        f"# Informe\n\nEl art. 38.2 ET dispone:\n\n> {ALTERED.replace('veinte', 'treinta')}\n\nVéase el art. 24 CE.\n"
    )
    (folder / "informe.md").write_text(text, encoding="utf-8")
    status, out, _ = check("informe.md")
    assert status == 0
    assert out.startswith("informe.md – Informe\n")
    assert "Sin hallazgos en lo que se ha podido comprobar; citas que no constan o no se pueden comprobar: 1." in out
    assert "Citas: 2. Confirmadas: 1. Difieren: 0. No constan: 0. Sin comprobar: 1." in out
    assert "  art. 38.2 (Estatuto de los Trabajadores): «2. En ningún caso la duración" in out
    assert "  art. 24 CE" in out


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ninguno.pdf", None, "No existe el fichero"),
        ("hoja.ods", b"x", "Formatos admitidos"),
        ("roto.docx", b"PK\x03\x04roto", "dañado"),
        ("sin.txt", b"Hola, sin citas.", "no hay nada que comprobar"),
        ("vacio.txt", b"", "vacío"),
    ],
)
def test_unreadable_briefs_are_refused(check, folder, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (folder / name).write_bytes(content)
    status, out, errors = check(name)
    assert (status, out) == (2, "")
    assert message in errors


def test_misuse_of_options(check, word, folder, tmp_path) -> None:
    assert check(word, "--docx", str(folder / word))[0] == 2
    assert check(word, "--docx", "salida.pdf")[0] == 2
    assert check(word, "--date", "mayo")[0] == 2
    status, _, errors = check(word, "--index", str(tmp_path / "nada"))
    assert status == 2
    assert "No hay ningún índice" in errors


def test_a_brief_with_a_picture_is_not_called_faultless(check, folder) -> None:
    for name, picture in (("entero.md", ""), ("imagen.md", "![](formula.png)")):
        text = f"El artículo 38.2 ET fija treinta días naturales.\n\n{picture}\n"
        (folder / name).write_text(text, encoding="utf-8")
    assert "Nada que objetar." in check("entero.md")[1]
    _, told, _ = check("imagen.md")
    assert "Nada que objetar." not in told
    assert "Sin hallazgos en lo que se ha podido leer." in told
