"""Points of records as they are written, and records that may be told."""

import pytest

from articulado.answering.rating import plain_words, read_point
from articulado.prompting.fragments import Fragment
from articulado.store.records.chunks import packaged_law_records

RECORD = packaged_law_records()[("BOE-A-2015-11430", "art:38")]


@pytest.mark.parametrize(
    ("line", "text", "apartado", "letters"),
    [
        ("1. Son 30 días.", "Son 30 días.", "1", ()),
        ("3.a) Hay que avisar.", "Hay que avisar.", "3", ("a",)),
        ("3.b bis) Hay 2 días.", "Hay 2 días.", "3", ("b bis",)),
        ("3.e) y f) Se pagan.", "Se pagan.", "3", ("e", "f")),
        ("j), k) y l) Se juzga.", "Se juzga.", "", ("j", "k", "l")),
        ("1 y 2. Se reconoce.", "Se reconoce.", "1", ()),
        ("Dos. Se suspende.", "Se suspende.", "2", ()),
        ("1.a)1.º Hay motivo.", "Hay motivo.", "1", ("a",)),
        ("Hay un plazo. Es breve.", "Hay un plazo. Es breve.", "", ()),
        ("El 3. de mayo.", "El 3. de mayo.", "", ()),
    ],
)
def test_a_point_begins_with_its_apartado_and_its_letters(line, text, apartado, letters):
    point = read_point(line)
    assert (point.text, point.apartado, point.letters) == (text, apartado, letters)


def fragment(summary, law_id="BOE-A-2015-11430"):
    named = {"law_id": law_id, "provision_key": "art:38"}
    return Fragment("[C1]", "ET", "Artículo 38", "Vacaciones", "", summary, "", "Texto.", "", official=True, **named)


def test_a_record_is_told_where_the_prompt_has_its_summary():
    words = plain_words([fragment(RECORD.summary)])
    assert words is not None
    assert len(words.points) == len(RECORD.points)
    assert words.summary[0].startswith("Mínimo 30 días naturales")


@pytest.mark.parametrize("summary", ["", "Otra redacción."])
def test_a_record_on_another_wording_is_not_told(summary):
    assert plain_words([fragment(summary)]) is None


def test_a_law_that_is_not_known_has_no_record():
    assert plain_words([fragment(RECORD.summary, law_id="BOE-A-1900-1")]) is None
