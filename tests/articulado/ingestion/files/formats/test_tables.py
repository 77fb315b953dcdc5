"""Tables keep their rows and columns, whatever format they stand in."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from support.pdf import drawn_pdf, partly_scanned_pdf

from articulado.ingestion.files.formats import odt, pdf, xlsx
from articulado.ingestion.files.formats.source import table_of
from articulado.values.errors import InvalidInput

CELLS = st.text(alphabet="ab |\n1,.", max_size=8)
HEAD = ("Puesto", "Salario base", "Total anual")
ROWS = (("Guarda", "1.100,50", "15.407,00"), ("Pastor", "1.020,00", "14.280,00"), ("Podador", "990,10", "13.861,40"))
TABLE = "\n".join(" | ".join(row) for row in (HEAD, *ROWS))
COLUMNS = (60, 220, 340, 460)
"""Where the columns begin, and the last one ends, in points."""


@pytest.fixture
def paragraphs(tmp_path):
    """Reads the bytes of a PDF as the paragraphs of each page."""

    def read(data):
        (tmp_path / "a.pdf").write_bytes(data)
        return [list(page.paragraphs) for page in pdf.read(tmp_path / "a.pdf").pages]

    return read


def rows_at(top, rows, columns=COLUMNS):
    return [
        (x + 4, top - 20 * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(columns, row, strict=False)
        if cell
    ]


def grid_at(top, count, columns=COLUMNS):
    """Return the rules around so many rows of 20 points, the text of the first of which stands at ``top``."""
    bottom = top - 20 * count + 14
    across = [(columns[0], top + 14 - 20 * row, columns[-1], top + 14 - 20 * row) for row in range(count + 1)]
    return across + [(x, top + 14, x, bottom) for x in columns]


# Any table


@given(st.lists(st.lists(CELLS, max_size=4), max_size=5))
def test_a_table_loses_no_word_and_has_no_empty_line(rows):
    text = table_of(rows).text()
    words = {word for row in rows for cell in row for word in cell.replace("|", "/").split()}
    assert set(text.replace(" – ", " ").replace(" | ", " ").split()) - {"|"} == words
    assert "\n\n" not in f"\n{text}\n" or not text


@given(st.lists(st.tuples(*[st.sampled_from(["1,10", "2.000,00 €", "3 %"])] * 2), min_size=1, max_size=4))
def test_amounts_stand_below_the_names_of_their_columns(amounts):
    rows = [["Puesto", "Mes | base", "Año\ntotal"], *([f"P{number}", *row] for number, row in enumerate(amounts))]
    head, *lines = [line.split(" | ") for line in table_of(rows).text().split("\n")]
    assert head == ["Puesto", "Mes / base", "Año total"]
    assert [tuple(line[1:]) for line in lines] == amounts


def test_spanning_names_and_group_names_are_repeated():
    rows = [
        ["Tabla de 2025", "", ""],
        ["Puesto", "Salario", ""],
        ["", "Mes", "Año"],
        ["Grupo I", "", ""],
        ["Guarda", "1.100", "15.400"],
        ["Grupo II", "", ""],
        ["Pastor", "1.000", "14.000"],
    ]
    assert table_of(rows).text() == (
        "Tabla de 2025\nPuesto | Salario – Mes | Salario – Año\nGrupo I – Guarda | 1.100 | 15.400\n"
        "Grupo II – Pastor | 1.000 | 14.000"
    )


def test_name_spanning_rows_is_repeated_in_each():
    over_rows = [["Grupo", "Puesto", "Mes"], ["1", "Guarda", "1.100"], ["", "Pastor", "1.000"], ["2", "Mozo", "900"]]
    assert table_of(over_rows).text() == "Grupo | Puesto | Mes\n1 | Guarda | 1.100\n1 | Pastor | 1.000\n2 | Mozo | 900"
    above_rows = [["Grupo", "Puesto", "Mes"], ["Campo", "", ""], ["", "Guarda", "1.100"], ["", "Pastor", "1.000"]]
    assert table_of(above_rows).text() == "Grupo | Puesto | Mes\nCampo | Guarda | 1.100\nCampo | Pastor | 1.000"


# PDF


def test_a_table_between_rules_stands_between_the_text_around_it_and_once(paragraphs):
    around = [(60, 780, "Los salarios son estos."), (60, 600, "Se pagan cada mes.")]
    (page,) = paragraphs(drawn_pdf([[around[0], *grid_at(740, 4), *rows_at(740, (HEAD, *ROWS)), around[1]]]))
    assert page == ["Los salarios son estos.", TABLE, "Se pagan cada mes."]


def test_cells_over_several_columns_and_lines_between_rules(paragraphs):
    columns = (60, 200, 320, 440)
    rows = (("Puesto", "Salario"), ("", "Mes", "Año"), ("Guarda", "1.100,50", "15.407,00"))
    rules = [rule for rule in grid_at(740, 3, columns) if rule not in ((320, 754, 320, 694), (60, 734, 440, 734))]
    rules += [(320, 734, 320, 694), (200, 734, 440, 734)]
    (page,) = paragraphs(drawn_pdf([[*rules, *rows_at(740, rows, columns), (64, 694.5, "de noche")]]))
    assert page == ["Puesto | Salario – Mes | Salario – Año\nGuarda de noche | 1.100,50 | 15.407,00"]


def test_table_without_rules_is_found_by_its_columns(paragraphs):
    text = [(60, 780, "Los salarios de este convenio, en euros y por jornada completa, son los siguientes.")]
    (page,) = paragraphs(drawn_pdf([[*text, *rows_at(740, (HEAD, *ROWS)), (60, 600, "Se pagan cada mes.")]]))
    assert page == [text[0][2], TABLE, "Se pagan cada mes."]


def test_names_of_two_lines_and_names_above_two_columns_without_rules(paragraphs):
    drawn = [
        (252, 760, "Salario"),
        *rows_at(740, [("Puesto", "Mes", "Año")]),
        *rows_at(715, [("Guarda de la", "1.100,50", "15.407,00")]),
        (64, 704, "finca"),
        *rows_at(680, [("Pastor", "1.020,00", "14.280,00")]),
        *rows_at(655, [("Podador", "990,10", "13.861,40")]),
        (412, 760, "Plus"),
        *[(x, y, cell) for y, cell in ((740, "Día"), (715, "3,10"), (680, "2,20"), (655, "2,30")) for x in (404,)],
        *[(x, y, cell) for y, cell in ((740, "Hora"), (715, "1,10"), (680, "1,20"), (655, "1,30")) for x in (444,)],
    ]
    shifted = [(x if x < 300 or x > 400 else x - 50, y, text) for x, y, text in drawn]
    (page,) = paragraphs(drawn_pdf([shifted]))
    head, first, *_ = page[0].split("\n")
    assert head == "Puesto | Salario – Mes | Salario – Año | Plus – Día | Plus – Hora"
    assert first == "Guarda de la finca | 1.100,50 | 15.407,00 | 3,10 | 1,10"


def test_text_beside_a_table_is_no_part_of_it(paragraphs):
    columns = (300, 400, 500)
    beside = [(60, 745 - 12 * number, f"línea {word} del texto") for number, word in enumerate("abcdefg")]
    rows = rows_at(740, [row[:2] for row in (HEAD, *ROWS)], columns)
    (page,) = paragraphs(drawn_pdf([[*beside, *rows]]))
    assert page[-1] == "\n".join(" | ".join(row[:2]) for row in (HEAD, *ROWS))
    assert " ".join(page[:-1]) == " ".join(text for _, _, text in beside)


def test_head_is_repeated_when_a_table_continues_on_the_next_page(paragraphs):
    first = [*grid_at(740, 4), *rows_at(740, (HEAD, *ROWS))]
    second = [
        *grid_at(740, 3),
        *rows_at(740, (("Vareador", "980,00", "13.720,00"), ("Capataz", "1.3,00", "18,00"), ROWS[0])),
    ]
    pages = paragraphs(drawn_pdf([first, second]))
    assert pages[1][0].startswith("Puesto | Salario base | Total anual\nVareador | 980,00 | 13.720,00\n")


def test_running_heads_go_from_pages_with_tables_too(paragraphs):
    words = ("uno", "dos", "tres", "cuatro")
    edges = [
        [(60, 800, "BOLETÍN OFICIAL"), (500, 800, f"Pág. {page}"), (60, 780, f"Texto {words[page]}.")]
        for page in range(4)
    ]
    edges[2] += [*grid_at(740, 4), *rows_at(740, (HEAD, *ROWS))]
    assert paragraphs(drawn_pdf(edges)) == [["Texto uno."], ["Texto dos."], ["Texto tres.", TABLE], ["Texto cuatro."]]


def test_text_in_lines_with_amounts_is_no_table(paragraphs):
    lines = [
        (60, 780 - 14 * number, f"La cuantía de {number}00,00 euros se abonará en el mes {number} del año.")
        for number in range(1, 6)
    ]
    (page,) = paragraphs(drawn_pdf([lines]))
    assert not any("|" in paragraph for paragraph in page)


def test_pages_that_are_images_are_named_and_the_others_keep_their_numbers(tmp_path):
    (tmp_path / "a.pdf").write_bytes(partly_scanned_pdf([["Uno."], ["Dos."], [], ["Cuatro."], [], [], []]))
    text = pdf.read(tmp_path / "a.pdf")
    assert text.pages[3] == type(text.pages[0])(4, ("Cuatro.",))
    (warning,) = text.warnings
    assert "páginas: 3, 5–7." in warning
    assert "no está en el índice" in warning


# Spreadsheets


def book():
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "Salarios 2025"
    for row in (HEAD, ("Guarda", 1100.5, 15407), ("Pastor", 1020, 14280)):
        sheet.append(row)
    for row in (2, 3):
        sheet[f"B{row}"].number_format = sheet[f"C{row}"].number_format = "#,##0.00"
    hidden = workbook.create_sheet("Oculta")
    hidden.sheet_state = "hidden"
    hidden.append(["no"])
    written = io.BytesIO()
    workbook.save(written)
    return written.getvalue()


def test_a_sheet_is_a_table_below_its_name_with_amounts_as_in_spain(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(book())
    (page,) = xlsx.read(tmp_path / "a.xlsx").pages
    assert page.number is None
    assert page.paragraphs == (
        "Salarios 2025\nPuesto | Salario base | Total anual\n"
        "Guarda | 1.100,50 | 15.407,00\nPastor | 1.020,00 | 14.280,00",
    )


# OpenDocument

ODT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>'
    "<text:h>Convenio<text:s/>de guardas</text:h><text:p>Uno<text:line-break/>dos "
    "<text:span>tres</text:span>"
    "<text:note><text:note-body><text:p>Una nota.</text:p></text:note-body></text:note></text:p>"
    "<text:list><text:list-item><text:p>a) letra</text:p></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>Puesto</text:p></table:table-cell>"
    '<table:table-cell table:number-columns-spanned="2"><text:p>Salario</text:p></table:table-cell>'
    "<table:covered-table-cell/></table:table-row><table:table-row><table:table-cell/>"
    "<table:table-cell><text:p>Mes</text:p></table:table-cell><table:table-cell><text:p>Año</text:p></table:table-cell>"
    "</table:table-row><table:table-row><table:table-cell><text:p>Guarda</text:p></table:table-cell>"
    "<table:table-cell><text:p>1.100</text:p></table:table-cell><table:table-cell><text:p>15.400</text:p></table:table-cell>"
    "</table:table-row></table:table></office:text></office:body></office:document-content>"
)


def test_an_open_document_gives_paragraphs_tables_and_notes(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as package:
        package.writestr("content.xml", ODT)
    (page,) = odt.read(tmp_path / "a.odt").pages
    assert page.paragraphs == (
        "Convenio de guardas",
        "Uno",
        "dos tres",
        "a) letra",
        "Puesto | Salario – Mes | Salario – Año\nGuarda | 1.100 | 15.400",
        "Una nota.",
    )


def test_a_table_in_a_cell_of_an_open_document_is_text_of_that_cell_alone(tmp_path):
    def row(*cells: str) -> str:
        inside = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
        return f"<table:table-row>{inside}</table:table-row>"

    inner = f"<table:table>{row('<text:p>Mes</text:p>', '<text:p>1.100</text:p>')}</table:table>"
    names = row("<text:p>Puesto</text:p>", "<text:p>Salario</text:p>")
    head = f"<table:table-header-rows>{names}</table:table-header-rows>"
    start, end = ODT.index("<text:h>"), ODT.index("</office:text>")
    table = f"<table:table>{head}{row('<text:p>Guarda</text:p>', inner)}</table:table>"
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as package:
        package.writestr("content.xml", ODT[:start] + table + ODT[end:])
    (page,) = odt.read(tmp_path / "a.odt").pages
    assert page.paragraphs == ("Puesto | Salario\nGuarda | Mes / 1.100",)


@pytest.mark.parametrize(("reader", "name"), [(xlsx, "a.xlsx"), (odt, "a.odt")])
@pytest.mark.parametrize(("data", "said"), [(b"PK\x03\x04hola", "dañad"), (b"hola", "pero no lo es"), (b"", "vacío")])
def test_damaged_office_files_are_reported(tmp_path, reader, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput, match=said):
        reader.read(tmp_path / name)
