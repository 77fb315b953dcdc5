"""What is said in Spanish of the days of a wording."""

import pytest

from articulado.legal.wordings import FIRST_DAY_DEDUCED, wording_hash, wording_status_note


def change(**fields):
    return {
        "norm": "Ley 5/2010, de 3 de mayo",
        "law_id": "BOE-A-2010-5",
        "act": "replaces",
        "day": "2010-06-01",
        "deduced_from": None,
        "published": "2010-05-04",
    } | fields


TRACKED = {"tracked": True, "first_day": "exact", "last_day": "exact"}
ENACTED = {"deduced_from": "enactment", "day": "2010-05-04", "published": "2010-05-03"}
PUBLISHED = {"deduced_from": "publication", "day": "2010-05-05"}
DECREE = {"norm": "Real Decreto-ley 9/2011, de 2 de enero", "law_id": "BOE-A-2011-9", "day": "2011-01-03"}


@pytest.mark.parametrize(
    ("wording", "note"),
    [
        (
            TRACKED | {"ended_by": [change()]},
            "Redacción en vigor del 1 de marzo de 2001 al 31 de mayo de 2010; "
            "la sustituye la Ley 5/2010, de 3 de mayo (BOE-A-2010-5).",
        ),
        (
            TRACKED | {"ended_by": [change(norm="", law_id="")]},
            "Redacción en vigor del 1 de marzo de 2001 al 31 de mayo de 2010; la sustituye otra posterior.",
        ),
        (
            TRACKED | {"ended_by": [change(norm="Sentencias del TC 5/2010", act="amends")]},
            "Redacción en vigor del 1 de marzo de 2001 al 31 de mayo de 2010; "
            "la modifica las Sentencias del TC 5/2010 (BOE-A-2010-5).",
        ),
        (
            TRACKED | {"ended_by": []},
            "Redacción en vigor del 1 de marzo de 2001 al 31 de mayo de 2010; después, sin vigencia.",
        ),
        (
            {"last_day": "exact", "ended_by": [change(act="repeals")]},
            "Redacción en vigor hasta el 31 de mayo de 2010; "
            "la deroga o suprime la Ley 5/2010, de 3 de mayo (BOE-A-2010-5).",
        ),
        (
            {"first_day": "deduced", "last_day": "deduced", "ended_by": [change(**PUBLISHED)], "tables_lost": True},
            "Redacción en vigor al menos hasta el 4 de mayo de 2010, día en que se publicó "
            "la Ley 5/2010, de 3 de mayo (BOE-A-2010-5), que la sustituye. "
            "La fuente no recoge los cuadros de esta redacción, si los tenía.",
        ),
        (
            {"last_day": "deduced", "ended_by": [change(**DECREE | ENACTED)]},
            "Redacción en vigor al menos hasta el 3 de mayo de 2010, fecha del "
            "Real Decreto-ley 9/2011, de 2 de enero (BOE-A-2011-9), que la sustituye.",
        ),
        (
            {"last_day": "exact", "ended_by": [change(act="amends"), change(norm="", act="repeals", day="2011-01-03")]},
            "Redacción en vigor hasta el 31 de mayo de 2010; la modifica la Ley 5/2010, de 3 de mayo (BOE-A-2010-5). "
            "No constan aquí las redacciones siguientes, hasta que la norma BOE-A-2010-5 la deroga o suprime, "
            "desde el 3 de enero de 2011.",
        ),
        (
            {"last_day": "unknown", "last_seen": "2009-09-29", "ended_by": []},
            "Redacción en vigor al menos el 29 de septiembre de 2009; dejó de estarlo un día que no consta, "
            "a más tardar el 1 de junio de 2010.",
        ),
    ],
)
def test_notes_on_ended_wordings(wording, note):
    assert wording_status_note(wording, "2001-03-01", "2010-06-01", "Se modifica por la Ley 1/2001.") == note


@pytest.mark.parametrize(
    ("wording", "source_note", "note"),
    [
        ({}, "", ""),
        ({}, "Se modifica.", "Se modifica."),
        ({"tracked": True, "first_day": "exact"}, "Se modifica.", "Se modifica."),
        ({"first_day": "unknown"}, "", FIRST_DAY_DEDUCED),
        (
            {"first_day": "deduced", "brought_by": change(**PUBLISHED)},
            "Se modifica.",
            f"Se modifica. {FIRST_DAY_DEDUCED}",
        ),
        (
            {"first_day": "deduced", "brought_by": change(**PUBLISHED)},
            "",
            "Redacción dada por la Ley 5/2010, de 3 de mayo (BOE-A-2010-5), publicada el 4 de mayo de 2010. "
            f"{FIRST_DAY_DEDUCED}",
        ),
        (
            {"first_day": "exact", "brought_by": change()},
            "",
            "Redacción dada por la Ley 5/2010, de 3 de mayo (BOE-A-2010-5), en vigor desde el 1 de junio de 2010.",
        ),
        ({"first_day": "exact", "brought_by": change()}, "Se modifica.", "Se modifica."),
    ],
)
def test_notes_on_wordings_in_force(wording, source_note, note):
    assert wording_status_note(wording, "2010-06-01", None, source_note) == note


def test_the_hash_depends_only_on_the_words():
    assert wording_hash("1. El  plazo, de días.") == wording_hash("1 EL PLAZO DE DIAS")
    assert wording_hash("1. El plazo.") != wording_hash("2. El plazo.")
