"""Reading a brief: every paragraph with what its check needs of the layout."""

from pathlib import Path

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.shared import Cm

from articulado.ingestion.files.reader import read_brief
from articulado.values.errors import InvalidInput
from tests.support.pdf import pdf_of, scanned_pdf

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NOTE = f'<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:t>Art. 24 CE.</w:t></w:r></w:p></w:footnote></w:footnotes>'


def test_word_with_italics_indentation_tables_and_notes(tmp_path: Path) -> None:
    document = docx.Document()
    first = document.add_paragraph("Dice: ")
    for piece in ("una cita", " en cursiva"):
        first.add_run(piece).italic = True
    first.add_run(", y más.")
    first._p.append(parse_xml(f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>'))
    document.add_paragraph("")
    document.add_paragraph("Sangrado.").paragraph_format.left_indent = Cm(1.5)
    document.add_table(rows=1, cols=1).rows[0].cells[0].text = "Celda."
    document.add_paragraph("Una cita.", style="Quote")
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, NOTE.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    document.save(str(tmp_path / "a.docx"))

    read = read_brief(tmp_path / "a.docx").paragraphs
    assert [(p.text, p.place, p.is_set_off) for p in read] == [
        ("Dice: una cita en cursiva, y más.", 0, False),
        ("Sangrado.", 2, True),
        ("Celda.", 3, False),
        ("Una cita.", 4, True),
        ("Art. 24 CE.", 0, False),
    ]
    ((start, end),) = read[0].italics
    assert read[0].text[start:end] == "una cita en cursiva"


def test_a_pdf_has_pages(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf_of([["Uno."], ["Dos."]]))
    assert [(p.text, p.page) for p in read_brief(tmp_path / "a.pdf").paragraphs] == [("Uno.", 1), ("Dos.", 2)]


def test_markdown_keeps_its_marks(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Uno\nDos\n*tres*\n\n> cuatro\n> cinco\n", encoding="utf-8")
    assert [p.text for p in read_brief(tmp_path / "a.md").paragraphs] == ["# Uno", "Dos\n*tres*", "> cuatro\n> cinco"]


@pytest.mark.parametrize(
    ("name", "data"), [("a.pdf", scanned_pdf(1)), ("a.doc", b"x"), ("a.docx", b"x"), ("b.txt", b"")]
)
def test_what_cannot_be_read(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput):
        read_brief(tmp_path / name)
    with pytest.raises(InvalidInput, match="No existe"):
        read_brief(tmp_path / "nada.pdf")
