import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.files.formats.lines import running_text
from articulado.ingestion.files.structure import provisions
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Page
from articulado.ingestion.structure import division, opening

AGREEMENT = """Convenio colectivo de prueba
CAPÍTULO I
Normas generales
Artículo 1.- Ámbito.
Este convenio se aplica.
Artículo 2º. Vigencia
Hasta 2027. «Artículo 9. Citado
Artículo 10. Otro citado» y sigue.
CAPÍTULO II. Jornada
ARTÍCULO 3. Jornada. La jornada será de 40 horas.
Artículo 4. (Derogado)
DISPOSICIONES ADICIONALES
Disposición adicional primera. Comisión.
Habrá una.
ANEXO II
Tablas salariales
Grupo | Salario
Artículo 1. Del protocolo.
En Madrid, a 1 de enero."""


def structured(text, url="", page=None):
    return provisions(running_text([Page(page, tuple(text.split("\n")))]), url)


def test_the_provisions_of_an_agreement():
    found = [(one.key, one.label, one.title, one.breadcrumb, one.text) for one in structured(AGREEMENT)]
    first, second = "CAPÍTULO I. Normas generales", "CAPÍTULO II. Jornada"
    assert found == [
        ("preambulo", "Preámbulo", "", "", "Convenio colectivo de prueba"),
        ("art:1", "Artículo 1", "Ámbito", first, "Este convenio se aplica."),
        (
            "art:2",
            "Artículo 2º",
            "Vigencia",
            first,
            "Hasta 2027. «Artículo 9. Citado\n\nArtículo 10. Otro citado» y sigue.",
        ),
        ("art:3", "Artículo 3", "Jornada", second, "Jornada. La jornada será de 40 horas."),
        ("art:4", "Artículo 4", "", second, "(Derogado)"),
        ("da:1", "Disposición adicional primera", "Comisión", "Disposiciones adicionales", "Habrá una."),
        (
            "anexo:2",
            "Anexo II",
            "Tablas salariales",
            "Anexos",
            "Grupo | Salario\n\nArtículo 1. Del protocolo.\n\nEn Madrid, a 1 de enero.",
        ),
    ]


def test_a_mark_of_repeal_is_the_status():
    assert [one.key for one in structured(AGREEMENT) if one.status == "derogada"] == ["art:4"]


def test_each_provision_has_the_page_on_which_it_begins():
    pages = [
        Page(1, ("Artículo 1. Uno.", "Este texto sigue en la")),
        Page(2, ("página siguiente.", "Artículo 2. Dos.", "Texto.")),
        Page(3, ()),
        Page(4, ("Artículo 3. Tres.", "Texto.")),
    ]
    found = provisions(running_text(pages), "https://x.es/a.pdf")
    assert [(one.url[-7:], one.text) for one in found] == [
        ("#page=1", "Este texto sigue en la página siguiente."),
        ("#page=2", "Texto."),
        ("#page=4", "Texto."),
    ]
    assert {one.url for one in provisions(running_text([Page(None, pages[1].paragraphs * 3)])) or ()} <= {""}


MENTIONS = "Artículo 5 del ET dice algo.\nTexto.\n"


@pytest.mark.parametrize(
    "text",
    [
        "Texto.\nOtro.",
        MENTIONS * 4,
        "Artículo 1. Uno.\nTexto.\nArtículo 2. Dos.\nTexto.",
        "Artículo 9. Uno.\nA.\nArtículo 5. Dos.\nB.\nArtículo 2. Tres.\nC.\nArtículo 1. Cuatro.\nD.",
        "Artículo 1. Uno ..... 3\nArtículo 2. Dos ..... 4\nArtículo 3. Tres . . . . . 5\nTexto.",
        "«Artículo 1. Uno.\nA.\nArtículo 2. Dos.\nB.\nArtículo 3. Tres.\nC.»",
        # A ruling that ends by quoting what it applies.
        "Fundamento de derecho. " * 20 + "\nArtículo 38. A.\nB.\nArtículo 39. C.\nD.\nArtículo 40. E.\nF.",
    ],
)
def test_texts_without_structure(text):
    assert structured(text) is None


def test_a_law_in_parts_need_not_begin_with_article_1():
    text = "Artículo 38. A.\nB.\nArtículo 39. C.\nD.\nArtículo 40. E.\nF."
    assert [one.key for one in structured(text)] == ["art:38", "art:39", "art:40"]


@pytest.mark.parametrize("leaders", ["", " 7", " ........ 7", " … 7"])
def test_a_table_of_contents_does_not_count(leaders):
    titles = ["Artículo 1. Uno", "Artículo 2. Dos", "Artículo 3. Tres", "Artículo 4. Cuatro"]
    contents = "".join(f"{title}{leaders}\n" for title in titles)
    found = structured(
        "Convenio\n" + contents + "Reunidas las partes.\n" + "".join(f"{one}.\nTexto.\n" for one in titles)
    )
    assert [one.key for one in found] == ["preambulo", "art:1", "art:2", "art:3", "art:4"]
    assert found[0].paragraphs == ("Convenio", "Reunidas las partes.")
    assert all(one.text == "Texto." for one in found[1:])


def test_a_decree_and_the_text_that_it_approves():
    text = (
        "Artículo único. Aprobación.\nSe aprueba.\nDisposición final única. Entrada.\nMañana.\nANEXO\nReglamento\n"
        "Artículo 1. A.\nUno.\nArtículo 2. B.\nDos.\nDisposición final única. C.\nTres."
    )
    assert [(one.key, one.text) for one in structured(text)] == [
        ("art:unico", "Se aprueba."),
        ("df:unica~decreto", "Mañana."),
        ("marco", "Reglamento"),
        ("art:1", "Uno."),
        ("art:2", "Dos."),
        ("df:unica", "Tres."),
    ]


def test_a_quotation_that_never_closes_quotes_nothing():
    assert len(structured("Artículo 1. «A.\nUno.\nArtículo 2. B.\nDos.\nArtículo 3. C.\nTres.")) == 3


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("Art. 3º.- Vigencia", ("Artículo 3º", "art:3", "Vigencia")),
        ("Artículo 7.º Jornada", ("Artículo 7.º", "art:7", "Jornada")),
        ("Artículo 5. 1. Uno", ("Artículo 5", "art:5", "1. Uno")),
        ("Artículo 5. Jornada [1]. Hola.", ("Artículo 5", "art:5", "Jornada [1]. Hola.")),
        ("ANEXO I\nA | B", ("ANEXO I", "anexo:1", "A | B")),
        ("Anexo II Tablas", ("Anexo II", "anexo:2", "Tablas")),
        ("Disposición final", ("Disposición final", "df:unica", "")),
        ("Artículo 5.1 del ET", None),
        ("Artículo 5.a) Uno", None),
        ("Artículo 5, apartado 2", None),
        ("Artículos 5 y 6", None),
        ("Artículo 24 CE", None),
        ("artículo 5. Uno", None),
        ("Anexo al contrato", None),
    ],
)
def test_openings_of_provisions(paragraph, expected):
    found = opening(paragraph)
    assert (None if found is None else tuple(found)) == expected


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("TÍTULO PRELIMINAR", (1, "TÍTULO PRELIMINAR", False)),
        ("CAPÍTULO PRIMERO.- Normas", (2, "CAPÍTULO PRIMERO.- Normas", True)),
        ("Sección 1.ª Jornada", (3, "Sección 1.ª Jornada", True)),
        ("Capítulo II del Estatuto", None),
        ("Título ejecutivo", None),
        ("CAPÍTULO I. Normas ..... 3", None),
    ],
)
def test_headings_of_chapters(paragraph, expected):
    found = division(paragraph)
    assert (None if found is None else tuple(found)) == expected


LINES = st.sampled_from(
    [*AGREEMENT.split("\n"), "TÍTULO III", "Texto seguido.", "a) Letra", "Artículo 5 bis", "«Abre", "cierra»", "ANEXO"]
)


@given(st.lists(LINES, min_size=8, max_size=40))
def test_no_text_is_lost(lines):
    found = structured("\n".join(lines))
    if found is None:
        return
    kept = "\n".join(f"{one.label} {one.title} {one.breadcrumb} {one.text}" for one in found)
    words = set(re.findall(r"\w+", kept.lower()))
    # A label with nothing beside or below it opens nothing.
    bare = {
        word for line in lines if (opens := opening(line)) and not opens.rest for word in opens.label.lower().split()
    }
    assert {word for line in lines for word in re.findall(r"\w+", line.lower())} <= words | bare


def test_every_provision_of_the_real_laws_is_found_in_their_plain_text(real_laws):
    for path in sorted(real_laws.glob("*.md")):
        law = read_law(path)
        paragraphs = [law.title]
        for one in law.provisions:
            paragraphs += [f"{one.label}. {one.title}".strip(), *one.paragraphs]
        found = {one.key for one in provisions(running_text([Page(None, tuple(paragraphs))])) or ()}
        assert {one.key for one in law.provisions} <= found, law.id
