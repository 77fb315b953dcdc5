"""The first day of a law by its own final provision, and the notes at its head."""

import pytest

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.history.amendments import abridged, bears_on, entry_into_force
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Provision


def final(text):
    return [Provision("Disposición final primera", "df:1", "Entrada en vigor", "", (text,))]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("La presente Ley entrará en vigor a los dos meses de su publicación en el «BOE».", "2011-12-11"),
        ("El presente real decreto entrará en vigor el día siguiente al de su publicación en el «BOE».", "2011-10-12"),
        ("Esta ley entrará en vigor el 1 de enero de 2012.", "2012-01-01"),
        (
            "La presente ley entrará en vigor el día primero del segundo mes siguiente al de su publicación.",
            "2011-12-01",
        ),
        ("Este real decreto entrará en vigor a los veinte días de su publicación.", "2011-10-31"),
        ("La presente ley entrará en vigor al año de su publicación.", "2012-10-11"),
        ("La presente ley entrará en vigor al día siguiente de su publicación, salvo su artículo 2.", None),
        ("Este real decreto entrará en vigor el día siguiente y surtirá efectos desde el 1 de enero.", None),
        ("El convenio entrará en vigor en la fecha en que acuerden las partes.", None),
        ("La presente ley entrará en vigor cuando se apruebe su reglamento.", None),
    ],
)
def test_a_law_begins_on_the_day_that_it_says_itself(said, day):
    assert entry_into_force(final(said), "2011-10-11") == day


def test_two_days_are_no_certain_one():
    texts = ("Esta ley entrará en vigor el 1 de enero de 2012.", "Esta ley entrará en vigor el 1 de mayo de 2012.")
    assert entry_into_force([*final(texts[0]), *final(texts[1])], "2011-10-11") is None


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
    assert "law_notes" not in scope
    [note] = court["law_notes"]
    assert note.endswith("a los Juzgados […] se entenderán referidas a las Secciones de los Tribunales de Instancia.")


def test_a_note_on_other_names_bears_on_the_texts_that_have_them():
    secretaries = "Todas las referencias a Secretarios judiciales se entenderán hechas a Letrados."
    assert bears_on(secretaries, "El secretario judicial citará a las partes.")
    assert not bears_on(secretaries, "El trabajador tendrá vacaciones.")
    assert not bears_on("Téngase en cuenta el desarrollo de este texto.", "El texto y el desarrollo.")
    assert abridged(secretaries) == secretaries
