"""Word documents: text that Word shows is read, any other text is left out and counted."""

from pathlib import Path

import docx
import pytest

from articulado.ingestion.files.formats import docx as word
from articulado.ingestion.files.reader import read_brief
from articulado.ingestion.model import FileText
from articulado.values.errors import InvalidInput
from tests.support.word import paragraph, run, word_of

COUNTED = "Se han dejado fuera 7 caracteres que no se ven (texto oculto, del color del fondo o diminuto)."
WHITE = '<w:color w:val="FFFFFF"/>'
STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"/>'
    '<w:style w:type="character" w:styleId="Oculto"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Tachado"><w:rPr><w:strike/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Viejo"><w:rPr><w:dstrike/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Hijo"><w:basedOn w:val="Oculto"/></w:style>'
    f'<w:style w:type="paragraph" w:styleId="Blanco"><w:rPr>{WHITE}</w:rPr></w:style>'
    '<w:style w:type="table" w:styleId="Oscura"><w:tblStylePr w:type="firstRow"><w:tcPr>'
    '<w:shd w:val="clear" w:fill="1F3864"/></w:tcPr></w:tblStylePr></w:style>'
)


@pytest.fixture
def read(tmp_path: Path):
    def read_body(body: str, **parts: str) -> FileText:
        (tmp_path / "a.docx").write_bytes(word_of(body, **parts))
        return word.read(tmp_path / "a.docx")

    return read_body


def cell(text: str, properties: str = "", of_run: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(run(text, of_run))}</w:tc>"


def table(*rows: str, properties: str = "") -> str:
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


HIDDEN = {
    "vanish": run("secreto", "<w:vanish/>"),
    "style": run("secreto", '<w:rStyle w:val="Oculto"/>'),
    "style-of-style": run("secreto", '<w:rStyle w:val="Hijo"/>'),
    "white": run("secreto", WHITE),
    "nearly-white": run("secreto", '<w:color w:val="FCFCFC"/>'),
    "black-on-black": run("secreto", '<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>'),
    "marked-in-its-colour": run("secreto", '<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>'),
    "one-point": run("secreto", '<w:sz w:val="2"/>'),
    "no-fill": run("secreto", "<w14:textFill><w14:noFill/></w14:textFill>"),
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_invisible_text_is_left_out_and_counted(read, hidden: str) -> None:
    content = read(paragraph(run("Se paga "), hidden, run("cada mes.")), styles=STYLES)
    assert content.pages[0].paragraphs == ("Se paga cada mes.",)
    assert content.warnings == (COUNTED,)


STRUCK = {
    "single": run("secreto ", "<w:strike/>"),
    "double": run("secreto ", "<w:dstrike/>"),
    "switched-on": run("secreto ", '<w:strike w:val="true"/>'),
    "style": run("secreto ", '<w:rStyle w:val="Tachado"/>'),
    "several-runs": run("sec", "<w:strike/>") + run("reto ", "<w:dstrike/><w:b/>"),
    "inserted": f'<w:ins w:id="1">{run("secreto ", "<w:strike/>")}</w:ins>',
    "with-its-blanks": run("secreto", "<w:strike/>") + run(" ", "<w:strike/>"),
}
STRUCK_COUNTED = "Se han dejado fuera 7 caracteres de texto tachado."


@pytest.mark.parametrize("struck", STRUCK.values(), ids=STRUCK)
def test_struck_through_text_is_left_out_and_reported(read, tmp_path: Path, struck: str) -> None:
    content = read(paragraph(run("Se paga "), struck, run("cada mes.")), styles=STYLES)
    assert content.pages[0].paragraphs == ("Se paga cada mes.",)
    assert content.warnings == (STRUCK_COUNTED,)
    brief = read_brief(tmp_path / "a.docx")
    assert [each.text.split() for each in brief.paragraphs] == [["Se", "paga", "cada", "mes."]]
    assert brief.warnings == content.warnings


def test_a_paragraph_cell_or_blank_that_is_struck_through_parts_what_is_around_it(read) -> None:
    style = '<w:pStyle w:val="Viejo"/>'
    body = paragraph(run("Uno"), run(" de ", "<w:strike/>"), run("dos.")) + paragraph(run("Nada."), properties=style)
    body += table(row(cell("Plus"), cell("210", "", "<w:strike/>")), row(cell("Paga"), cell("245")))
    content = read(body, styles=STYLES)
    assert content.pages[0].paragraphs == ("Uno dos.", "Plus\nPaga | 245")
    assert content.warnings == ("Se han dejado fuera 10 caracteres de texto tachado.",)


def test_an_item_that_is_struck_through_keeps_its_number(tmp_path: Path) -> None:
    document = docx.Document()
    for text in ("Uno.", "Dos.", "Tres."):
        document.add_paragraph(text, style="List Number").runs[0].font.strike = text == "Dos."
    document.save(str(tmp_path / "a.docx"))
    assert word.read(tmp_path / "a.docx").pages[0].paragraphs == ("1. Uno.", "3. Tres.")


SEEN = {
    "line-off": run("visto", '<w:rStyle w:val="Tachado"/><w:strike w:val="0"/>'),
    "vanish-off": run("visto", '<w:rStyle w:val="Oculto"/><w:vanish w:val="0"/>'),
    "white-on-dark": run("visto", f'{WHITE}<w:shd w:val="clear" w:fill="1F3864"/>'),
    "yellow": run("visto", '<w:color w:val="FFFF00"/>'),
    "automatic": run("visto", '<w:color w:val="auto"/><w:shd w:val="clear" w:fill="000000"/>'),
    "small": run("visto", '<w:sz w:val="10"/>'),
}


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_visible_text_is_read(read, seen: str) -> None:
    content = read(paragraph(run("Bien "), seen), styles=STYLES)
    assert (content.pages[0].paragraphs, content.warnings) == (("Bien visto",), ())


def test_white_text_of_a_style_and_lines_without_height(read) -> None:
    thin = '<w:spacing w:line="10" w:lineRule="exact"/>'
    body = paragraph(run("Uno."), properties='<w:pStyle w:val="Blanco"/>') + paragraph(run("Dos."), properties=thin)
    content = read(body + paragraph(run("Tres.")), styles=STYLES)
    assert content.pages[0].paragraphs == ("Tres.",)
    assert "8 caracteres" in content.warnings[0]


def test_white_heads_of_tables_are_read_and_hidden_rows_are_not(read) -> None:
    dark = '<w:shd w:val="clear" w:fill="1F3864"/>'
    rows = [
        row(cell("Puesto", dark, WHITE), cell("Euros", dark, WHITE)),
        row(cell("Guarda"), cell("1.100")),
        row(cell("Nadie"), cell("1"), properties="<w:hidden/>"),
        row(cell("Nadie"), cell("2"), properties='<w:trHeight w:val="10" w:hRule="exact"/>'),
    ]
    assert read(table(*rows)).pages[0].paragraphs == ("Puesto | Euros\nGuarda | 1.100",)
    by_style = [row(cell("Puesto", "", WHITE), cell("Euros", "", WHITE)), row(cell("Guarda"), cell("1.100"))]
    styled = table(*by_style, properties='<w:tblStyle w:val="Oscura"/>')
    assert read(styled, styles=STYLES).pages[0].paragraphs == ("Puesto | Euros\nGuarda | 1.100",)


def test_deletions_are_counted_apart_from_hidden_text(read) -> None:
    deleted = '<w:del w:id="1"><w:r><w:delText>veintidós</w:delText></w:r></w:del>'
    deleted += f'<w:moveFrom w:id="2">{run("no")}</w:moveFrom>'
    rows = table(row(cell("a"), cell("b")), row(cell("c"), cell("d"), properties='<w:del w:id="3"/>'))
    content = read(paragraph(run("Son "), deleted, f'<w:ins w:id="4">{run("treinta")}</w:ins>') + rows)
    assert content.pages[0].paragraphs == ("Son treinta", "a | b")
    assert content.warnings == ("Se han dejado fuera 13 caracteres suprimidos con el control de cambios.",)


def test_a_document_whose_text_is_all_hidden_is_refused_with_the_reason(read, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no contiene texto.* 7 caracteres que no se ven"):
        read(paragraph(run("secreto", "<w:vanish/>")))
    with pytest.raises(InvalidInput, match=r"no contiene texto.* 7 caracteres que no se ven"):
        read_brief(tmp_path / "a.docx")


def test_comments_are_reported_and_left_out(read) -> None:
    note = f'<w:comment w:id="0">{paragraph(run("¿Seguro?"))}</w:comment>'
    content = read(paragraph(run("Son treinta.")), comments=note)
    assert content.pages[0].paragraphs == ("Son treinta.",)
    assert content.warnings == ("No se ha leído 1 comentario, que no es parte del texto.",)


def box(checked: str) -> str:
    return (
        f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{checked}"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent>{run('☐')}</w:sdtContent></w:sdt>"
    )


def form(data: str, shown: str = "") -> str:
    kinds = ("begin", "separate", "end")
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in kinds)
    begin = begin.replace("/></w:r>", f"><w:ffData>{data}</w:ffData></w:fldChar></w:r>")
    return begin + (separate + shown if shown else "") + end


TICKED = {
    "control": box("1"),
    "field": form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'),
    "field-by-default": form('<w:checkBox><w:default w:val="1"/></w:checkBox>'),
    "symbol": '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>',
    "letter-of-a-font": run("þ", '<w:rFonts w:ascii="Wingdings"/>'),
    "character": run("☒"),
}
UNTICKED = {
    "control": box("0"),
    "field": form('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>'),
    "symbol": '<w:r><w:sym w:font="Wingdings 2" w:char="F0A3"/></w:r>',
    "letter-of-a-font": run("¨", '<w:rFonts w:ascii="Wingdings"/>'),
    "character": run("☐"),
}


@pytest.mark.parametrize("ticked", TICKED.values(), ids=TICKED)
def test_a_ticked_box_stands_before_its_label(read, ticked: str) -> None:
    assert read(paragraph(ticked, run(" Temporal"))).pages[0].paragraphs == ("[x] Temporal",)


@pytest.mark.parametrize("unticked", UNTICKED.values(), ids=UNTICKED)
def test_an_empty_box_stands_before_its_label(read, unticked: str) -> None:
    assert read(paragraph(unticked, run(" Temporal"))).pages[0].paragraphs == ("[ ] Temporal",)


def test_fields_of_forms_and_controls_anywhere_have_their_values(read) -> None:
    entries = '<w:listEntry w:val="40 horas"/><w:listEntry w:val="31 horas"/>'
    chosen = form(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>', run("31 horas"))
    typed = form('<w:textInput><w:default w:val="…"/></w:textInput>', run("Ana Soto"))
    body = paragraph(run("Jornada: "), chosen) + paragraph(run("Nombre: "), typed)
    control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>"
    body += control.format(paragraph(run("En bloque.")))
    body += table(control.format(row(cell("Puesto"), control.format(cell("Guarda")))))
    assert read(body).pages[0].paragraphs == ("Jornada: 31 horas", "Nombre: Ana Soto", "En bloque.", "Puesto | Guarda")


def control_of(content: str, properties: str = "<w:showingPlcHdr/>") -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


HINT = run("Haga clic aquí para escribir texto.")
PERIOD = paragraph(run("Prueba: "))
UNFILLED = {
    "in-a-line": paragraph(run("Prueba: "), control_of(HINT)),
    "list": paragraph(run("Prueba: "), control_of(HINT, "<w:dropDownList/><w:showingPlcHdr w:val='1'/>")),
    "date-in-two-runs": paragraph(
        run("Prueba: "), control_of(run("Elija una ") + run("fecha."), "<w:date/><w:showingPlcHdr/>")
    ),
    "block": PERIOD + control_of(paragraph(HINT)),
    "inside-of-another": PERIOD + control_of(paragraph(control_of(HINT)), "<w:alias w:val='a'/>"),
    "cell": table(row(cell("Prueba:"), control_of(f"<w:tc><w:tcPr/>{paragraph(HINT)}</w:tc>"))),
}


@pytest.mark.parametrize("unfilled", UNFILLED.values(), ids=UNFILLED)
def test_placeholder_of_a_control_is_no_value_and_is_reported(read, tmp_path: Path, unfilled: str) -> None:
    content = read(unfilled)
    assert content.pages[0].paragraphs == ("Prueba:",)
    assert content.warnings == ("Hay 1 campo sin rellenar, cuyo texto de ayuda no se ha leído.",)
    brief = read_brief(tmp_path / "a.docx")
    assert [each.text.strip() for each in brief.paragraphs] == ["Prueba:"]
    assert brief.warnings == content.warnings


def test_a_control_that_is_filled_in_keeps_its_value(read) -> None:
    filled = [control_of(run("dos"), "<w:showingPlcHdr w:val='0'/>"), control_of(run(" meses"), "")]
    content = read(paragraph(run("Prueba: "), *filled, box("1")))
    assert (content.pages[0].paragraphs, content.warnings) == (("Prueba: dos meses[x]",), ())


RAISED = '<w:vertAlign w:val="superscript"/>'


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([run("Son 320"), run("1", RAISED), run(" horas.")], "Son 320 (1) horas."),
        ([run("Son 25 m"), run("2", RAISED), run(".")], "Son 25 m²."),
        ([run("Son 2"), run("3", RAISED)], "Son 2^3"),
        ([run("El plus"), run("2", RAISED), run(", si")], "El plus (2), si"),
        ([run("El 1"), run("o", RAISED), run(" de mayo")], "El 1º de mayo"),
        ([run("CO"), run("2", '<w:vertAlign w:val="subscript"/>')], "CO2"),
        ([run("10"), run("–6", RAISED)], "10^(–6)"),
    ],
)
def test_superscripts_do_not_run_into_numbers(read, runs: list[str], text: str) -> None:
    assert read(paragraph(*runs)).pages[0].paragraphs == (text,)


def test_marks_of_notes_stand_apart_and_before_the_notes(read) -> None:
    notes = f'<w:footnote w:id="7">{paragraph(run("Sin pagas."))}</w:footnote>'
    reference = '<w:r><w:rPr/><w:footnoteReference w:id="7"/></w:r>'
    content = read(paragraph(run("Cobra 1.320"), reference, run(" euros.")), footnotes=notes)
    assert content.pages[0].paragraphs == ("Cobra 1.320 (1) euros.", "(1) Sin pagas.")
    typed = [paragraph(run("Son 5"), run("3", RAISED), run(" días.")), paragraph(run("3", RAISED), run("Hábiles."))]
    assert read("".join(typed)).pages[0].paragraphs == ("Son 5 (3) días.", "(3) Hábiles.")


EQUATION = (
    "<m:oMath><m:r><m:t>I = </m:t></m:r><m:f><m:num><m:r><m:t>a + b</m:t></m:r></m:num>"
    "<m:den><m:r><m:t>360</m:t></m:r></m:den></m:f></m:oMath>"
)
IMAGE = (
    '<w:r><w:drawing><wp:inline><wp:extent cx="990000" cy="360000"/><wp:docPr id="1" name="x"/>{}</wp:inline>'
    "</w:drawing></w:r>"
)
MARK = "[imagen con texto que no se ha podido leer]"
FORMULA = "[fórmula que no se ha podido leer]"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (EQUATION, "I = (a + b)/360"),
        (f"<m:oMathPara>{EQUATION}</m:oMathPara>", "I = (a + b)/360"),
        ("<m:oMath/>", FORMULA),
        ('<w:r><w:object><o:OLEObject ProgID="Equation.DSMT4"/></w:object></w:r>', FORMULA),
        ('<w:r><w:object><o:OLEObject ProgID="Excel.Sheet.12"/></w:object></w:r>', "[tabla que no se ha podido leer]"),
        ("<w:r><w:instrText> EQ \\f(1;2) </w:instrText></w:r>", FORMULA),
        (IMAGE.format(""), MARK),
        ('<w:r><w:pict><v:shape><v:imagedata r:id="x"/></v:shape></w:pict></w:r>', MARK),
        (IMAGE.format("").replace("990000", "90000").replace("360000", "90000"), ""),
        (IMAGE.format("<a:graphic><a:graphicData><wps:wsp/></a:graphicData></a:graphic>"), ""),
        ('<w:r><w:pict><v:rect o:hr="t"/></w:pict></w:r>', ""),
    ],
)
def test_equations_are_text_and_pictures_leave_a_mark(read, content: str, text: str) -> None:
    read_text = read(paragraph(run("Así: "), content, run(" fin.")))
    assert read_text.pages[0].paragraphs == (f"Así: {text} fin.".replace("  ", " "),)
    assert bool(read_text.warnings) == text.startswith("[")


PICTURE = '<w:r><w:pict><v:shape><v:imagedata r:id="x"/></v:shape></w:pict></w:r>'


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (
            paragraph(run("Art. 38 ET: "), run("treinta", "<w:vanish/>"), EQUATION, IMAGE.format(""), run(" días.")),
            [f"Art. 38 ET: I = (a + b)/360{MARK} días."],
        ),
        (paragraph(run("La fórmula:")) + paragraph(IMAGE.format("")), ["La fórmula:", MARK]),
        (paragraph(run("Dice «"), PICTURE, run("».")), [f"Dice «{MARK}»."]),
        (table(row(f"<w:tc><w:tcPr/>{paragraph(IMAGE.format(''))}</w:tc>", cell("Mes"))), [MARK, "Mes"]),
        (
            paragraph(run("Son "), '<w:r><w:object><o:OLEObject ProgID="Equation.3"/></w:object></w:r>'),
            [f"Son {FORMULA}"],
        ),
        (paragraph(run("Son "), f'<w:ins w:id="1">{PICTURE}</w:ins>'), [f"Son {MARK}"]),
        (paragraph(run("Son 30"), "<w:r><w:drawing><wp:inline/></w:drawing></w:r>"), [f"Son 30{MARK}"]),
    ],
)
def test_brief_has_the_same_marks_and_warnings_as_an_ingest(read, tmp_path: Path, body: str, texts: list[str]) -> None:
    ingested = read(body)
    brief = read_brief(tmp_path / "a.docx")
    assert [each.text for each in brief.paragraphs] == texts
    assert brief.warnings == ingested.warnings
    assert "no se ha podido leer" in brief.warnings[-1]


def test_a_picture_is_never_struck_through(read) -> None:
    content = read(paragraph(run("Así: "), IMAGE.format("").replace("<w:r>", "<w:r><w:rPr><w:strike/></w:rPr>")))
    assert content.pages[0].paragraphs == (f"Así: {MARK}",)


def test_headers_and_footers_of_pages_are_told(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Son treinta días.")
    document.sections[0].header.paragraphs[0].text = "Borrador"
    document.sections[0].footer.paragraphs[0].text = "Pie"
    document.save(str(tmp_path / "a.docx"))
    content = word.read(tmp_path / "a.docx")
    assert content.pages[0].paragraphs == ("Son treinta días.",)
    assert content.warnings == ("No se han leído los encabezados y pies de página (11 caracteres).",)
    assert read_brief(tmp_path / "a.docx").warnings == content.warnings


def test_a_document_without_properties_has_no_title_of_its_own(read) -> None:
    assert read(paragraph(run("Pacto."))).title == ""
