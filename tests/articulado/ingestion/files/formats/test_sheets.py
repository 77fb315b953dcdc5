"""Spreadsheets: cells are read as they are shown, wherever they are; hidden ones are left out and counted."""

import io
import re
import zipfile
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.styles.colors import Color
from openpyxl.worksheet.table import Table
from PIL import Image as Picture
from support.paths import REPOSITORY

from articulado.ingestion.files.formats import xlsx
from articulado.ingestion.model import FileText
from articulado.language.formats import shown_value

TRIALS = REPOSITORY.parent / "shared" / "trials"


@pytest.fixture
def book() -> Workbook:
    book = Workbook()
    book.active.title = "Tablas"
    for row in (("Puesto", "Mes", "Año"), ("Guarda", 1100, 15400), ("Pastor", 1000, 14000)):
        book.active.append(row)
    return book


@pytest.fixture
def read(tmp_path: Path):
    def read_book(book: Workbook, change=lambda name, data: data) -> FileText:
        written = io.BytesIO()
        book.save(written)
        with zipfile.ZipFile(written) as old, zipfile.ZipFile(tmp_path / "a.xlsx", "w") as new:
            for name in old.namelist():
                new.writestr(name, change(name, old.read(name)))
        return xlsx.read(tmp_path / "a.xlsx")

    return read_book


WHOLE = "Tablas\nPuesto | Mes | Año\nGuarda | 1100 | 15400\nPastor | 1000 | 14000"


@pytest.mark.parametrize("stated", ["A1", "A1:B2", "A1:XFD1048576", "C3:C3", ""])
def test_cells_are_read_whatever_extent_the_sheet_states(book: Workbook, read, stated: str) -> None:
    def change(name: str, data: bytes) -> bytes:
        dimension = f'<dimension ref="{stated}"/>'.encode() if stated else b""
        return re.sub(rb"<dimension[^>]*/>", dimension, data) if "sheet1" in name else data

    assert read(book, change).pages[0].paragraphs == (WHOLE,)


@pytest.mark.parametrize(
    "name", ["d01_dimension_falsa", "mas_d01_area_corta", "mas_d01_area_enorme", "mas_d01_sin_area"]
)
def test_sheets_with_wrong_dimensions_are_read_whole(name: str) -> None:
    if not TRIALS.exists():
        pytest.skip("the inputs that failed elsewhere are not beside the checkout")
    lines = xlsx.read(TRIALS / f"{name}.xlsx").pages[0].paragraphs[0].split("\n")
    assert lines[1:] == [
        "Puesto | Salario mes | Salario año",
        "Delineante | 1.733,29 € | 24.266,06 €",
        "Auxiliar | 1.391,47 € | 19.480,58 €",
        "Peón | 1.288,15 € | 18.034,10 €",
    ]


def hide_row(book: Workbook) -> None:
    book.active.append(("Nadie", 1, 2))
    book.active.row_dimensions[4].hidden = True


def hide_column(book: Workbook) -> None:
    book.active["D2"] = "Nadie 12"
    book.active.column_dimensions["D"].hidden = True


def hide_columns_together(book: Workbook) -> None:
    book.active["E1"], book.active["F2"] = "Nadie", "12"
    book.active.column_dimensions.group("D", "G", hidden=True)


def hide_sheet(book: Workbook) -> None:
    book.create_sheet("Oculta").append(("Nadie", 12))
    book["Oculta"].sheet_state = "hidden"


def hide_sheet_well(book: Workbook) -> None:
    hide_sheet(book)
    book["Oculta"].sheet_state = "veryHidden"


def white(book: Workbook) -> None:
    book.active["A5"] = "Nadie 12"
    book.active["A5"].font = Font(color="FFFFFF")


def white_of_theme(book: Workbook) -> None:
    book.active["A5"] = "Nadie 12"
    book.active["A5"].font = Font(color=Color(theme=0))


def in_its_fill(book: Workbook) -> None:
    book.active["A5"] = "Nadie 12"
    book.active["A5"].font = Font(color="1F3864")
    book.active["A5"].fill = PatternFill("solid", fgColor="1F3864")


def tiny(book: Workbook) -> None:
    book.active["A5"] = "Nadie 12"
    book.active["A5"].font = Font(size=1)


def format_that_shows_nothing(book: Workbook) -> None:
    book.active["A5"] = 12345678
    book.active["A5"].number_format = ";;;"


@pytest.mark.parametrize(
    "hide",
    [
        hide_row, hide_column, hide_columns_together, hide_sheet, hide_sheet_well,
        white, white_of_theme, in_its_fill, tiny, format_that_shows_nothing,
    ],
)  # fmt: skip
def test_hidden_cells_are_left_out_and_counted(book: Workbook, read, hide) -> None:
    hide(book)
    content = read(book)
    assert content.pages[0].paragraphs == (WHOLE,)
    assert re.fullmatch(r"Se han dejado fuera [789] caracteres que no se ven .*", content.warnings[0])


def test_white_heads_on_dark_and_in_tables_are_read(book: Workbook, read) -> None:
    for column in "ABC":
        book.active[f"{column}1"].font = Font(color="FFFFFF")
    book.active["A1"].fill = book.active["B1"].fill = PatternFill("solid", fgColor="1F3864")
    book.active.add_table(Table(displayName="T", ref="A1:C3"))
    content = read(book)
    assert (content.pages[0].paragraphs, content.warnings) == ((WHOLE,), ())


def test_empty_row_separates_tables_and_hidden_row_does_not(book: Workbook, read) -> None:
    book.active.insert_rows(3)
    book.active.row_dimensions[3].hidden = True
    assert read(book).pages[0].paragraphs == (WHOLE,)
    book.active.row_dimensions[3].hidden = False
    assert len(read(book).pages[0].paragraphs) == 2


def test_a_merged_cell_is_in_each_of_its_rows_and_once_in_its_columns(read) -> None:
    book = Workbook()
    book.active.title = "Hoja"
    for row in (("Grupo", "Puesto", "Mes"), ("I", "Guarda", 1100), (None, "Pastor", 1000), ("Para todos", None, 900)):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.merge_cells("A4:B4")
    (text,) = read(book).pages[0].paragraphs
    assert text == "Hoja\nGrupo | Puesto | Mes\nI | Guarda | 1100\nI | Pastor | 1000\nPara todos |  | 900"


def test_formula_without_a_value_is_a_gap(book: Workbook, read) -> None:
    book.active["C2"] = "=B2*14"
    book.active["C3"] = '=""'

    def change(name: str, data: bytes) -> bytes:
        if "sheet1" not in name:
            return data
        return data.replace(b'<c r="C3"><f>""</f>', b'<c r="C3" t="str"><f>""</f>')

    content = read(book, change)
    assert "Guarda | 1100 | [celda sin valor calculado: Tablas!C2]" in content.pages[0].paragraphs[0]
    assert "C3" not in content.pages[0].paragraphs[0]
    (warning,) = content.warnings
    assert "celda sin valor calculado: Tablas!C2" in warning


TITLE = "Tablas salariales de Nortia, S.L."


def merged(area: str):
    return lambda sheet: sheet.merge_cells(area)


def in_font(**values):
    return lambda sheet: setattr(sheet["A1"], "font", Font(**values))


def centred(sheet) -> None:
    sheet["A1"].alignment = Alignment(horizontal="centerContinuous")


def below_empty_rows(sheet) -> None:
    sheet.merge_cells("A1:C1")
    sheet.move_range("A1:C4", rows=2, cols=1)
    sheet.merged_cells.ranges.clear()
    sheet.merge_cells("B3:D3")


def above_a_subtitle(sheet) -> None:
    sheet.merge_cells("A1:C1")
    sheet.insert_rows(2)
    sheet["A2"] = "Efectos desde el 1 de enero"
    sheet.merge_cells("A2:C2")


def with_a_hidden_sheet_before(sheet) -> None:
    sheet.merge_cells("A1:C1")
    sheet.parent.create_sheet("Notas", 0).append(["Borrador de las tablas", "x"])
    sheet.parent["Notas"].sheet_state = "hidden"


@pytest.mark.parametrize(
    "change",
    [
        merged("A1:C1"),
        merged("A1:B1"),
        merged("A1:H1"),
        in_font(b=True),
        in_font(sz=14),
        centred,
        below_empty_rows,
        above_a_subtitle,
        with_a_hidden_sheet_before,
    ],
)
def test_the_text_across_the_top_is_the_title_of_the_file(book: Workbook, read, change) -> None:
    book.active.insert_rows(1)
    book.active["A1"] = TITLE
    book.properties.title = "Plantilla"
    change(book.active)
    content = read(book)
    assert content.title == TITLE
    assert TITLE in content.pages[0].paragraphs[0]


@pytest.mark.parametrize(
    ("place", "text", "area"),
    [
        ("B1", "Salario", "B1:C1"),
        ("A1", "Importes", ""),
        ("A1", "2026", "A1:C1"),
        ("A1", "palabra " * 40, "A1:C1"),
        ("C1", "Euros", ""),
    ],
)
def test_other_texts_at_the_top_are_no_title(book: Workbook, read, place: str, text: str, area: str) -> None:
    book.active.insert_rows(1)
    book.active[place] = text
    if area:
        book.active.merge_cells(area)
    book.properties.title = "Tablas de Nortia"
    assert read(book).title == "Tablas de Nortia"


@pytest.mark.parametrize(
    ("cell", "value", "whole"),
    [
        ("C2", None, WHOLE.replace(" | 15400", "")),
        ("B3", None, WHOLE.replace("1000", "")),
        ("B2", ("900", " 1100"), WHOLE),
        ("A3", ("Perro", " Pastor"), WHOLE),
        ("C1", ("Mes", " Año"), WHOLE),
    ],
)
def test_struck_through_cells_are_left_out_and_reported(book: Workbook, read, cell: str, value, whole: str) -> None:
    struck = value[0] if value else str(book.active[cell].value)
    if value is None:
        book.active[cell].font = Font(strike=True)
    else:
        book.active[cell] = CellRichText(TextBlock(InlineFont(strike=True), value[0]), value[1])
    content = read(book)
    assert content.pages[0].paragraphs == (whole,)
    assert content.warnings == (f"Se han dejado fuera {len(struck)} caracteres de texto tachado.",)


def test_comments_are_reported_and_pictures_marked(book: Workbook, read, tmp_path: Path) -> None:
    Picture.new("RGB", (80, 40)).save(tmp_path / "a.png")
    book.active.add_image(Image(str(tmp_path / "a.png")), "E2")
    book.active["A1"].comment = Comment("¿Seguro?", "Ana")
    content = read(book)
    assert content.pages[0].paragraphs == (WHOLE, "[imagen con texto que no se ha podido leer: Tablas!E2]")
    assert "1 comentario" in content.warnings[0]


SHAPES = (
    '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor><xdr:sp><xdr:txBody>'
    "<a:p><a:r><a:t>En un</a:t></a:r><a:r><a:t> cuadro.</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>"
    "</xdr:wsDr>"
)
CONTROLS = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">'
    '<v:shape><v:textbox><div><font>Temporal</font></div></v:textbox><x:ClientData ObjectType="Checkbox"><x:Checked>1'
    "</x:Checked></x:ClientData></v:shape><v:shape><v:textbox><div><font>Fijo<br></font></div></v:textbox>"
    '<x:ClientData ObjectType="Checkbox"></x:ClientData></v:shape>'
    '<v:shape><v:textbox>¿Seguro?</v:textbox><x:ClientData ObjectType="Note"/></v:shape></xml>'
)


@pytest.mark.parametrize("state", ["visible", "hidden"])
def test_texts_of_shapes_and_ticked_boxes_follow_the_table_of_their_sheet(
    book: Workbook, tmp_path: Path, state
) -> None:
    other = book.create_sheet("Otra")
    other.sheet_state = state
    other["A1"] = "Nada."
    written = io.BytesIO()
    book.save(written)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package_names = "http://schemas.openxmlformats.org/package/2006/relationships"
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{kind}/{name}" Target="../drawings/{file}"/>'
        for number, (name, file) in enumerate((("drawing", "drawing1.xml"), ("vmlDrawing", "vmlDrawing1.vml")))
    )
    with zipfile.ZipFile(written, "a") as package:
        package.writestr("xl/drawings/drawing1.xml", SHAPES)
        package.writestr("xl/drawings/vmlDrawing1.vml", CONTROLS)
        package.writestr(
            "xl/worksheets/_rels/sheet2.xml.rels",
            f'<Relationships xmlns="{package_names}">{relations}</Relationships>',
        )
    (tmp_path / "a.xlsx").write_bytes(written.getvalue())
    content = xlsx.read(tmp_path / "a.xlsx")
    drawn = ("Otra: Nada.", "En un cuadro.", "[x] Temporal", "[ ] Fijo") if state == "visible" else ()
    assert content.pages[0].paragraphs == (WHOLE, *drawn)
    assert bool(content.warnings) == (state == "hidden")


def test_a_superscript_in_a_cell_is_set_apart(book: Workbook, read) -> None:
    book.active["A2"] = CellRichText("Son 320", TextBlock(InlineFont(vertAlign="superscript"), "1"), " horas")
    assert "Son 320 (1) horas | 1100" in read(book).pages[0].paragraphs[0]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1450.2, '#,##0.00\\ "€"', "1.450,20 €"),
        (1450.2, "#,##0.00\\ [$€-C0A];[Red]\\-#,##0.00\\ [$€-C0A]", "1.450,20 €"),
        (-3, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', "-3,00 €"),
        (0, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', "- €"),
        (0.035, "0.0%", "3,5 %"),
        (0.035, "General", "0,035"),
        (7.5, "General", "7,5"),
        (0.1 + 0.2, "General", "0,3"),
        (2025, "General", "2025"),
        (1234567, "#,##0", "1.234.567"),
        (-7.5, "0.00;(0.00)", "(7,50)"),
        (8001, "00000", "08001"),
        (12500, "0.0,", "12,5"),
        (320, '0" días"', "320 días"),
        (7, ";;;", ""),
        (0, "0;-0;", ""),
        (True, "General", "sí"),
        ("II", '"Nivel "@', "Nivel II"),
        (datetime(2026, 3, 1), "dd/mm/yyyy", "01/03/2026"),
        (datetime(2026, 3, 1), "mm-dd-yy", "01/03/2026"),
        (datetime(2026, 3, 1), '[$-C0A]d\\ "de"\\ mmmm\\ "de"\\ yyyy;@', "1 de marzo de 2026"),
        (datetime(2026, 3, 1), "mmmm yyyy", "marzo de 2026"),
        (datetime(2026, 3, 1, 8, 30), "dd/mm/yyyy hh:mm", "01/03/2026 8:30 h"),
        (time(8, 30), "h:mm", "8:30 h"),
        (timedelta(hours=37, minutes=30), "[h]:mm", "37:30 h"),
    ],
)  # fmt: skip
def test_values_are_written_in_spanish_format(value: object, form: str, text: str) -> None:
    assert shown_value(value, form) == text
