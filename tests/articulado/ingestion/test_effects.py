"""Days of effect by the final provisions of a law, and the notes at its head."""

import pytest
from support.paths import SHARED

from articulado.ingestion.boe.reader import read_boe
from articulado.ingestion.chunking.chunks import abridged, bears_on, law_chunks
from articulado.ingestion.effects import effects_of
from articulado.ingestion.files.reader import read_document
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Provision
from articulado.legal.laws.registry import known_laws

PUBLISHED = "2011-10-11"
LAWS = SHARED / "corpus" / "laws"


def final(text, title="Entrada en vigor"):
    """Return seven articles in two titles, an additional provision, and the final provision with a text."""
    divisions = ["TÍTULO I. Uno"] * 2 + ["TÍTULO II. Dos > CAPÍTULO I. A"] * 2 + ["TÍTULO II. Dos > CAPÍTULO II. B"] * 3
    return [
        *(Provision(f"Artículo {n}", f"art:{n}", "", above, ("Texto.",)) for n, above in enumerate(divisions, start=1)),
        Provision("Disposición adicional segunda", "da:2", "", "", ("Texto.",)),
        Provision("Disposición final primera", "df:1", title, "", tuple(text.split("\n"))),
    ]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("La presente Ley entrará en vigor a los dos meses de su publicación en el «BOE».", "2011-12-11"),
        ("El presente real decreto entrará en vigor el día siguiente al de su publicación en el «BOE».", "2011-10-12"),
        ("La presente Ley entrará en vigor al día siguiente de su publicación.", "2011-10-12"),
        ("Esta ley entra en vigor el mismo día de su publicación.", "2011-10-11"),
        ("Esta ley entrará en vigor el 1 de enero de 2012.", "2012-01-01"),
        ("Esta ley entrará en vigor el próximo 1 de enero.", "2012-01-01"),
        (
            "La presente ley entrará en vigor el día primero del segundo mes siguiente al de su publicación.",
            "2011-12-01",
        ),
        ("Entrará en vigor el primer día del mes siguiente al de su publicación.", "2011-11-01"),
        ("Este real decreto entrará en vigor a los veinte días de su publicación.", "2011-10-31"),
        ("Esta ley entrará en vigor a los 20 días de su completa publicación en el Boletín Oficial.", "2011-10-31"),
        ("La presente ley entrará en vigor al año de su publicación.", "2012-10-11"),
        ("Esta ley entrará en vigor seis meses después de su publicación.", "2012-04-11"),
        ("Esta ley entrará en vigor transcurridos tres meses desde su publicación.", "2012-01-11"),
        ("Entrará en vigor en el plazo de un mes, a contar desde el día siguiente al de su publicación.", "2011-11-11"),
        ("Se autoriza al Ministro para aplicar el presente real decreto, que entrará en vigor el 2 de mayo de 2012.",
         "2012-05-02"),
        ("El convenio entrará en vigor en la fecha en que acuerden las partes.", None),
        ("La presente ley entrará en vigor cuando se apruebe su reglamento.", None),
    ],
)  # fmt: skip
def test_a_law_begins_on_the_day_that_it_says_itself(said, day):
    effects = effects_of(final(said), PUBLISHED)
    assert (effects.begins, effects.ends, effects.own, effects.parts) == (day, None, {}, {})


@pytest.mark.parametrize(
    ("said", "entry", "begins", "ends"),
    [
        (
            "Este real decreto entrará en vigor el día siguiente al de su publicación y surtirá efectos desde el 1 de "
            "enero de 2011.",
            "2011-10-12", "2011-01-01", None,
        ),
        ("Esta orden entrará en vigor al día siguiente de su publicación, con efectos de 1 de enero.",
         "2011-10-12", "2011-01-01", None),
        ("La orden producirá efectos a partir del 1 de enero de 2012 y entrará en vigor el día de su publicación.",
         "2011-10-11", "2012-01-01", None),
        (
            "Esta norma entrará en vigor el día siguiente al de su publicación y surtirá efectos durante el período "
            "comprendido entre el 1 de enero y el 31 de diciembre de 2011.",
            "2011-10-12", "2011-01-01", "2012-01-01",
        ),
        ("Lo dispuesto en esta orden surtirá efectos desde el 1 de abril hasta el 30 de junio de 2012.",
         None, "2012-04-01", "2012-07-01"),
        (
            "El presente real decreto entrará en vigor el día siguiente y, de acuerdo con la Ley 27/2011, de 1 de "
            "agosto, surtirá efectos desde el 1 de enero de 2012.",
            None, "2012-01-01", None,
        ),
        ("Será de aplicación desde el 1 de marzo de 2012.", "2012-03-01", "2012-03-01", None),
    ],
)  # fmt: skip
def test_effects_may_begin_on_another_day_than_the_entry_into_force(said, entry, begins, ends):
    effects = effects_of(final(said), PUBLISHED)
    assert effects.begins == begins
    assert effects.ends == ends
    assert entry is None or effects.entry == entry or effects.entry is None


@pytest.mark.parametrize(
    ("said", "begins", "own"),
    [
        ("Esta ley entra en vigor el día siguiente al de su publicación; el artículo 2, el 1 de julio de 2012.",
         "2011-10-12", {"art:2": "2012-07-01"}),
        ("Esta ley entrará en vigor el 1 de enero de 2012, salvo los artículos 3 a 5, que lo harán al año.",
         "2012-01-01", {"art:3": "2012-10-11", "art:4": "2012-10-11", "art:5": "2012-10-11"}),
        (
            "Esta ley entrará en vigor el 1 de enero de 2012. No obstante, el artículo 4 y la disposición adicional "
            "segunda entrarán en vigor el 1 de julio de 2012.",
            "2012-01-01", {"art:4": "2012-07-01", "da:2": "2012-07-01"},
        ),
        (
            "1. Esta ley entrará en vigor el 1 de enero de 2012, sin perjuicio del apartado siguiente.\n"
            "2. El capítulo II del título II entrará en vigor a los seis meses de la entrada en vigor de esta ley.",
            "2012-01-01", {"art:5": "2012-07-01", "art:6": "2012-07-01", "art:7": "2012-07-01"},
        ),
        (
            "Esta ley entrará en vigor a los veinte días de su publicación, con las siguientes excepciones:\n"
            "a) El artículo 1 entrará en vigor el 1 de marzo de 2012.\nb) Los artículos 2 y 3, el 1 de abril de 2012.",
            "2011-10-31", {"art:1": "2012-03-01", "art:2": "2012-04-01", "art:3": "2012-04-01"},
        ),
        (
            "1. Esta ley entrará en vigor al día siguiente de su publicación.\n2. Entrarán en vigor a los tres meses "
            "de su publicación los siguientes preceptos:\na) El artículo 4.\nb) El artículo 6.",
            "2011-10-12", {"art:4": "2012-01-11", "art:6": "2012-01-11"},
        ),
        ("Lo dispuesto en el artículo 5 entrará en vigor el 15 de junio de 2012, y el resto de la ley el día siguiente "
         "al de su publicación.", "2011-10-12", {"art:5": "2012-06-15"}),
        ("Entrará en vigor al mes de su publicación. El artículo 2 surtirá efectos desde el 1 de enero de 2011.",
         "2011-11-11", {"art:2": "2011-01-01"}),
        # Of an exception without a day nothing is known.
        ("La presente ley entrará en vigor al día siguiente de su publicación, salvo su artículo 2.",
         "2011-10-12", {}),
        ("Salvo el artículo 3, esta ley entrará en vigor el 1 de enero de 2012.", "2012-01-01", {}),
    ],
)  # fmt: skip
def test_provisions_may_have_days_of_their_own(said, begins, own):
    effects = effects_of(final(said), PUBLISHED)
    assert (effects.begins, effects.own, effects.parts) == (begins, own, {})


@pytest.mark.parametrize(
    ("part", "keys"),
    [
        ("el apartado 2 del artículo 6", ["art:6"]),
        ("el artículo 6.2", ["art:6"]),
        ("el artículo 3, letras b) y c),", ["art:3"]),
        ("el artículo 3, en su apartado 4,", ["art:3"]),
        ("los apartados 2 de los artículos 5 y 6", ["art:5", "art:6"]),
    ],
)
def test_a_provision_of_which_only_a_part_begins_later_says_so(part, keys):
    said = f"Esta ley entrará en vigor el 1 de enero de 2012, excepto {part} que lo hará el 1 de abril de 2012."
    effects = effects_of(final(said), PUBLISHED)
    assert sorted({*effects.parts, *effects.own}) == keys
    note = "Una parte de su texto rige desde el 1 de abril de 2012 (Disposición final primera)."
    assert effects.parts[keys[0]] == ("2012-04-01", note)


def test_two_different_days_give_none():
    texts = "Esta ley entrará en vigor el 1 de enero de 2012.", "Esta ley entrará en vigor el 1 de mayo de 2012."
    assert effects_of(final("\n".join(texts)), PUBLISHED).begins is None


def test_the_days_of_quoted_laws_and_other_matters_are_not_those_of_the_law():
    said = (
        "«La presente ley entrará en vigor al año de su publicación.»\n"
        "El despido surtirá efectos desde el 1 de enero de 2012.\n"
        "Con efectos desde el 1 de enero de 2013, se modifica el artículo 3 de esta ley."
    )
    effects = effects_of(final(said, "Modificación de la Ley 1/2000"), PUBLISHED)
    assert (effects.begins, effects.own) == (None, {})


@pytest.mark.skipif(not LAWS.is_dir(), reason="the real laws are not beside the checkout")
def test_real_laws_begin_on_the_days_of_the_registry():
    """The registry has the days that a person read; the Estatuto and two other laws say none in their own text."""
    laws = [read_law(file) for file in sorted(LAWS.glob("*.md"))]
    read = {law.id: effects_of(law.provisions, law.published).begins for law in laws}
    known = {id_: law.begins.isoformat() for id_, law in known_laws().items() if law.begins and read.get(id_)}
    assert len(known) > 55
    assert {id_: read[id_] for id_ in known} == known


LAW = """---
title: "Ley 1/2030, de prueba"
identifier: "BOE-A-2030-1"
rank: "ley"
publication_date: "2030-01-10"
last_updated: "2031-02-03"
status: "in_force"
---
# Ley 1/2030, de prueba

Téngase en cuenta que las referencias realizadas en esta ley a los Juzgados de lo Penal, de Menores, de lo Social se \
entenderán referidas a las Secciones de los Tribunales de Instancia; y algo más. Ref. BOE-A-2025-76#da

##### Artículo 1. Objeto.

Esta ley regula el trabajo.

##### Artículo 2. Competencia.

La demanda se presentará ante el Juzgado de lo Social.

##### Disposición final única. Entrada en vigor.

Esta ley entrará en vigor a los dos meses de su publicación en el «Boletín Oficial del Estado».
"""


def test_the_days_and_the_head_note_of_a_law_go_with_its_chunks(tmp_path):
    file = tmp_path / "BOE-A-2030-1.md"
    file.write_text(LAW, encoding="utf-8")
    scope, court, _ = law_chunks(read_law(file))
    assert scope["law_days"] == {"published": "2030-01-10", "begins": "2030-03-10", "changed": "2031-02-03"}
    assert {chunk["valid_from"] for chunk in (scope, court)} == {"2030-03-10"}
    assert "law_notes" not in scope
    [note] = court["law_notes"]
    assert note.endswith("a los Juzgados […] se entenderán referidas a las Secciones de los Tribunales de Instancia.")


def test_note_on_renamed_bodies_concerns_texts_that_name_them():
    secretaries = "Todas las referencias a Secretarios judiciales se entenderán hechas a Letrados."
    assert bears_on(secretaries, "El secretario judicial citará a las partes.")
    assert not bears_on(secretaries, "El trabajador tendrá vacaciones.")
    assert not bears_on("Téngase en cuenta el desarrollo de este texto.", "El texto y el desarrollo.")
    assert abridged(secretaries) == secretaries


def test_a_norm_that_sets_no_day_begins_twenty_days_after_its_publication(tmp_path):
    file = tmp_path / "BOE-A-2030-1.md"
    file.write_text(LAW.partition("##### Disposición final")[0], encoding="utf-8")
    assert {chunk["valid_from"] for chunk in law_chunks(read_law(file))} == {"2030-01-30"}


XML = """<response><data><metadatos><identificador>BOE-A-2030-2</identificador><rango codigo="1340">Real Decreto</rango>
<titulo>Real Decreto 2/2030, de cuantías</titulo><fecha_publicacion>20300220</fecha_publicacion>
<fecha_vigencia>20300221</fecha_vigencia></metadatos><texto>
<bloque id="a1" titulo="Artículo 1"><version {day}><p class="parrafo">La cuantía es de 9 euros.</p></version>
<version fecha_publicacion="20301110" fecha_vigencia="20310101"><p class="parrafo">La cuantía es de 10 euros.</p>
</version></bloque>
<bloque id="a2" titulo="Artículo 2"><version {day}><p class="parrafo">Se paga cada mes.</p></version></bloque>
<bloque id="df" titulo="Disposición final única"><version {day}>
<p class="articulo">Disposición final única. Entrada en vigor.</p>
<p class="parrafo">Este real decreto entrará en vigor el día siguiente al de su publicación, con efectos desde el 1 de \
enero de 2030, salvo el artículo 2, que lo hará el 1 de julio de 2030.</p></version></bloque></texto></data></response>
"""


@pytest.mark.parametrize(
    "day", ['fecha_publicacion="20300220" fecha_vigencia="20300221"', 'fecha_publicacion="20300220"', ""]
)
def test_the_first_wordings_of_an_xml_file_have_the_days_that_its_text_gives_them(tmp_path, day):
    file = tmp_path / "BOE-A-2030-2.xml"
    file.write_text(XML.format(day=day), encoding="utf-8")
    days = [(one["provision"], one["valid_from"], one["valid_to"]) for one in law_chunks(read_boe(file))]
    assert days == [
        ("Artículo 1", "2030-01-01", "2031-01-01"),
        ("Artículo 1", "2031-01-01", None),
        ("Artículo 2", "2030-07-01", None),
        ("Disposición final única", "2030-01-01", None),
    ]


@pytest.mark.parametrize(("header", "first"), [("date: 2030-05-02", "2030-05-03"), ("title: Normas de turnos", None)])
def test_users_file_starts_on_the_day_of_its_text(tmp_path, header, first):
    articles = "\n\n".join(f"Artículo {number}. Turno {number}.\n\nEl turno es de 8 horas." for number in (1, 2, 3))
    final_text = (
        "Disposición final única. Entrada en vigor.\n\nEste reglamento entrará en vigor el día siguiente al de su "
        "publicación, salvo el artículo 3, que entrará en vigor el 1 de enero de 2031."
    )
    file = tmp_path / "turnos.md"
    file.write_text(f"---\n{header}\n---\n{articles}\n\n{final_text}\n", encoding="utf-8")
    days = [one["valid_from"] for one in law_chunks(read_document(file))]
    assert days == [first, first, "2031-01-01", first]
