"""Pages, Markdown and OpenDocument texts: what is shown is read, anything else is left out and counted."""

import zipfile
from pathlib import Path

import pytest

from articulado.ingestion.files.formats import html, odt, plain
from articulado.ingestion.files.reader import read_brief
from articulado.ingestion.model import FileText

COUNTED = "Se han dejado fuera 7 caracteres que no se ven (texto oculto, del color del fondo o diminuto)."
MARK = "[imagen con texto que no se ha podido leer]"


@pytest.fixture
def page(tmp_path: Path):
    def read(body: str, head: str = "") -> FileText:
        (tmp_path / "a.html").write_text(f"<html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
        return html.read(tmp_path / "a.html")

    return read


@pytest.fixture
def markdown(tmp_path: Path):
    def read(text: str) -> FileText:
        (tmp_path / "a.md").write_text(text, encoding="utf-8")
        return plain.read_markdown(tmp_path / "a.md")

    return read


HIDDEN = {
    "display": '<p style="display: none">secreto</p>',
    "important": '<p style="display:none!important">secreto</p>',
    "visibility": '<span style="visibility:hidden">secreto</span>',
    "attribute": "<p hidden>secreto</p>",
    "template": "<template><p>secreto</p></template>",
    "dialog": "<dialog>secreto</dialog>",
    "comment": "<!--secreto-->",
    "white": '<span style="color:#fff">secreto</span>',
    "white-by-name": '<span style="color: White">secreto</span>',
    "nearly-white": '<span style="color:rgb(250, 250, 250)">secreto</span>',
    "transparent": '<span style="color:transparent">secreto</span>',
    "black-on-black": '<p style="background:#000"><b style="color:rgba(0,0,0,1)">secreto</b></p>',
    "tiny": '<span style="font-size:1px">secreto</span>',
    "tiny-by-share": '<span style="font-size:.1em">secreto</span>',
    "opacity": '<div style="opacity:0"><p>secreto</p></div>',
    "off-page": '<div style="position:absolute;left:-9999px">secreto</div>',
    "indent": '<p style="text-indent:-9999px">secreto</p>',
    "clipped": '<span style="position:absolute;clip:rect(0 0 0 0)">secreto</span>',
    "no-height": '<div style="height:0;overflow:hidden">secreto</div>',
    "scaled": '<div style="transform:scale(0)">secreto</div>',
    "old-font": '<font color="white">secreto</font>',
    "old-background": '<table bgcolor="#ff0000"><tr><td><font color="red">secreto</font></td></tr></table>',
}
STRUCK = {
    "s": "<s>secreto</s> ",
    "strike": "<strike>secreto</strike> ",
    "del": "<del>secreto </del>",
    "style": '<span style="text-decoration: line-through">secreto</span> ',
    "style-with-colour": '<span style="text-decoration: red line-through underline">secreto</span> ',
    "line": '<span style="text-decoration-line:line-through"><b>sec<i>reto</i></b></span> ',
    "with-a-picture": '<del>secreto <img src="f.png"></del>',
}
STRUCK_COUNTED = "Se han dejado fuera 7 caracteres de texto tachado."
BY_SHEET = {
    "class": (".x { display: none }", '<p class="x">secreto</p>'),
    "id": ("#x{visibility:hidden}", '<p id="x">secreto</p>'),
    "child": ("div > em{color:white}", "<div><em>secreto</em></div>"),
    "condition": ("@media screen{.x{font-size:0}}", '<p class="x">secreto</p>'),
    "later-rule": (".x{display:block}.x{display:none}", '<p class="x">secreto</p>'),
    "stronger-rule": ("p.x{display:none}.x{display:block}", '<p class="x">secreto</p>'),
    "screen-readers": (
        ".x{position:absolute;width:1px;height:1px;overflow:hidden}",
        '<span class="x">secreto</span>',
    ),
}  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_an_element_that_is_not_shown_is_left_out(page, hidden: str) -> None:
    content = page(f"<p>Uno.</p>{hidden}<p>Dos.</p>")
    assert (content.pages[0].paragraphs, content.warnings) == (("Uno.", "Dos."), (COUNTED,))


@pytest.mark.parametrize(("sheet", "hidden"), BY_SHEET.values(), ids=BY_SHEET)
def test_a_style_sheet_of_the_page_hides_too(page, sheet: str, hidden: str) -> None:
    content = page(f"<p>Uno.</p>{hidden}<p>Dos.</p>", f"<style>{sheet}</style>")
    assert (content.pages[0].paragraphs, content.warnings) == (("Uno.", "Dos."), (COUNTED,))


SEEN = {
    "aria-hidden": '<p aria-hidden="true">visto</p>',
    "white-on-dark": '<div style="background:#123"><p style="color:white">visto</p></div>',
    "white-on-a-picture": '<p style="background:url(x.png);color:#fff">visto</p>',
    "child-made-visible": '<div style="visibility:hidden"><p style="visibility:visible">visto</p></div>',
    "size-set-again": '<div style="font-size:0"><p style="font-size:16px">visto</p></div>',
    "closed-details": "<details><summary>visto</summary></details>",
    "moved-a-little": '<p style="position:relative;left:-4px">visto</p>',
    "yellow": '<p style="color:yellow">visto</p>',
    "unknown-colour": '<p style="color:var(--tinta)">visto</p>',
}


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_an_element_that_is_shown_is_read(page, seen: str) -> None:
    content = page(f"<p>Uno.</p>{seen}")
    assert (content.pages[0].paragraphs, content.warnings) == (("Uno.", "visto"), ())


def test_print_rules_and_external_sheets_hide_nothing(page) -> None:
    paper = "<style>@media print { .x { display: none } }</style>"
    assert page('<p class="x">visto</p>', paper).pages[0].paragraphs == ("visto",)
    elsewhere = '<link rel="stylesheet" href="http://127.0.0.1:1/a.css">'
    assert page('<p class="x"><b style="color:#fff">visto</b></p>', elsewhere).pages[0].paragraphs == ("visto",)
    assert page('<p>Uno.</p><p style="color:#fff">secreto</p>', elsewhere).warnings == (COUNTED,)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Son 320<sup>1</sup> horas.", "Son 320 (1) horas."),
        ('Son 2<sup><a href="#n3">3</a></sup> horas.', "Son 2 (3) horas."),
        ("Son 25 m<sup>2</sup>, 2<sup>3</sup> y CO<sub>2</sub>.", "Son 25 m², 2^3 y CO2."),
        ("<math><mi>I</mi><mo>=</mo><mfrac><mi>a</mi><mn>360</mn></mfrac></math>", "I = a/360"),
        (
            'Pago: <input type="checkbox" checked> único <input type=checkbox> en plazos',
            "Pago: [x] único [ ] en plazos",
        ),
        ('Nombre: <input value="Ana Soto"><input type="hidden" value="no">', "Nombre: Ana Soto"),
        ("Jornada: <select><option>40</option><option selected>31</option></select>", "Jornada: 31"),
        ('Límite: <img src="l.png" alt="19 mensualidades" title="no">.', f"Límite: {MARK}."),
        ('Uno<img src="raya.png" alt=""><img src="p.gif" width="1" height="1">', "Uno"),
        ("Así: <svg><text>x</text></svg>", f"Así: {MARK}"),
    ],
)
def test_html_page_is_read_as_rendered(page, written: str, text: str) -> None:
    content = page(f"<p>{written}</p>")
    assert content.pages[0].paragraphs == (text,)
    assert bool(content.warnings) == (MARK in text)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Uno.<!-- secreto\n\nlargo --> Dos.", "Uno. Dos."),
        ("Uno.\n\n[//]: # (secreto)\n", "Uno."),
        ('Uno. <span style="display:none">secreto</span>Dos.', "Uno. Dos."),
        ("Uno.\n\n<div hidden>\n\nsecreto\n<div>más</div>\n\n</div>", "Uno."),
        ('Uno.<font color="white">secreto</font>', "Uno."),
        ("Uno.<script>secreto</script>", "Uno."),
    ],
)
def test_markdown_leaves_out_what_its_html_hides(markdown, written: str, text: str) -> None:
    content = markdown(written)
    assert content.pages[0].paragraphs == (text,)
    assert "caracteres que no se ven" in content.warnings[0]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Son 320<sup>1</sup> horas.", "Son 320 (1) horas."),
        ("Son 320[^1] horas.", "Son 320 (1) horas."),
        ("Son <u>320</u> <span>horas</span>.", "Son 320 horas."),
        ("Límite: ![19 mensualidades](l.png).", f"Límite: {MARK}."),
        ('Límite: <img src="http://127.0.0.1:1/l.png">.', f"Límite: {MARK}."),
        ("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "a/b"),
        ("Si a < b y c > d.", "Si a < b y c > d."),
        ("- [x] Temporal", "- [x] Temporal"),
        ("La marca `<img src=x>`.", "La marca `<img src=x>`."),
    ],
)
def test_markdown_is_read_as_rendered(markdown, written: str, text: str) -> None:
    assert markdown(written).pages[0].paragraphs == (text,)


def test_html_notes_and_tables_in_markdown_are_kept(markdown) -> None:
    table = "<table><tr><td>Puesto</td><td>Mes</td></tr><tr><td>A</td><td>1</td></tr></table>"
    assert markdown(f"Son 320[^1].\n\n[^1]: Al año.\n\n{table}").pages[0].paragraphs == (
        "Son 320 (1).",
        "(1) Al año.",
        "Puesto | Mes\nA | 1",
    )


@pytest.mark.parametrize("struck", STRUCK.values(), ids=STRUCK)
def test_struck_through_html_is_left_out_and_reported(page, markdown, tmp_path: Path, struck: str) -> None:
    for content in (page(f"<p>Son {struck}245 euros.</p>"), markdown(f"Son {struck}245 euros.")):
        assert content.pages[0].paragraphs == ("Son 245 euros.",)
        assert content.warnings == (STRUCK_COUNTED,)
    assert read_brief(tmp_path / "a.html").warnings == (STRUCK_COUNTED,)


def test_style_sheet_strikes_rows_and_items_through(page) -> None:
    rows = '<table><tr><td>A</td><td>1</td></tr><tr class="x"><td>sec</td><td>reto</td></tr></table>'
    sheet = "<style>.x{text-decoration:line-through}</style>"
    content = page(f'<ol><li class="x">no</li><li>Dos.</li><li><s>no</s></li></ol><p>Fin.</p>{rows}', sheet)
    assert content.pages[0].paragraphs == ("2. Dos.", "Fin.", "A | 1")
    assert content.warnings == ("Se han dejado fuera 11 caracteres de texto tachado.",)


MARKED = [
    ("Son ~~secreto~~ 245 euros.", ("Son 245 euros.",)),
    ("Son ~~**secreto**~~ 245 euros.", ("Son 245 euros.",)),
    ("Uno.\n\n- ~~secreto~~\n- Dos.", ("Uno.", "- Dos.")),
    ("## ~~secreto~~\n\nUno.", ("Uno.",)),
    ("| Plus | Euros |\n|---|---|\n| Paga | ~~secreto~~ 245 |", ("Plus | Euros\nPaga | 245",)),
    ("Uno ~~sec\nreto~~ dos.", ("Uno dos.",)),
    ("> ~~secreto~~\n\nUno.", ("Uno.",)),
]


@pytest.mark.parametrize(("written", "texts"), MARKED)
def test_markdown_strikes_through_with_tildes(markdown, tmp_path: Path, written: str, texts: tuple[str, ...]) -> None:
    content = markdown(written)
    assert content.pages[0].paragraphs == texts
    assert content.warnings == (STRUCK_COUNTED.replace("7", "8" if "sec\n" in written else "7"),)
    brief = read_brief(tmp_path / "a.md")
    assert "reto" not in " ".join(each.text for each in brief.paragraphs)
    assert brief.warnings == content.warnings


@pytest.mark.parametrize(
    "written", ["Son `~~245~~` euros.", "Son ~ 245 ~ euros.", "De ~~ 3 a ~~ 4.", "Son \\~~245~~.", "~~~\nSon 5.\n~~~"]
)
def test_other_tildes_strike_nothing_through(markdown, written: str) -> None:
    content = markdown(written)
    assert "5" in content.pages[0].paragraphs[0] or "4" in content.pages[0].paragraphs[0]
    assert content.warnings == ()


@pytest.mark.parametrize("name", ["a.md", "a.html"])
def test_a_brief_says_what_it_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('<p>Son 30 días.</p><p hidden="">secreto</p>', encoding="utf-8")
    brief = read_brief(tmp_path / name)
    assert [paragraph.text for paragraph in brief.paragraphs] == ["Son 30 días."]
    assert brief.warnings == (COUNTED,)


@pytest.mark.parametrize("name", ["a.md", "a.html"])
def test_brief_reports_its_pictures(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('<p>Así: <img src="f.png"></p>', encoding="utf-8")
    brief = read_brief(tmp_path / name)
    assert [paragraph.text for paragraph in brief.paragraphs] == [f"Así: {MARK}"]
    assert [MARK.strip("[]") in warning for warning in brief.warnings] == [True]


NAMES = "".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" '
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
        ("form", "form"), ("fo", "xsl-fo-compatible"),
    )
)  # fmt: skip
NAMES += 'xmlns:xlink="http://www.w3.org/1999/xlink" '
NAMES += 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0" '
STYLES = "".join(
    f'<style:style style:name="{name}"><style:text-properties {properties}/></style:style>'
    for name, properties in (
        ("Oculto", 'text:display="none"'),
        ("Blanco", 'fo:color="#ffffff"'),
        ("Diminuto", 'fo:font-size="1pt"'),
        ("Tachado", 'style:text-line-through-style="solid" style:text-line-through-type="single"'),
        ("Doble", 'style:text-line-through-type="double"'),
        ("Entero", 'style:text-line-through-style="none" style:text-line-through-type="none"'),
        ("Inversa", 'fo:color="#ffffff" fo:background-color="#000000"'),
        ("Alto", 'style:text-position="super 58%"'),
        ("Bajo", 'style:text-position="-33% 58%"'),
    )
)
CHILD = '<style:style style:name="Hijo" style:parent-style-name="Oculto"/>'
CHILD += '<style:style style:name="Viejo" style:parent-style-name="Tachado"/>'


@pytest.fixture
def open_text(tmp_path: Path):
    def read(body: str, **parts: str) -> FileText:
        styles = f"<office:automatic-styles>{STYLES}{CHILD}</office:automatic-styles>"
        whole = f"{styles}<office:body><office:text>{body}</office:text></office:body>"
        with zipfile.ZipFile(tmp_path / "a.odt", "w") as package:
            package.writestr("content.xml", f"<office:document-content {NAMES}>{whole}</office:document-content>")
            for name, content in parts.items():
                package.writestr(name.replace("__", "/"), content)
        return odt.read(tmp_path / "a.odt")

    return read


@pytest.mark.parametrize(
    "hidden",
    [
        '<text:span text:style-name="Oculto">secreto</text:span>',
        '<text:span text:style-name="Hijo">secreto</text:span>',
        '<text:span text:style-name="Blanco">secreto</text:span>',
        '<text:span text:style-name="Diminuto">secreto</text:span>',
        '<text:hidden-text text:is-hidden="true">secreto</text:hidden-text>',
        '</text:p><text:section text:display="none"><text:p>secreto</text:p></text:section><text:p>',
    ],
)
def test_an_open_document_leaves_out_hidden_text(open_text, hidden: str) -> None:
    content = open_text(f"<text:p>Uno.{hidden}</text:p>")
    assert (content.pages[0].paragraphs, content.warnings) == (("Uno.",), (COUNTED,))


def test_a_picture_in_a_struck_paragraph_of_an_open_document_leaves_its_mark(open_text) -> None:
    picture = '<draw:frame><draw:image xlink:href="x.png"/></draw:frame>'
    content = open_text(f'<text:p text:style-name="Tachado">secreto {picture}</text:p>')
    assert (content.pages[0].paragraphs, content.warnings[0]) == ((MARK,), STRUCK_COUNTED)


@pytest.mark.parametrize(
    "hint",
    [
        '<text:placeholder text:placeholder-type="text">&lt;Duración&gt;</text:placeholder>',
        '<loext:content-control loext:showing-place-holder="true">Elija.</loext:content-control>',
    ],
)
def test_placeholder_of_an_open_document_is_no_value(open_text, hint: str) -> None:
    filled = '<loext:content-control loext:showing-place-holder="false">dos</loext:content-control>'
    content = open_text(f"<text:p>Prueba: {hint}{filled}</text:p>")
    assert content.pages[0].paragraphs == ("Prueba: dos",)
    assert content.warnings == ("Hay 1 campo sin rellenar, cuyo texto de ayuda no se ha leído.",)


@pytest.mark.parametrize(
    "struck",
    [
        '<text:span text:style-name="Tachado">secreto </text:span>',
        '<text:span text:style-name="Doble">secreto</text:span> ',
        '<text:span text:style-name="Viejo">secreto</text:span> ',
        '<text:span text:style-name="Alto"><text:span text:style-name="Tachado">secreto</text:span></text:span> ',
        '</text:p><text:p text:style-name="Tachado">secreto</text:p><text:p>',
        '<text:span text:style-name="Tachado">secreto<text:span text:style-name="Entero"> </text:span></text:span>',
    ],
)
def test_an_open_document_leaves_out_text_that_is_struck_through(open_text, tmp_path: Path, struck: str) -> None:
    content = open_text(f"<text:p>Son {struck}245 euros.</text:p>")
    assert " ".join(content.pages[0].paragraphs) == "Son 245 euros."
    assert content.warnings == read_brief(tmp_path / "a.odt").warnings == (STRUCK_COUNTED,)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('Son 320<text:span text:style-name="Alto">1</text:span> horas', "Son 320 (1) horas"),
        ('Son 25 m<text:span text:style-name="Alto">2</text:span>', "Son 25 m²"),
        ('CO<text:span text:style-name="Bajo">2</text:span>', "CO2"),
        ('<text:span text:style-name="Inversa">visto</text:span>', "visto"),
        (
            'Así: <draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="x"/></draw:frame>',
            "Así: a/b",
        ),
        ('Así: <draw:frame><draw:image xlink:href="x.png"/></draw:frame>', f"Así: {MARK}"),
        ('<draw:control draw:control="c1"/> y <draw:control draw:control="c2"/>', "[x] Temporal y Ana Soto"),
    ],
)
def test_open_document_is_read_as_rendered(open_text, written: str, text: str) -> None:
    form = (
        '<office:forms><form:form><form:checkbox form:id="c1" form:label="Temporal" form:current-state="checked"/>'
        '<form:text form:id="c2" form:current-value="Ana Soto"/></form:form></office:forms>'
    )
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>'
    content = open_text(f"{form}<text:p>{written}</text:p>", **{"Object 1__content.xml": math})
    assert content.pages[0].paragraphs == (text,)


def test_notes_deletions_comments_and_hidden_rows_of_an_open_document(open_text) -> None:
    body = "<text:note-body><text:p>Al año.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"
    deletion = "<text:deletion><text:p>veintidós</text:p></text:deletion>"
    changes = f"<text:tracked-changes><text:changed-region>{deletion}</text:changed-region></text:tracked-changes>"
    rows = [
        f"<table:table-row{hides}><table:table-cell><text:p>{one}</text:p></table:table-cell>"
        f"<table:table-cell><text:p>{other}</text:p></table:table-cell></table:table-row>"
        for hides, one, other in (
            ("", "Puesto", "Mes"), ("", "Guarda", "1.100"), (' table:visibility="collapse"', "Nadie", "12"),
        )
    ]  # fmt: skip
    annotation = "<office:annotation><text:p>¿Seguro?</text:p></office:annotation>"
    content = open_text(
        f"{changes}<text:p>Son 320{note} horas{annotation}.</text:p><table:table>{''.join(rows)}</table:table>"
    )
    assert content.pages[0].paragraphs == ("Son 320 (1) horas.", "Puesto | Mes\nGuarda | 1.100", "(1) Al año.")
    assert [warning.split(" caracteres")[0] for warning in content.warnings] == [
        "Se han dejado fuera 7",
        "Se han dejado fuera 9",
        "No se ha leído 1 comentario, que no es parte del texto.",
    ]


def test_a_text_in_a_drawn_box_of_an_open_document_is_read(open_text) -> None:
    box = "<draw:frame><draw:text-box><text:p>En un cuadro.</text:p></draw:text-box></draw:frame>"
    assert open_text(f"<text:p>Uno.{box}</text:p>").pages[0].paragraphs == ("Uno.", "En un cuadro.")
