import pytest
from support.paths import DATA

from articulado.ingestion.markdown.lines import read_provisions
from articulado.ingestion.markdown.reader import read_law
from articulado.values.errors import InvalidInput

FRONT = '---\ntitle: "Ley"\nidentifier: "BOE-A-2000-1"\nrank: "ley"\npublication_date: "2000-01-02"\n---\n'


@pytest.fixture(scope="module")
def approved():
    return read_law(DATA / "laws" / "approved.md")


@pytest.fixture(scope="module")
def amending():
    return read_law(DATA / "laws" / "amending.md")


def provision(law, key):
    (found,) = [one for one in law.provisions if one.key == key]
    return found


def test_the_front_matter(approved):
    assert (approved.id, approved.rank, approved.published) == ("BOE-A-2001-9001", "real_decreto", "2001-03-05")
    assert (approved.status, approved.valid_to) == ("in_force", None)


def test_provisions_come_in_order_and_duplicates_are_kept_apart(approved):
    assert [one.key for one in approved.provisions] == [
        "art:unico",
        "df:unica~decreto",
        "art:1",
        "art:1 bis",
        "art:2 quater",
        "art:3",
        "art:4",
        "da:nueva",
        "da:nueva~2",
        "df:unica",
        "anexo:1",
    ]


def test_the_plain_key_is_the_approved_text(approved):
    assert provision(approved, "df:unica").title == "Desarrollo"
    assert provision(approved, "df:unica~decreto").text == "El presente Real Decreto entrará en vigor mañana."


def test_breadcrumbs(approved):
    assert provision(approved, "art:1").breadcrumb == "TÍTULO I. Del descanso > CAPÍTULO I. Normas generales"
    assert provision(approved, "art:2 quater").breadcrumb == (
        "TÍTULO I. Del descanso > CAPÍTULO I. Normas generales > Sección 1.ª Descanso semanal > Subsección 1.ª Cómputo"
    )
    assert provision(approved, "art:3").breadcrumb == "TÍTULO I. Del descanso > CAPÍTULO II. Vacaciones"
    assert provision(approved, "da:nueva").breadcrumb == "Disposiciones adicionales"


def test_repeal_marks(approved):
    assert {one.key: one.status for one in approved.provisions if one.status != "vigente"} == {
        "art:1 bis": "parcialmente_derogada",
        "art:2 quater": "derogada",
        "art:3": "derogada",
    }


def test_a_label_without_a_full_stop(approved):
    one = provision(approved, "art:2 quater")
    assert (one.label, one.title) == ("Artículo 2 quáter", "Sin punto en la etiqueta")


def test_no_heading_reaches_over_the_dispositions(tmp_path):
    path = tmp_path / "ley.md"
    path.write_text(FRONT + "## TÍTULO I\n##### Art. 1.\nA.\n##### Disposición final.\nB.\n##### Art. 2.\nC.", "utf-8")
    assert [one.breadcrumb for one in read_law(path).provisions] == ["TÍTULO I", "Disposiciones finales", ""]


def test_an_annex_has_its_first_line_for_a_title(approved):
    one = provision(approved, "anexo:1")
    assert (one.label, one.title, one.text) == ("Anexo I", "Cuadro de descansos", "Doce horas entre jornadas.")


def test_heading_may_be_the_whole_text(approved):
    one = provision(approved, "art:4")
    assert (one.label, one.title, one.text) == ("Artículo 4", "", "Cabecera sin texto")


def test_preamble_and_signatures_are_left_out(approved):
    everything = "\n".join(one.text for one in approved.provisions)
    assert not any(word in everything for word in ("habla del descanso", "Dado en", "JUAN CARLOS", "El Ministro"))


def test_notes_are_no_text_and_name_the_last_amendment(amending):
    one = provision(amending, "art:1")
    assert one.text == "1. Esta ley regula pruebas."
    assert one.status == "modificada"
    assert one.status_note == (
        "Se modifica el apartado 1 por el art. 2.1 del Real Decreto-ley 8/2021, de 1 de julio (BOE-A-2021-1111)."
    )
    assert len(one.notes) == 2


def test_a_table_is_rows_of_text_and_a_superseded_wording_is_not_indexed(amending):
    one = provision(amending, "art:2")
    assert one.paragraphs == (
        "La escala es esta:",
        "Meses | %\n1 | 10\n2 | 20",
        "El resto, Br, se calcula así:",
        "[Imagen o fórmula: véase el texto en el BOE]",
    )
    assert one.status_note == "Se modifica por el art. 3 de la Ley 2/2021, de 5 de mayo (BOE-A-2021-0002)."


def test_a_table_below_a_superseded_wording_that_is_over_is_in_force():
    lines = [
        "###### Artículo 3. Duración.",
        "1. La escala es:",
        "> Redacción anterior:",
        '> "1. La escala era:"',
        "| Meses | Días |",
        "| --- | --- |",
        "| 12 | 4 |",
    ]
    assert next(read_provisions(lines)).paragraphs == ("1. La escala es:", "Meses | Días\n12 | 4")


def test_quoted_articles_belong_to_the_provision_that_quotes_them(amending):
    assert [one.key for one in amending.provisions] == ["art:1", "art:2", "da:unica", "df:1"]
    assert provision(amending, "da:unica").paragraphs[1:] == (
        "«Artículo 14. Derecho a la protección.",
        "1. Los trabajadores tienen derecho, según el artículo 16.",
        "Artículo 16. Plan.",
        "El plan se hará.»",
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe", "UTF-8"),
        ("# Una ley\n\n##### Artículo 1.\n\nTexto.".encode(), "cabecera"),
        (b'---\ntitle: "x\n---\n', "YAML"),
        (b"---\n- x\n---\n", "cabecera"),
        (FRONT.replace('identifier: "BOE-A-2000-1"\n', "").encode() + b"##### Art. 1.\n\nTexto.", "identifier"),
        (FRONT.replace("2000-01-02", "ayer").encode() + b"##### Art. 1.\n\nTexto.", "AAAA-MM-DD"),
        (FRONT.encode(), "no tiene texto"),
        (FRONT.encode() + b"# Ley\n\n##### Art. 1.\n", "no tiene texto"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, content, says):
    path = tmp_path / "rota.md"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"rota\.md") as error:
        read_law(path)
    assert says in str(error.value)


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(InvalidInput, match=r"nada\.md"):
        read_law(tmp_path / "nada.md")


def test_dates_of_yaml_and_windows_lines_are_read(tmp_path):
    path = tmp_path / "ley.md"
    path.write_bytes(
        FRONT.replace('"2000-01-02"', "2000-01-02").encode().replace(b"\n", b"\r\n") + b"##### Art. 1.\r\nA."
    )
    assert read_law(path).published == "2000-01-02"


def headed(*lines):
    return [(one.key, one.breadcrumb, one.text) for one in read_provisions(["##### Artículo 1.", "Uno.", *lines])]


def test_a_subsection_that_is_set_as_a_paragraph_is_no_text():
    assert headed("Subsección 2.ª Del pago. Otras normas", "##### Artículo 2.", "Dos.") == [
        ("art:1", "", "Uno."),
        ("art:2", "Subsección 2.ª Del pago. Otras normas", "Dos."),
    ]


def test_a_book_that_is_set_as_a_paragraph_takes_the_next_line_for_its_title():
    (_, second) = headed("LIBRO SEGUNDO", "De las pruebas", "## TÍTULO I", "##### Artículo 2.", "Dos.")
    assert second == ("art:2", "LIBRO SEGUNDO. De las pruebas > TÍTULO I", "Dos.")


def test_a_chapter_without_a_title_takes_the_next_heading_for_it():
    (_, second) = headed("### CAPÍTULO V", "# De las pruebas", "##### Artículo 2.", "Dos.")
    assert second[1] == "CAPÍTULO V. De las pruebas"
    (_, second) = headed("### CAPÍTULO V", "### (Derogado)", "##### Artículo 2.", "Dos.")
    assert second[1] == "CAPÍTULO V"


def test_lettered_caption_differs_from_the_last_letter_of_a_list():
    (_, second) = headed("#### Sección 1.ª Normas", "A) Por cuenta ajena", "##### Artículo 2.", "Dos.")
    assert second[1] == "Sección 1.ª Normas > A) Por cuenta ajena"
    assert headed("B) Los demás.", "##### Artículo 2.", "Dos.")[0][2] == "Uno.\n\nB) Los demás."
    assert headed("B) Los demás", "C) Nadie.")[0][2] == "Uno.\n\nB) Los demás\n\nC) Nadie."


def test_a_signature_may_lack_its_place():
    assert headed("Dado el 26 de noviembre de 2025.", "**FELIPE R.**", "La Ministra,") == [("art:1", "", "Uno.")]


def test_an_editorial_remark_is_a_note():
    lines = ["##### Artículo 1.", "Uno. (*)", "(*) Téngase en cuenta que hay otra."]
    (one,) = read_provisions(lines)
    assert (one.text, one.notes) == ("Uno. (*)", ("(*) Téngase en cuenta que hay otra.",))


def test_an_earlier_wording_that_a_note_quotes_is_neither_text_nor_note():
    note = "Téngase en cuenta que continuará siendo de aplicación lo previsto en su redacción anterior:"
    lines = [
        "###### Artículo 1.",
        "Uno.",
        f"> {note}",
        '> "1. Antes.',
        '> 2. También."',
        "> <small>Se modifica.</small>",
    ]
    (one,) = read_provisions(lines)
    assert (one.text, one.notes) == ("Uno.", (note, "Se modifica."))


@pytest.mark.parametrize(
    ("fields", "territory"),
    [
        ('scope: "Estatal"\ndepartment: "Jefatura del Estado"\n', None),
        ('scope: "Autonómico"\ndepartment: "Comunidad Foral de Navarra"\n', "Navarra"),
        ('jurisdiction: "es-an"\ndepartment: "Comunidad Autónoma de Andalucía"\n', "Andalucía"),
        ('jurisdiction: "es"\ndepartment: "Ministerio de la Presidencia"\n', None),
        ('ambito_code: "2"\ndepartment: "Comunidad Autónoma de Cataluña"\n', "Cataluña"),
        ('ambito_code: "1"\ndepartment: "Ministerio de Trabajo"\n', None),
    ],
)
def test_the_territory_is_the_community_whose_law_it_is(tmp_path, fields, territory):
    path = tmp_path / "ley.md"
    path.write_text(FRONT.removesuffix("---\n") + fields + "---\n##### Art. 1.\nA.", "utf-8")
    found = read_law(path).territory
    assert found is None if territory is None else territory in found
