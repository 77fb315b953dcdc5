"""Norms whose files have no headings of articles: plain paragraphs, ordinals, running text; and what must not open."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.lines import read_provisions
from articulado.ingestion.markdown.reader import read_law
from articulado.language.translation import use_locale
from articulado.values.errors import InvalidInput

FRONT = 'title: "Norma"\nidentifier: "BOE-A-2000-1"\nrank: "orden"\npublication_date: "2000-01-02"\n'


def outline(text):
    """Key, label, title and paragraphs of each provision of a norm, whose lines stand one below the other."""
    read = read_provisions([" ".join(line.split()) for line in text.strip().splitlines()])
    return [(one.key, one.label, one.title, one.paragraphs) for one in read]


def read(tmp_path, body, front=FRONT):
    path = tmp_path / "norma.md"
    path.write_text(f"---\n{front}---\n{body}", encoding="utf-8")
    return read_law(path)


def test_articles_that_are_paragraphs_with_their_chapters_and_dispositions():
    text = """
    PREÁMBULO
    Hace falta.
    CAPÍTULO I
    Del taller
    Artículo 1. Objeto.
    Regula talleres, según el artículo 3 de otra norma.
    Artículo 3 de la Ley de Talleres: no es un epígrafe.
    Art. 2.º Horario.
    Abren a las nueve.
    DISPOSICIONES FINALES
    Primera. Desarrollo.
    Lo hará la consejería.
    Segunda.
    Rige mañana.
    Sevilla, 3 de mayo de 2001.
    LA PRESIDENTA
    """
    assert outline(text) == [
        (
            "art:1",
            "Artículo 1",
            "Objeto",
            (
                "Regula talleres, según el artículo 3 de otra norma.",
                "Artículo 3 de la Ley de Talleres: no es un epígrafe.",
            ),
        ),
        ("art:2", "Artículo 2.º", "Horario", ("Abren a las nueve.",)),
        ("df:1", "Disposición final primera", "Desarrollo", ("Lo hará la consejería.",)),
        ("df:2", "Disposición final segunda", "", ("Rige mañana.",)),
    ]
    crumbs = [one.breadcrumb for one in read_provisions([line.strip() for line in text.strip().splitlines()])]
    assert crumbs == ["CAPÍTULO I. Del taller"] * 2 + ["Disposiciones finales"] * 2


def test_the_text_of_an_article_may_stand_beside_its_label_in_bold_or_capitals():
    assert outline("""
    **ARTÍCULO PRIMERO.** Los talleres abren a las nueve y cierran a las dos.
    **ARTÍCULO SEGUNDO.** Los domingos no abren. Tampoco los festivos.
    """) == [
        ("art:1", "Artículo primero", "", ("Los talleres abren a las nueve y cierran a las dos.",)),
        ("art:2", "Artículo segundo", "", ("Los domingos no abren. Tampoco los festivos.",)),
    ]


def test_quoted_articles_stay_in_the_article_that_amends():
    one, two = outline("""
    Artículo primero. Modificación de la Ley de Talleres.
    Se modifica así:
    «Artículo 5. Horario.
    Artículo 6. Cierre.
    A las dos.»
    El artículo 9 queda redactado como sigue:
    Artículo 9. Sin comillas.
    Artículo segundo. Entrada en vigor.
    Mañana.
    """)
    assert (one[0], len(one[3]), two[0]) == ("art:1", 6, "art:2")


def test_a_quoted_chapter_without_headings_of_articles_stays_in_the_article_that_announces_it():
    (one, last) = outline("""
    ##### Artículo único. Modificación.
    El título II queda así:
    ### CAPÍTULO II. Talleres
    Artículo 72. Horario.
    A las nueve.
    ##### Disposición final única.
    Mañana.
    """)
    assert one[3] == ("El título II queda así:", "CAPÍTULO II. Talleres", "Artículo 72. Horario.", "A las nueve.")
    assert last[0] == "df:unica"


def test_the_first_heading_below_a_title_that_an_article_announces_is_kept():
    (one,) = outline("""
    ##### Artículo único.
    Se hará con arreglo a estas bases:
    ## TÍTULO I. De los talleres
    ### BASE PRIMERA. Horario
    A las nueve.
    ### BASE SEGUNDA. Cierre
    A las tres.
    """)
    assert one[3] == (
        "Se hará con arreglo a estas bases:",
        "TÍTULO I. De los talleres",
        "BASE PRIMERA. Horario",
        "A las nueve.",
        "BASE SEGUNDA. Cierre",
        "A las tres.",
    )


@pytest.mark.parametrize("mark", ["##### ", ""])
def test_ordinals_open_the_units_of_a_resolution(mark):
    assert outline(f"""
    Vista la propuesta, resuelvo:
    {mark}Primero. Objeto.
    Se aprueba el modelo.
    {mark}Segundo. Efectos.
    Rige mañana.
    Madrid, 3 de mayo de 2001.–El Director, Juan Ejemplo.
    ANEXO I
    Modelo
    Casilla 1.
    """) == [
        ("preambulo", "Preámbulo", "", ("Vista la propuesta, resuelvo:",)),
        ("apartado:1", "Apartado primero", "Objeto", ("Se aprueba el modelo.",)),
        ("apartado:2", "Apartado segundo", "Efectos", ("Rige mañana.",)),
        ("anexo:1", "Anexo I", "Modelo", ("Casilla 1.",)),
    ]


def test_units_have_the_names_that_their_norm_gives_them():
    keys = [
        key
        for key, *_ in outline("""
    ##### Norma primera. Ámbito.
    A.
    ##### Norma 2.ª
    B.
    ##### Regla 3.ª Plazo
    C.
    ##### Base cuarta.
    D.
    ##### 5.1 Cuantía
    E.
    ##### Cláusula adicional
    F.
    """)
    ]
    assert keys == ["norma:1", "norma:2", "regla:3", "base:4", "apartado:5.1", "texto:clausula adicional"]


def test_restarting_figures_open_no_units():
    assert [key for key, *_ in outline("Dos listas:\n1. Uno.\n2. Dos.\n3. Tres.\nOtra:\n1. Uno.\n2. Dos.")] == [
        "texto:texto"
    ]


def test_running_text_is_cut_at_its_headings_and_keeps_what_is_signed():
    assert outline("""
    Se aclaran dudas.
    ### Plazos
    Son de un mes.
    #### Cómputo
    Desde el día siguiente.
    Madrid, 3 de mayo de 2001.
    """) == [
        ("texto:texto", "Texto", "", ("Se aclaran dudas.",)),
        ("texto:plazos", "Plazos", "", ("Son de un mes.",)),
        ("texto:computo", "Cómputo", "", ("Desde el día siguiente.", "Madrid, 3 de mayo de 2001.")),
    ]


def test_a_unit_has_no_anchor_of_its_own_and_a_regional_norm_the_address_of_its_source(tmp_path):
    (chunk,) = law_chunks(read(tmp_path, "##### Primero.\n\nSe aprueba."))
    assert chunk["url"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2000-1"
    front = FRONT.replace("BOE-A-2000-1", "DOGC-f-2000-1") + 'source: "https://example.org/norma"\n'
    (chunk,) = law_chunks(read(tmp_path, "##### Primero.\n\nSe aprueba.", front))
    assert chunk["url"] == "https://example.org/norma"


def test_texts_that_annexes_hold_are_told_apart_in_the_breadcrumb():
    lines = ["##### Artículo único.", "Se aprueban dos."]
    for number, name in (("I", "Reglamento de talleres"), ("II", "Reglamento de ferias")):
        lines += [f"ANEXO {number}", name, "##### Artículo 1.", f"Del {name}."]
    assert [one.breadcrumb for one in read_provisions(lines)] == [
        "",
        "Anexo I. Reglamento de talleres",
        "Anexo II. Reglamento de ferias",
    ]


def test_an_annex_with_a_text_before_articles_is_kept():
    lines = ["##### Artículo 1.", "A.", "ANEXO I", "Tasas", "Son dos euros.", "ANEXO II", "##### Artículo 1.", "B."]
    assert [(one.key, one.text) for one in read_provisions(lines)][1] == ("anexo:1", "Son dos euros.")


def test_marks_and_escapes_are_removed(tmp_path):
    law = read(
        tmp_path,
        "Artículo&nbsp;1\\. *Tasa* \\[única\\]\\.\n\n1\\. Es de 5 &lt; 6 \\* R\\&D, *sic*.<br>Fin.\\\n\n"
        "| a \\| b | c |\n|---|---|\n",
    )
    (one,) = law.provisions
    assert (one.key, one.label) == ("art:1", "Artículo 1")
    assert one.paragraphs[-2:] == ("1. Es de 5 < 6 * R&D, sic. Fin.", "a / b | c")


@pytest.mark.parametrize(("status", "chunk_status", "warned"), [("annulled", "derogada", 0), ("gone", "vigente", 1)])
def test_unknown_status_is_reported_and_noted(tmp_path, status, chunk_status, warned):
    law = read(tmp_path, "##### Artículo 1.\n\nTexto.", FRONT + f"status: {status}\n")
    (chunk,) = law_chunks(law)
    assert (chunk["status"], len(law.warnings)) == (chunk_status, warned)
    assert chunk["status_note"].startswith("No consta con seguridad" if warned else "Norma anulada.")


def test_a_text_as_enacted_is_a_field_of_its_chunks(tmp_path):
    (chunk,) = law_chunks(read(tmp_path, "##### Artículo 1.\n\nTexto.", FRONT + "text_state: as_enacted\n"))
    assert chunk["text_state"] == "as_enacted"
    law = read(tmp_path, "##### Artículo 1.\n\nTexto.", FRONT + "text_state: draft\n")
    assert "text_state" not in law_chunks(law)[0]
    assert "draft" in law.warnings[0]


def test_a_warning_is_in_the_language_that_is_spoken(tmp_path):
    with use_locale("en"):
        law = read(tmp_path, "##### Artículo 1.\n\nTexto.", FRONT + "status: gone\n")
    assert "is not known" in law.warnings[0]


OPENINGS = (
    *(
        "Artículo {n}. Objeto.",
        "##### Artículo {n}.",
        "ARTÍCULO {n}.",
        "Disposición final {n}. Plazo.",
        "##### {n}. Uso",
    ),
    *("Primero. Objeto.", "##### Segundo.", "Norma {n}.ª Uso", "ANEXO {n}", "### CAPÍTULO {n}", "### Nota {n}"),
    *("DISPOSICIONES FINALES", "Madrid, {n} de mayo de 2001.", "«Artículo {n}. Otro.", "Cierra {n}.»", "> Nota {n}."),
)
BLOCKS = st.one_of(st.sampled_from(OPENINGS), st.just("Sin duda el párrafo {n} dice algo."))


@given(st.lists(BLOCKS, min_size=1, max_size=25))
def test_no_paragraph_is_lost_or_doubled(forms):
    lines = [form.format(n=number) for number, form in enumerate(forms, 1)]
    provisions = list(read_provisions(lines))
    articles = any(one.key.startswith("art:") for one in provisions)
    text = "\n".join(one.text for one in provisions)
    sentences = [line for line in lines if line.startswith("Sin duda")]
    found = [line for line in text.splitlines() if line.startswith("Sin duda")]
    assert len(found) == len(set(found))
    assert found == [line for line in sentences if line in found]
    # Only what stands before the first article, and short lines below a signature, may stay out.
    if not articles and not any(line.startswith(("Madrid", "### CAPÍTULO")) for line in lines):
        assert found == sentences


@given(st.lists(st.text(alphabet='#>|*_\\&;«»"[]()1.ºªaAIVXÁ -\n', max_size=30), max_size=8))
def test_nothing_but_invalid_input_is_raised(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "rara.md"
    path.write_text(f"---\n{FRONT}---\n" + "\n".join(lines), encoding="utf-8")
    with contextlib.suppress(InvalidInput):
        law_chunks(read_law(path))
