"""A PDF is read as a person sees it: hidden text is left out, fields, columns and sideways tables are read."""

import io
import shutil
from collections.abc import Callable

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Spacer, Table

from articulado.config.extras import installed
from articulado.ingestion.files.formats import added_text, pdf
from articulado.ingestion.files.formats.aligned import Word, aligned_tables
from articulado.ingestion.files.formats.layout import columns_of
from articulado.ingestion.model import FileText
from articulado.language.formats import gap_mark, gaps_in
from articulado.values.errors import InvalidInput

WIDTH, HEIGHT = A4
BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=9, leading=11, alignment=4)
SPANISH = (
    ("Artículo 1. Ámbito.", "El presente acuerdo regula las relaciones laborales de las conserveras de Soria."),
    ("Artículo 2. Vigencia.", "El acuerdo entrará en vigor el 1 de enero y finalizará el 31 de diciembre de 2028."),
    ("Artículo 3. Jornada.", "La jornada máxima anual será de 1.752 horas, que se distribuirán de lunes a viernes."),
)
OTHERS = {
    "ca": (
        ("Article 1. Àmbit.", "Aquest acord regula les relacions laborals de totes les conserveres de la província."),
        ("Article 2. Vigència.", "L'acord entrarà en vigor el dia 1 de gener i acabarà el 31 de desembre de 2028."),
        (
            "Article 3. Jornada.",
            "La jornada màxima anual serà de 1.752 hores, que es distribuiran de dilluns a divendres.",
        ),
    ),
    "eu": (
        (
            "1. artikulua. Eremua.",
            "Akordio honek probintzian lan egiten duten langile guztien harremanak arautzen ditu.",
        ),
        ("2. artikulua. Indarraldia.", "Akordioa urtarrilaren 1ean sartuko da indarrean eta abenduan amaituko da."),
        (
            "3. artikulua. Lanaldia.",
            "Urteko lanaldia 1.752 ordukoa izango da, eta astelehenetik ostiralera banatuko da.",
        ),
    ),
    "gl": (
        ("Artigo 1. Ámbito.", "O presente acordo regula as relacións laborais de todas as conserveiras da provincia."),
        ("Artigo 2. Vixencia.", "O acordo entrará en vigor o 1 de xaneiro e finalizará o 31 de decembro de 2028."),
        (
            "Artigo 3. Xornada.",
            "A xornada máxima anual será de 1.752 horas, que se distribuirán de luns a venres nas fábricas.",
        ),
    ),
}
ROWS = (
    ("Grupo", "Puesto", "Salario base", "Plus"),
    ("I", "Encargada", "1.913,37", "211,09"),
    ("II", "Hornero de noche", "1.647,53", "198,31"),
    ("III", "Repartidora", "1.402,71", "164,87"),
    ("IV", "Aprendiz", "1.102,00", "90,00"),
)
TABLE = "\n".join(" | ".join(row) for row in ROWS)
SCANNED = ("Artículo 1. Se reconoce el derecho a una indemnización", "de 12.345,67 euros, en el plazo de veinte días.")


@pytest.fixture
def read(tmp_path) -> Callable[[bytes], FileText]:
    def reading(data: bytes) -> FileText:
        (tmp_path / "a.pdf").write_bytes(data)
        return pdf.read(tmp_path / "a.pdf")

    return reading


def drawn(*pages: Callable[[Canvas], None]) -> bytes:
    """Return a PDF whose pages the functions draw, in Helvetica of 10 points."""
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=A4)
    for page in pages:
        canvas.setFont("Helvetica", 10)
        page(canvas)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def built(story: list) -> bytes:
    data = io.BytesIO()
    SimpleDocTemplate(data, pagesize=A4).build(story)
    return data.getvalue()


def texts(found: FileText) -> list[str]:
    return [paragraph for page in found.pages for paragraph in page.paragraphs]


def is_analysed(found: FileText) -> bool:
    return not any("composición" in warning for warning in found.warnings)


# Text that nobody sees


def white(canvas):
    canvas.setFillGray(1)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def nearly_white(canvas):
    canvas.setFillColorRGB(1, 1, 0.92)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def tiny(canvas):
    canvas.setFont("Helvetica", 1)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def off_the_page(canvas):
    canvas.drawString(-400, 700, "TEXTO QUE NADIE VE")


def of_no_ink(canvas):
    text = canvas.beginText(60, 700)
    text.setTextRenderMode(3)
    text.textOut("TEXTO QUE NADIE VE")
    canvas.drawText(text)


def black_on_black(canvas):
    canvas.rect(50, 690, 300, 30, fill=1)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def clipped(canvas):
    path = canvas.beginPath()
    path.rect(0, 0, 10, 10)
    canvas.clipPath(path, stroke=0)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def covered(canvas):
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")
    canvas.setFillGray(1)
    canvas.rect(50, 690, 300, 30, fill=1, stroke=0)


def covered_and_written_over(canvas):
    covered(canvas)
    canvas.setFillGray(0)
    canvas.drawString(60, 700, "Se ve otro texto.")


def white_over_black(canvas):
    canvas.drawString(60, 700, "Se ve otro texto.")
    canvas.setFillGray(1)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def transparent(canvas):
    canvas.setFillAlpha(0)
    canvas.drawString(60, 700, "TEXTO QUE NADIE VE")


def white_in_a_form(canvas):
    canvas.beginForm("form")
    white(canvas)
    canvas.endForm()
    canvas.doForm("form")


HIDING = [
    white, nearly_white, tiny, off_the_page, of_no_ink, black_on_black, clipped, covered, covered_and_written_over,
    white_over_black, transparent, white_in_a_form,
]  # fmt: skip


@pytest.mark.parametrize("hide", HIDING)
def test_invisible_text_is_left_out_and_counted_by_page(read, hide):
    def page(canvas):
        canvas.drawString(60, 740, "Texto que se ve.")
        canvas.saveState()
        hide(canvas)
        canvas.restoreState()

    found = read(drawn(lambda canvas: canvas.drawString(60, 740, "Primera página."), page))
    assert "NADIE" not in " ".join(texts(found))
    assert found.pages[1].paragraphs[0].startswith("Texto que se ve.")
    (warning,) = found.warnings
    assert "página 2, 15 letras o cifras" in warning


@pytest.mark.parametrize("colour", [(1, 0, 0), (0.8, 0.6, 0), (0.75, 0.75, 0.75), (0, 0, 1)])
def test_faint_and_coloured_text_is_read(read, colour):
    def page(canvas):
        canvas.setFillColorRGB(*colour)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(60, 700, "Letra pequeña de color, que se ve.")

    found = read(drawn(page))
    assert texts(found) == ["Letra pequeña de color, que se ve."]
    assert found.warnings == ()


def test_white_text_on_a_dark_ground_is_read(read):
    def page(canvas):
        canvas.setFillColorRGB(0.1, 0.1, 0.5)
        canvas.rect(50, 690, 400, 30, fill=1)
        canvas.setFillGray(1)
        canvas.drawString(60, 700, "Tabla salarial en blanco sobre azul")

    assert texts(read(drawn(page))) == ["Tabla salarial en blanco sobre azul"]


def test_a_hidden_layer_and_what_lies_outside_the_visible_part_are_left_out(read):
    def page(canvas):
        canvas.drawString(60, 700, "Texto visible.")
        canvas._code.append("/OC /layer BDC")
        canvas.drawString(60, 680, "CAPA")
        canvas._code.append("EMC")
        canvas.drawString(60, 20, "FUERA")

    writer = writer_of(drawn(page))
    layer = writer._add_object(
        DictionaryObject({NameObject("/Type"): NameObject("/OCG"), NameObject("/Name"): TextStringObject("x")})
    )
    writer.pages[0]["/Resources"][NameObject("/Properties")] = DictionaryObject({NameObject("/layer"): layer})
    off = DictionaryObject({NameObject("/OFF"): ArrayObject([layer])})
    writer._root_object[NameObject("/OCProperties")] = DictionaryObject(
        {NameObject("/OCGs"): ArrayObject([layer]), NameObject("/D"): off}
    )
    writer.pages[0][NameObject("/CropBox")] = ArrayObject([FloatObject(side) for side in (40, 100, 560, 800)])
    found = read(written(writer))
    assert texts(found) == ["Texto visible."]
    assert "página 1, 9 letras" in found.warnings[0]


def test_watermark_is_left_out_and_reported(read):
    def page(canvas):
        canvas.saveState()
        canvas.translate(300, 400)
        canvas.rotate(45)
        canvas.setFillGray(0.8)
        canvas.setFont("Helvetica", 60)
        canvas.drawCentredString(0, 0, "BORRADOR")
        canvas.restoreState()
        canvas.drawString(60, 700, "Texto de la página.")

    found = read(drawn(page, page))
    assert texts(found) == ["Texto de la página."] * 2
    assert "«BORRADOR»" in found.warnings[0]
    assert "páginas: 1–2" in found.warnings[0]


# Form fields and annotations


def writer_of(data: bytes) -> PdfWriter:
    return PdfWriter(clone_from=PdfReader(io.BytesIO(data)))


def written(writer: PdfWriter) -> bytes:
    data = io.BytesIO()
    writer.write(data)
    return data.getvalue()


def annotated(data: bytes, *annotations: dict) -> bytes:
    """Return a PDF with annotations on its first page; values are text, numbers, names ("/Tx") or rectangles."""

    def value(given):
        if isinstance(given, (list, tuple)):
            return ArrayObject([value(each) for each in given])
        if isinstance(given, (int, float)):
            return NumberObject(given)
        return NameObject(given) if given.startswith("/") else TextStringObject(given)

    writer = writer_of(data)
    added = []
    for annotation in annotations:
        entries = {NameObject(f"/{key}"): value(given) for key, given in annotation.items()}
        added.append(writer._add_object(DictionaryObject({NameObject("/Type"): NameObject("/Annot"), **entries})))
    writer.pages[0][NameObject("/Annots")] = ArrayObject(added)
    return written(writer)


def labelled(*lines: tuple[float, float, str]) -> bytes:
    return drawn(lambda canvas: [canvas.drawString(x, y, text) for x, y, text in lines])


def test_fields_of_every_kind_are_read_beside_their_labels(read):
    def page(canvas):
        form = canvas.acroForm
        canvas.drawString(60, 750, "D./Dña.")
        form.textfield(name="a", x=110, y=744, width=200, height=18, value="Marta Quiroga", fontSize=10)
        canvas.drawString(60, 720, "Categoría")
        form.choice(
            name="b", x=120, y=714, width=150, height=18, value="Peón", options=["Peón", "Oficial"], fontSize=10
        )
        canvas.drawString(80, 690, "Completa")
        form.checkbox(name="c", x=60, y=687, size=14, checked=False)
        canvas.drawString(250, 690, "Parcial")
        form.checkbox(name="d", x=230, y=687, size=14, checked=True)
        canvas.drawString(60, 660, "Prueba:")
        form.radio(name="e", value="si", x=160, y=657, size=14, selected=False)
        canvas.drawString(178, 660, "Sí")
        form.radio(name="e", value="no", x=210, y=657, size=14, selected=True)
        canvas.drawString(228, 660, "No")
        canvas.drawString(60, 630, "Clave")
        form.textfield(name="f", x=110, y=624, width=90, height=18, value="secreta", fieldFlags="password")

    found = read(drawn(page))
    assert texts(found) == [
        "D./Dña. Marta Quiroga", "Categoría Peón", "[ ] Completa [x] Parcial", "Prueba: [ ] Sí [x] No", "Clave",
    ]  # fmt: skip
    assert is_analysed(found)


@pytest.mark.parametrize(
    ("label", "annotation", "said"),
    [
        ("Nombre: ............", {"FT": "/Tx", "V": "Luis Ferrán"}, "Nombre: Luis Ferrán"),
        ("Nombre:____________", {"FT": "/Tx", "V": "Luis Ferrán"}, "Nombre: Luis Ferrán"),
        ("Provincia:", {"FT": "/Ch", "V": "28", "Opt": [["28", "Madrid"], ["08", "Lugo"]]}, "Provincia: Madrid"),
        ("Turnos:", {"FT": "/Ch", "V": ["Mañana", "Noche"]}, "Turnos: Mañana, Noche"),
        ("Acepta:", {"FT": "/Btn", "V": "/Si", "AS": "/Si"}, "Acepta: [x]"),
        ("Acepta:", {"FT": "/Btn", "V": "/Off", "AS": "/Off"}, "Acepta: [ ]"),
        ("Enviar:", {"FT": "/Btn", "Ff": 1 << 16, "V": "x"}, "Enviar:"),
    ],
)
def test_fields_without_an_appearance_are_read(read, label, annotation, said):
    data = annotated(labelled((60, 700, label)), {"Subtype": "/Widget", "Rect": [108, 696, 300, 712], **annotation})
    assert texts(read(data)) == [said]


def test_a_tick_beside_a_printed_box_stands_in_it(read):
    data = labelled((60, 700, "[ ] Completa   [ ] Parcial"))
    tick = {"Subtype": "/Widget", "Rect": [120, 698, 130, 708], "FT": "/Btn", "V": "/Si", "AS": "/Si"}
    assert texts(read(annotated(data, tick))) == ["[ ] Completa [x] Parcial"]


def test_symbol_fonts_give_check_boxes(read):
    def page(canvas):
        canvas.drawString(80, 700, "Indefinido")
        canvas.drawString(200, 700, "Temporal")
        canvas.setFont("ZapfDingbats", 10)
        canvas.drawString(62, 700, "❏")
        canvas.drawString(182, 700, "✔")

    assert texts(read(drawn(page))) == ["[ ] Indefinido [x] Temporal"]


def test_text_boxes_are_text_and_hidden_notes_are_left_out(read):
    data = annotated(
        labelled((60, 700, "El salario es de __________ euros.")),
        {"Subtype": "/FreeText", "Rect": [142, 696, 198, 712], "Contents": "1.850,00"},
        {"Subtype": "/Text", "Rect": [500, 675, 520, 695], "Contents": "¿Son 14 pagas?", "T": "Ana"},
        {"Subtype": "/FreeText", "Rect": [60, 600, 300, 620], "Contents": "OCULTO", "F": 2},
        {"Subtype": "/Popup", "Rect": [60, 600, 300, 620], "Contents": "REPETIDO"},
    )
    found = read(data)
    assert texts(found) == ["El salario es de 1.850,00 euros.", "[Nota de Ana sobre el PDF: ¿Son 14 pagas?]"]
    assert "ocultos" in found.warnings[0]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_fields_stay_beside_their_labels_on_turned_pages(read, rotation):
    field = {"Subtype": "/Widget", "Rect": [108, 696, 300, 712], "FT": "/Tx", "V": "Luis Ferrán"}
    writer = writer_of(annotated(labelled((60, 740, "SOLICITUD DE EMPLEO"), (60, 700, "Nombre:")), field))
    writer.pages[0][NameObject("/Rotate")] = NumberObject(rotation)
    assert texts(read(written(writer))) == ["SOLICITUD DE EMPLEO", "Nombre: Luis Ferrán"]


# Columns and languages


def in_columns(count: int, articles: int, gutter: float = 14) -> bytes:
    """Return numbered articles in so many columns below a common title, with running heads."""
    width = (WIDTH - 120 - (count - 1) * gutter) / count
    frames = [Frame(60 + n * (width + gutter), 70, width, HEIGHT - 200, 0, 0, 0, 0) for n in range(count)]
    story = [
        flowable
        for number in range(1, articles + 1)
        for flowable in (Paragraph(f"<b>Artículo {number}. Uno.</b> {SPANISH[number % 3][1]} {SPANISH[0][1]}", BODY),
                         Spacer(1, 3 + number % 4))
    ]  # fmt: skip

    def around(canvas, document):
        canvas.drawCentredString(WIDTH / 2, HEIGHT - 110, "CONVENIO COLECTIVO DE CONSERVAS")
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(60, HEIGHT - 40, "BOLETÍN OFICIAL DE LA PROVINCIA")
        canvas.drawRightString(WIDTH - 60, 35, f"Pág. {document.page}")

    data = io.BytesIO()
    BaseDocTemplate(data, pagesize=A4, pageTemplates=[PageTemplate("p", frames, onPage=around)]).build(story)
    return data.getvalue()


@pytest.mark.parametrize(("count", "articles"), [(1, 8), (2, 20), (3, 30), (4, 30)])
def test_columns_are_read_one_after_the_other(read, count, articles):
    found = read(in_columns(count, articles))
    opened = [text for text in texts(found) if text.startswith("Artículo")]
    assert [text.split(".")[0] for text in opened] == [f"Artículo {number}" for number in range(1, articles + 1)]
    whole = " ".join(texts(found))
    assert whole.count(SPANISH[0][1]) >= articles
    assert is_analysed(found)


def test_two_blocks_of_columns_below_their_titles_are_read_block_by_block(read):
    def block(canvas, top, names):
        for x, name in zip((60, 320), names, strict=True):
            for line in range(5):
                canvas.drawString(x, top - 13 * line, f"{name} {line} de un texto que llena la columna")

    def page(canvas):
        canvas.drawCentredString(WIDTH / 2, 780, "TÍTULO COMÚN DE TODO EL DOCUMENTO")
        block(canvas, 740, ("a", "b"))
        canvas.drawCentredString(WIDTH / 2, 650, "SEGUNDO TÍTULO COMÚN DEL DOCUMENTO")
        block(canvas, 610, ("c", "d"))

    said = " ".join(texts(read(drawn(page))))
    order = [said.index(f"{name} {line} de") for name in "abcd" for line in range(5)]
    assert order == sorted(order)
    assert said.index("b 4 de") < said.index("SEGUNDO") < said.index("c 0 de")


@pytest.mark.parametrize("spanish_first", [True, False])
@pytest.mark.parametrize("code", OTHERS)
def test_of_two_languages_side_by_side_the_spanish_one_is_read(read, code, spanish_first):
    story = [Paragraph("ACUERDO DE EMPRESA DE CONSERVAS EL RINCÓN, S.L.", BODY)]
    for own, other in zip(SPANISH, OTHERS[code], strict=True):
        cells = [Paragraph("<br/>".join(text), BODY) for text in (own, other)]
        top = [("VALIGN", (0, 0), (-1, -1), "TOP")]
        story.append(Table([cells if spanish_first else cells[::-1]], colWidths=[220, 220], style=top))
    found = read(built(story))
    said = " ".join(texts(found))
    assert [text for article in SPANISH for text in article if text not in said] == []
    assert [text for article in OTHERS[code] for text in article if text in said] == []
    assert "dos lenguas" in found.warnings[0]


@pytest.mark.parametrize("code", ["ca", "eu"])
def test_of_two_languages_in_turn_the_spanish_one_is_read(read, code):
    articles = [article for pair in zip(OTHERS[code], SPANISH, strict=True) for article in pair]
    paragraphs = [text for title, sentence in articles for text in (title, f"{sentence} {sentence}")]
    found = read(built([item for text in paragraphs for item in (Paragraph(text, BODY), Spacer(1, 12))]))
    assert texts(found) == [text for title, sentence in SPANISH for text in (title, f"{sentence} {sentence}")]
    assert "dos lenguas" in found.warnings[0]


@pytest.mark.parametrize("code", OTHERS)
def test_a_document_in_another_language_alone_is_read(read, code):
    found = read(built([Paragraph(text, BODY) for article in OTHERS[code] for text in article]))
    assert OTHERS[code][0][1] in " ".join(texts(found))
    assert found.warnings == ()


@given(
    st.lists(
        st.tuples(st.floats(0, 600), st.floats(0, 840), st.floats(0, 90), st.sampled_from([0.0, 8.0, 10.0, 30.0])),
        max_size=60,
    )
)
@settings(max_examples=60)
def test_no_word_is_lost_wherever_it_stands(boxes):
    words = [Word(str(number), x, y, x + w, y + h) for number, (x, y, w, h) in enumerate(boxes)]
    found = [word.text for rows, _ in columns_of(words, 842) for row in rows for word in row]
    assert sorted(found, key=int) == [word.text for word in words]
    list(aligned_tables(words))


# Tables that stand sideways


def table_at(canvas, turn: int, *, ruled: bool, place: tuple[float, float], pitch: float = 18):
    canvas.saveState()
    canvas.translate(*place)
    canvas.rotate(turn)
    columns = (0, 50, 170, 260, 360)
    for number, row in enumerate(ROWS):
        for x, cell in zip(columns, row, strict=False):
            canvas.drawString(x + 3, -pitch * number + 4, cell)
    if ruled:
        for number in range(len(ROWS) + 1):
            canvas.line(0, 16 - pitch * number, 360, 16 - pitch * number)
        for x in columns:
            canvas.line(x, 16, x, 16 - pitch * len(ROWS))
    canvas.restoreState()


@pytest.mark.parametrize("pitch", [18, 30])
@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize(("turn", "place"), [(0, (60, 500)), (90, (200, 200)), (180, (500, 300)), (270, (300, 600))])
def test_table_is_read_at_any_page_rotation(read, turn, place, ruled, pitch):
    found = read(drawn(lambda canvas: table_at(canvas, turn, ruled=ruled, place=place, pitch=pitch)))
    assert texts(found) == [TABLE]
    assert found.warnings == ()


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize(("turn", "place"), [(90, (320, 120)), (180, (500, 300)), (270, (140, 480))])
def test_a_sideways_table_below_text_is_read_behind_it(read, turn, place, ruled):
    lines = [f"Artículo {number}. Texto del convenio que ocupa toda la línea de la página." for number in range(1, 15)]

    def page(canvas):
        for number, line in enumerate(lines):
            canvas.drawString(60, 790 - 14 * number, line)
        table_at(canvas, turn, ruled=ruled, place=place)

    assert texts(read(drawn(page))) == [*lines, TABLE]


def test_the_title_above_a_page_that_lies_on_its_side_comes_first(read):
    def page(canvas):
        canvas.drawString(60, 790, "ANEXO II")
        table_at(canvas, 90, ruled=True, place=(200, 200))

    assert texts(read(drawn(page))) == ["ANEXO II", TABLE]


def test_unreadable_sideways_table_is_reported(read):
    def page(canvas):
        for number in range(20):
            canvas.drawString(60, 790 - 12 * number, f"Línea {number} de un texto que llena el ancho de la página.")
        canvas.saveState()
        canvas.translate(300, 100)
        canvas.rotate(90)
        for number, text in enumerate(("Salario 1.913,37 y plus 211,09 del grupo", "1.402,71 y 164,87 de otro, 90,00")):
            canvas.drawString(10 * number, -14 * number, text)
        canvas.restoreState()

    found = read(drawn(page))
    assert gap_mark("table", "página 1") in texts(found)
    assert "tabla girada" in found.warnings[0]


def test_a_text_of_two_pages_goes_on_between_its_heads_feet_and_side_lines(read):
    def page(number, line):
        def draw(canvas):
            canvas.drawString(60, 810, "Ana Ruiz, abogada")
            canvas.drawString(60, 700, line)
            canvas.drawString(280, 30, f"Página {number} de 2")
            canvas.translate(20, 100)
            canvas.rotate(90)
            canvas.drawString(0, 0, "Firmado por Ana Ruiz. Verifique en https://sede.example")

        return draw

    found = read(drawn(page(1, "La duración será de treinta días"), page(2, "naturales al año.")))
    assert texts(found) == ["La duración será de treinta días", "naturales al año."]


def test_boxes_side_by_side_and_the_amounts_of_a_payslip_are_read(read):
    def page(canvas):
        left = ("Empresa: Conservas El Rincón, S.L.", "Domicilio: Calle del Pozo, 3, Soria", "CIF: B42000000")
        right = ("Trabajador: Marta Quiroga Peón", "Categoría: Oficial de segunda", "NIF: 00000000T")
        for x, lines in ((45, left), (305, right)):
            for number, line in enumerate(lines):
                canvas.drawString(x, 800 - 20 * number, line)
        for number, (name, amount) in enumerate(
            (("Salario base", "1.320,00"), ("Plus", "120,50"), ("Total", "1.440,50"))
        ):
            canvas.drawString(55, 680 - 14 * number, name)
            canvas.drawRightString(400, 680 - 14 * number, amount)

    said = texts(read(drawn(page)))
    assert " ".join(said[:-1]).index("B42000000") < " ".join(said[:-1]).index("Marta Quiroga")
    assert said[-1] == "Salario base | 1.320,00\nPlus | 120,50\nTotal | 1.440,50"


@pytest.mark.parametrize("colon", [":", ""])
def test_labels_and_values_side_by_side_are_read_line_by_line(read, colon):
    pairs = (
        ("Nombre de la empresa", "Conservas El Rincón, S.L."), ("Domicilio de la empresa", "Calle del Pozo, 3, Soria"),
        ("Convenio que se aplica", "Conservas vegetales de Soria"), ("Categoría del puesto", "Oficial de segunda fija"),
    )  # fmt: skip

    def page(canvas):
        for number, (label, value) in enumerate(pairs):
            canvas.drawString(60, 700 - 20 * number, label + colon)
            canvas.drawString(280, 700 - 20 * number, value)

    assert " ".join(texts(read(drawn(page)))) == " ".join(f"{label}{colon} {value}" for label, value in pairs)


# Marks of notes


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("Son 320<super>1</super> euros.", "Son 320 (1) euros."),
        ("Son 320<super>(2)</super>, y más.", "Son 320 (2), y más."),
        ("El trabajador<super>12</super> cobra.", "El trabajador (12) cobra."),
        ("<super>3</super> Nota al pie.", "(3) Nota al pie."),
        ("Son 45 m<super>2</super> en total.", "Son 45 m² en total."),
        ("El 2.<super>o</super> apartado y la 1<super>a</super> parte.", "El 2.º apartado y la 1ª parte."),
        ("Agua H<sub>2</sub>O.", "Agua H2O."),
        ("Son 1.500,10\u00b9 euros.", "Son 1.500,10 (1) euros."),
    ],
)
def test_raised_numbers_are_never_part_of_an_amount(read, typed, said):
    assert texts(read(built([Paragraph(typed, BODY)]))) == [said]


def test_an_amount_with_a_note_is_an_amount_of_its_table(read):
    rows = [["Puesto", "Plus"], ["Peón", "320<super>1</super>"], ["Jefa", "90,00"]]
    cells = [[Paragraph(cell, BODY) for cell in row] for row in rows]
    (table,) = texts(read(built([Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, "black")])])))
    assert table == "Puesto | Plus\nPeón | 320 (1)\nJefa | 90,00"


# Images


def image_of(page: Callable[[Canvas], None], size: tuple[float, float] = A4, turn: int = 0) -> ImageReader:
    """Return what a function draws, in Times of 12 points, as an image of 150 dots per inch."""
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=size)
    canvas.setFont("Times-Roman", 12)
    page(canvas)
    canvas.save()
    with pypdfium2.PdfDocument(data.getvalue()) as document:
        image = document[0].render(scale=150 / 72).to_pil().convert("L")
    printed = io.BytesIO()
    image.rotate(turn, expand=True).save(printed, "PNG")
    return ImageReader(printed)


def lines_at(top: float, lines) -> Callable[[Canvas], None]:
    return lambda canvas: [canvas.drawString(60, top - 18 * number, line) for number, line in enumerate(lines)]


def scan(canvas, stamp: str = "", lines=SCANNED, turn=0, repeat=8):
    canvas.drawImage(image_of(lines_at(760, lines * repeat), turn=turn), 0, 0, WIDTH, HEIGHT)
    canvas.setFont("Helvetica", 6)
    canvas.drawString(30, 15, stamp)


@pytest.fixture
def no_ocr(monkeypatch):
    """Reads as where recognition is not installed."""
    monkeypatch.setattr(added_text, "lacking", lambda: "Falta el OCR.")
    monkeypatch.setattr(pdf, "lacking", lambda: "Falta el OCR.")


@pytest.mark.parametrize("stamp", ["", "CSV: AB-12. Verificable en https://sede.example", "12-NOV-2026 FAX 900 P.1/2"])
@pytest.mark.usefixtures("no_ocr")
def test_a_page_that_is_an_image_is_marked_and_named(read, stamp):
    found = read(drawn(lambda canvas: canvas.drawString(60, 700, "Oficio."), lambda canvas: scan(canvas, stamp)))
    assert found.pages[1].paragraphs == tuple(filter(None, (stamp, gap_mark("page", "página 2"))))
    (warning,) = found.warnings
    assert "páginas: 2." in warning
    assert warning.endswith("Falta el OCR.")


@pytest.mark.usefixtures("no_ocr")
def test_a_scan_in_strips_is_one_image_and_a_file_of_nothing_else_is_refused(read):
    def page(canvas):
        for number in range(8):
            canvas.drawImage(
                image_of(lines_at(80, SCANNED), (WIDTH, HEIGHT / 8)), 0, HEIGHT * number / 8, WIDTH, HEIGHT / 8
            )

    with pytest.raises(InvalidInput, match=r"escaneado.*Falta el OCR"):
        read(drawn(page))


@pytest.mark.parametrize("mode", [3, 0])
def test_text_layer_of_a_scan_is_read_and_reported_as_recognised(read, mode):
    def layer(canvas):
        text = canvas.beginText(60, 700)
        text.setTextRenderMode(mode)
        text.textLines("\n".join(SCANNED))
        canvas.drawText(text)

    def page(canvas):
        # A layer of ink lies below the image.
        for draw in (layer, scan) if mode == 0 else (scan, layer):
            draw(canvas)

    found = read(drawn(page))
    assert texts(found) == [" ".join(SCANNED)]
    (warning,) = found.warnings
    assert "otro programa (OCR)" in warning


def test_invisible_text_over_letter_paper_is_no_text_layer(read):
    def page(canvas):
        canvas.drawImage(image_of(lines_at(0, [])), 0, 0, WIDTH, HEIGHT)
        for number in range(25):
            canvas.drawString(60, 700 - 20 * number, f"Línea {number} del informe que se ve sobre el papel.")
        of_no_ink(canvas)

    found = read(drawn(page))
    assert "NADIE" not in " ".join(texts(found))
    assert gaps_in(" ".join(texts(found))) == []
    assert "página 1, 15 letras" in found.warnings[0]


@pytest.mark.usefixtures("no_ocr")
def test_pictures_of_formulas_and_tables_are_marked_in_place(read):
    small = image_of(lambda canvas: canvas.drawString(10, 10, "BR = 0,75 x B / 28"), (200, 40))
    large = image_of(lines_at(180, ["Salario base de la categoría: 1.913,37"] * 9), (470, 200))

    def page(canvas):
        canvas.drawImage(small, 60, 800, 80, 30)
        canvas.drawString(60, 700, "Se aplica la siguiente fórmula:")
        canvas.drawImage(small, 150, 650, 200, 40)
        canvas.drawString(60, 630, "El coeficiente")
        canvas.drawImage(small, 130, 622, 100, 20)
        canvas.drawString(235, 630, "se aplica cada mes.")
        canvas.drawImage(large, 60, 350, 470, 200)
        canvas.drawString(60, 300, "Son cantidades brutas.")

    found = read(drawn(page))
    formula, picture = gap_mark("formula", "página 1"), gap_mark("image", "página 1")
    assert " ".join(texts(found)) == (
        f"Se aplica la siguiente fórmula: {formula} El coeficiente {formula} se aplica cada mes. {picture} "
        "Son cantidades brutas."
    )
    assert len(found.warnings) == 2


PARTS = {
    "table": (["Categoría Mes Plus", "Soplador 1.710,00 90,00", "Cortador 1.602,00 70,00"], (350, 70)),
    "line": (["El plus de horno será de 88 euros al mes"], (250, 24)),
    "paragraph": (["La empresa abonará la diferencia", "en la nómina del mes siguiente", "sin esperar más"], (200, 60)),
    "equation": (["C = S x 33 / 365"], (140, 30)),
    "narrow": (["Plus", "88", "77", "66"], (50, 90)),
}


def picture_of(kind: str) -> tuple[ImageReader, tuple[float, float]]:
    lines, (width, height) = PARTS[kind]
    draw = lambda canvas: [  # noqa: E731
        canvas.drawString(6, height - 16 - 18 * number, line) for number, line in enumerate(lines)
    ]
    return image_of(draw, (width, height)), (width, height)


def around(*pictures) -> Callable[[Canvas], None]:
    """Draw a page with two sentences, and pictures: each with its place and size."""

    def page(canvas):
        canvas.drawString(60, 700, "El texto que sigue es parte del pacto de Segovia.")
        for image, place in pictures:
            canvas.drawImage(image, *place)
        canvas.drawString(60, 300, "Las partes lo firman por duplicado.")

    return page


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.usefixtures("no_ocr")
def test_small_picture_of_content_is_marked_in_place(read, kind):
    image, size = picture_of(kind)
    found = read(drawn(around((image, (60, 600, *size)))))
    before, after = " ".join(texts(found)).split(gap_mark("image", "página 1"))
    assert (before.strip(), after.strip()) == (
        "El texto que sigue es parte del pacto de Segovia.",
        "Las partes lo firman por duplicado.",
    )
    assert "páginas: 1." in found.warnings[0]


@pytest.mark.usefixtures("no_ocr")
def test_a_photograph_and_a_picture_in_strips_are_marked_once_each(read):
    photo = ImageReader(Image.effect_noise((120, 120), 90))
    strip = image_of(lambda canvas: canvas.drawString(6, 2, "El plus es de 88 euros"), (200, 12))
    strips = [(strip, (60, 560 - 12 * number, 200, 12)) for number in range(5)]
    found = read(drawn(around((photo, (60, 600, 120, 120)), *strips)))
    assert gaps_in(" ".join(texts(found))) == [gap_mark("image", "página 1")] * 2


@pytest.mark.parametrize("case", ["repeated", "plain", "icon", "rule", "head", "foot", "letterhead"])
@pytest.mark.usefixtures("no_ocr")
def test_decoration_and_logos_are_ignored(read, case):
    logo, size = picture_of("line")
    plain = ImageReader(Image.new("RGB", (90, 40), (200, 30, 30)))
    place = {
        "repeated": (logo, (60, 500, *size)),
        "plain": (plain, (60, 500, 90, 40)),
        "icon": (logo, (60, 500, 20, 20)),
        "rule": (logo, (60, 500, 400, 3)),
        "head": (logo, (60, 800, *size)),
        "foot": (logo, (60, 20, *size)),
        "letterhead": (logo, (60, 730, *size)),
    }[case]
    pages = [around(place)] * (2 if case == "repeated" else 1)
    found = read(drawn(*pages))
    assert gaps_in(" ".join(texts(found))) == []
    assert found.warnings == ()


@pytest.mark.parametrize("left", [": .", "–", "( ) ;", "……", "« »", "* * *"])
def test_punctuation_alone_is_no_paragraph(read, left):
    lines = ("El turno de tarde de todo el personal de la fábrica empieza cada día", "a las 15:20 horas.")

    def page(canvas):
        for top in (760, 640):
            canvas.drawString(60, top, lines[0])
            canvas.drawString(60, top - 13, lines[1])
        canvas.drawString(60, 700, left)

    assert texts(read(drawn(page))) == [" ".join(lines)] * 2


@pytest.mark.parametrize(
    ("line", "at", "stays"),
    [
        ("Convenio de Telares Moncayo Página 1 de 1", 30, False),
        ("Telares Moncayo, S.L. - Pág. 1", 30, False),
        ("Pacto de los telares | 1/1", 30, False),
        ("Anexo al contrato · Hoja 1 de 1", 30, False),
        ("Telares Moncayo Página 1 de 1", 815, False),
        ("Se entrega un recibo, véase la página 7", 30, True),
        ("(1) Importe de 2025, en la nómina de enero.", 30, True),
        ("Cada uno cobra su parte, 3 de 4", 30, True),
        ("La tabla está en la página 1", 500, True),
    ],
)
def test_a_line_in_the_margin_that_counts_the_pages_is_no_text(read, line, at, stays):
    def page(canvas):
        for number in range(6):
            canvas.drawString(60, 740 - 14 * number, f"El grupo {number} cobra un plus de 1{number} euros en enero.")
        canvas.drawString(60, at, line)

    said = " ".join(texts(read(drawn(page))))
    assert (line in said) == stays
    assert "El grupo 5 cobra" in said


needs_tesseract = pytest.mark.skipif(
    not installed("ocr") or shutil.which("tesseract") is None or added_text.lacking() != "",
    reason="Tesseract, its Spanish data or the extra ocr is not installed",
)


@needs_tesseract
@pytest.mark.parametrize("turn", [0, 180])
def test_scan_is_recognised_and_marked(read, turn):
    found = read(drawn(lambda canvas: scan(canvas, turn=turn, repeat=2)))
    said = texts(found)
    assert said[0] == "[texto reconocido de una imagen: compruébese]"
    assert "12.345,67 euros" in " ".join(said[1:])
    assert "plazo de veinte días" in " ".join(said[1:])
    assert "reconocido de una imagen" in found.warnings[0]


@needs_tesseract
@pytest.mark.parametrize(
    ("lines", "marked"),
    [
        (("Artículo 1. Plus.", "El plus de fragua es de 61 euros al mes."), ("El plus de fragua es de 61 euros",)),
        (
            ("Artículo 1. El plus de fragua es de 61 euros.", "Artículo 2. El plus de noche es de 42 euros."),
            ("El plus de fragua es de 61 euros.", "El plus de noche es de 42 euros."),
        ),
        (("PACTO DE LA FRAGUA", "El plus de fragua es de 61 euros al mes."), ("El plus de fragua",)),
        (("El plus de fragua es de 61 euros al mes.", "Segovia, 3 de mayo"), ("El plus de fragua",)),
        (("Primero. La jornada es de 1.700 horas.",), ("La jornada es de 1.700 horas.",)),
    ],
)
def test_each_citable_paragraph_of_a_recognised_page_is_marked(read, lines, marked):
    image = image_of(lambda canvas: [canvas.drawString(60, 760 - 60 * at, line) for at, line in enumerate(lines)])
    first, *said = texts(read(drawn(lambda canvas: canvas.drawImage(image, 0, 0, WIDTH, HEIGHT))))
    mark = gap_mark("recognised")
    assert first == mark
    for words in marked:
        [paragraph] = [paragraph for paragraph in said if words in paragraph]
        assert paragraph.endswith(mark)
    assert not any(
        paragraph.endswith(mark) for paragraph in said if paragraph.startswith(("PACTO", "Artículo 1. Plus"))
    )


@needs_tesseract
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("table", "Soplador 1.710,00 90,00"),
        ("line", "El plus de horno será de 88 euros al mes"),
        ("paragraph", "en la nómina del mes siguiente"),
        ("equation", gap_mark("formula", "página 1")),
    ],
)
def test_a_small_picture_is_recognised_unless_it_is_an_equation(read, kind, said):
    image, size = picture_of(kind)
    text = " ".join(texts(read(drawn(around((image, (60, 600, *size))))))).replace(" | ", " ")
    assert said in text
    assert (gap_mark("recognised") in text) == (kind != "equation")


@needs_tesseract
def test_a_table_on_a_picture_is_recognised_in_its_place(read):
    image = image_of(lambda canvas: table_at(canvas, 0, ruled=False, place=(30, 120), pitch=24), (470, 150))

    def page(canvas):
        canvas.drawString(60, 700, "Las tablas son las siguientes:")
        canvas.drawImage(image, 60, 500, 470, 150)
        canvas.drawString(60, 450, "Son cantidades brutas.")

    first, mark, table, last = texts(read(drawn(page)))
    assert mark == gap_mark("recognised")
    assert (first, last) == ("Las tablas son las siguientes:", "Son cantidades brutas.")
    assert "Encargada | 1.913,37 | 211,09" in table
