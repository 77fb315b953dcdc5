"""What the BOE's blocks say: labels, headings above, text and notes."""

from functools import partial

import pytest
from support.boe_law import article, block, note, read_law_of, version

from articulado.ingestion.markdown.body import IMAGE


@pytest.fixture
def read(tmp_path):
    return partial(read_law_of, tmp_path)


def test_unlabelled_text_gets_its_own_key(read):
    law = read(
        block("[preambulo]", "<p>Expongo.</p>", tipo="preambulo"),
        block("[parte dispositiva]", '<p class="parrafo">Se resuelve.</p>', tipo="parte_dispositiva"),
        block("Primero.", '<p class="parrafo">Uno.</p>'),
        block("Primero.", '<p class="parrafo">Otro.</p>'),
        '<bloque id="x" tipo="instrumento">' + version("<p>Convenio.</p>") + "</bloque>",
        block("[firma]", "<p>Madrid.</p>", tipo="firma"),
        block("[nota]", "<p>Nota.</p>", tipo="nota_inicial"),
    )
    assert [(one.label, one.key, one.text) for one in law.provisions] == [
        ("Parte dispositiva", "texto:parte dispositiva", "Se resuelve."),
        ("Primero.", "texto:primero", "Uno."),
        ("Primero.", "texto:primero~2", "Otro."),
        ("Instrumento", "texto:instrumento", "Convenio."),
    ]


def test_annexes(read):
    first, second = read(
        block(
            "ANEXO I",
            '<p class="anexo_num">ANEXO I</p><p class="anexo_tit">Tarifas.</p><p class="parrafo">Uno.</p>',
            id="ani",
        ),
        block("ANEXO II", '<p class="anexo_num">ANEXO II</p><p class="parrafo">Lista</p><p class="parrafo">Dos.</p>'),
    ).provisions
    assert (first.label, first.key, first.title, first.text) == ("Anexo I", "anexo:1", "Tarifas", "Uno.")
    assert (second.label, second.key, second.title, second.text) == ("Anexo II", "anexo:2", "Lista", "Dos.")
    assert first.breadcrumb == second.breadcrumb == "Anexos"


def test_an_annex_with_text_before_articles_is_kept(read):
    law = read(
        block("ANEXO", '<p class="anexo">ANEXO</p><p class="parrafo">Cuadro.</p>'), block("Artículo 1", "<p>Uno.</p>")
    )
    assert [one.key for one in law.provisions] == ["anexo:unico", "art:1"]


@pytest.mark.parametrize(
    ("body", "title", "text"),
    [
        (article("Artículo 3. (Derogado)"), "", "(Derogado)"),
        ('<p class="parrafo">Artículo 3. Todo seguido, en un párrafo.</p>', "", "Todo seguido, en un párrafo."),
        (article("Art. 3.º Plazo.", "Diez días."), "Plazo", "Diez días."),
        ('<p class="parrafo">Artículo 9 de otra ley.</p>', "", "Artículo 9 de otra ley."),
    ],
)
def test_headings_and_text(read, body, title, text):
    (one,) = read(block("Artículo 3", body)).provisions
    assert (one.key, one.title, one.text) == ("art:3", title, text)
    assert (one.status == "derogada") == (text == "(Derogado)")


def frame(number: str, title: str, name: str, *more: str, **attributes: str) -> str:
    body = f'<p class="{name}_num">{number}</p><p class="{name}_tit">{title}</p>'
    return block(number, version(body), *more, tipo="encabezado", **attributes)


def test_breadcrumb_lists_the_headings_above(read):
    law = read(
        frame("TÍTULO I", "General", "titulo"),
        block("Artículo 1", "<p>Uno.</p>"),
        frame("CAPÍTULO I", "Ámbito", "capitulo"),
        block("Sección 1", '<p class="seccion">Sección 1.ª Objeto</p>'),  # the BOE calls some headings precepts
        block("Artículo 2", "<p>Dos.</p>"),
        frame("CAPÍTULO II", "Fin", "capitulo"),
        block("Artículo 3", "<p>Tres.</p>"),
        frame("TÍTULO II", "Especial", "titulo"),
        block("Artículo 4", '<p class="capitulo_num">CAPÍTULO ÚNICO</p>' + article("Artículo 4. Algo.", "Cuatro.")),
        block("[encabezado]", '<p class="centro_redonda">DISPOSICIONES</p>', tipo="encabezado"),
        block("Disposición adicional única", "<p>Cinco.</p>"),
        block("Artículo 5", "<p>Seis.</p>"),
    )
    assert [one.breadcrumb for one in law.provisions] == [
        "TÍTULO I. General",
        "TÍTULO I. General > CAPÍTULO I. Ámbito > Sección 1.ª Objeto",
        "TÍTULO I. General > CAPÍTULO II. Fin",
        "TÍTULO II. Especial > CAPÍTULO ÚNICO",
        "Disposiciones adicionales",
        "",
    ]


def test_breadcrumb_is_that_of_the_last_day_of_a_wording(read):
    renamed = version('<p class="titulo_num">TÍTULO I</p><p class="titulo_tit">Nuevo</p>', "20100101")
    law = read(
        frame("TÍTULO I", "Viejo", "titulo", renamed),
        frame("CAPÍTULO I", "Suprimido", "capitulo", fecha_caducidad="20100101"),
        block("Artículo 1", "<p>Uno.</p>", version("<p>Dos.</p>", "20080101"), version("<p>Tres.</p>", "20120101")),
    )
    assert [one.breadcrumb for one in law.provisions] == [
        "TÍTULO I. Viejo > CAPÍTULO I. Suprimido",
        "TÍTULO I. Nuevo",
        "TÍTULO I. Nuevo",
    ]


def test_text_below_a_heading_is_not_swallowed(read):
    body = '<p class="titulo_num">TÍTULO I</p><p class="titulo_tit">General</p><p class="parrafo">Regla.</p>'
    intro, one = read(block("TÍTULO I", body, tipo="encabezado"), block("Artículo 1", "<p>Uno.</p>")).provisions
    assert (intro.label, intro.key, intro.text) == ("TÍTULO I", "texto:titulo i", "Regla.")
    assert one.breadcrumb == "TÍTULO I. General"


def test_unlabelled_parts_of_an_annex_stand_below_it(read):
    law = read(
        frame("TÍTULO I", "General", "titulo"),
        block("Artículo 1", "<p>Uno.</p>"),
        block("ANEXO", '<p class="anexo_num">ANEXO</p><p class="anexo_tit">Reglas</p>', tipo="encabezado"),
        block("Regla 1", '<p class="parrafo">Dos.</p>'),
        block("Artículo 2", "<p>Tres.</p>"),
    )
    assert [one.breadcrumb for one in law.provisions] == ["TÍTULO I. General", "ANEXO. Reglas", ""]


def text_of(read, body: str):
    (one,) = read(block("Artículo 1", article("Artículo 1. Objeto.") + body)).provisions
    return one


def test_inline_marks_and_blanks(read):
    body = '<p class="parrafo">1.<sup>a</sup>  <em>Uno</em>\u00a0y<br/>dos\u00adtres <a href="#x">enlace</a>.</p>suelto'
    assert text_of(read, body).paragraphs == ("1.a Uno y dostres enlace.", "suelto")


def test_images(read):
    body = '<img src="x.png"/><p class="imagen"><img src="y.png"/></p><p class="parrafo">Sea <img src="z.png"/>.</p>'
    assert text_of(read, body).paragraphs == (IMAGE, IMAGE, f"Sea {IMAGE} .")


def test_tables(read):
    body = (
        "<table><thead><tr><th>Grupo</th><th>Base</th><th>Tipo</th></tr></thead><tbody>"
        '<tr><td rowspan="2"><p>1</p></td><td>10</td><td>A<br/>B</td></tr><tr><td>20</td><td></td></tr>'
        '<tr><td></td><td/></tr><tr><td colspan="2">Total</td><td>30</td></tr></tbody></table>'
    )
    assert text_of(read, body).text == "Grupo | Base | Tipo\n1 | 10 | A B\n1 | 20 | \nTotal | 30"


def test_notes_are_kept_out_of_the_text(read):
    body = (
        '<blockquote class="siempreSeVe"><p class="parrafo">Téngase en cuenta la Ley 1/2002.</p></blockquote>'
        '<p class="parrafo">Uno.</p>'
        '<blockquote class="soloTexto" caduca="20250101"><p class="parrafo">Téngase en cuenta que cambia.</p>'
        '<p class="cita_con_pleca">Redacción anterior:</p><p class="parrafo">"Cero."</p>'
        "<table><tr><td>0</td></tr></table></blockquote>"
        + note("Se modifica por la Ley 1/2003.")
        + note("Téngase en cuenta.", "nota_pie_2")
    )
    one = text_of(read, body)
    assert one.text == "Uno."
    assert one.notes == (
        "Téngase en cuenta la Ley 1/2002.",
        "Téngase en cuenta que cambia.",
        "Se modifica por la Ley 1/2003.",
        "Téngase en cuenta.",
    )


def test_a_foot_note_outside_a_block_quote_is_a_note_too(read):
    one = text_of(read, '<p class="parrafo">Uno.</p><p class="nota_pie">Se añade por la Ley 1/2003.</p>')
    assert (one.text, one.notes) == ("Uno.", ("Se añade por la Ley 1/2003.",))


def test_a_quotation_at_the_beginning_is_no_heading(read):
    body = '<p class="capitulo_num">«CAPÍTULO II</p><p class="articulo">Artículo 7.»</p>'
    (one,) = read(block("Artículo 1", body)).provisions
    assert (one.label, one.breadcrumb, one.paragraphs) == ("Artículo 1", "", ("«CAPÍTULO II", "Artículo 7.»"))


def test_quoted_articles_are_text_of_the_quoting_provision(read):
    body = (
        '<p class="parrafo">Se añade:</p><p class="capitulo_num">«CAPÍTULO II</p>'
        '<p class="sangrado_articulo">Artículo 7. Otro.</p><blockquote><p class="parrafo">Citado.</p></blockquote>'
        '<p class="sangrado">Fin.»</p><blockquote><p class="parrafo">«Entero.»</p></blockquote>'
    )
    one = text_of(read, body)
    assert one.paragraphs == ("Se añade:", "«CAPÍTULO II", "Artículo 7. Otro.", "Citado.", "Fin.»", "«Entero.»")
    assert one.notes == ()
