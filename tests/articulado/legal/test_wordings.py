"""Which wording an answer about the law of another day rests on, and how sure that is."""

from datetime import date

import pytest
from support.doubles import make_chunk

from articulado.legal.wordings import (
    annotate_validity,
    certainty,
    first_day_known,
    past_law_warnings,
    tracked_laws,
    wording_note,
)
from articulado.prompting.fragments import neutralise
from articulado.retrieval.fusion import candidate

DAY = date(2021, 12, 31)
ET = "BOE-A-2015-11430"  # published on 24 October 2015
CHANGE = {
    "norm": "Ley 1/2022",
    "law_id": "BOE-A-2022-1",
    "act": "replaces",
    "day": "2022-03-30",
    "deduced_from": None,
    "published": None,
}
EXACT = {"tracked": True, "first_day": "exact", "last_day": "exact", "ended_by": [CHANGE]}
UNTIL = {"last_day": "exact", "ended_by": [CHANGE]}
AT_LEAST = {"last_day": "deduced", "ended_by": [CHANGE]}
GAP = {"last_day": "exact", "ended_by": [CHANGE, CHANGE]}
SOME_DAY = {"last_day": "unknown", "last_seen": "2020-05-01", "ended_by": []}
DEDUCED = {"first_day": "deduced", "brought_by": CHANGE}
ENDED = {"valid_from": "2015-10-24", "valid_to": "2022-03-30", "status": "modificada"}


def chunk(**fields):
    return make_chunk(1, "Artículo 15", law_id=ET, **fields)


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        (ENDED | {"wording": EXACT}, "Redacción vigente del 24/10/2015 al 29/03/2022"),
        (ENDED | {"wording": UNTIL}, "Redacción vigente del 24/10/2015 al 29/03/2022"),
        (ENDED | {"wording": AT_LEAST}, "Redacción vigente del 24/10/2015 al 29/03/2022 (fechas deducidas)"),
        (ENDED | {"wording": UNTIL, "valid_from": None}, "Redacción vigente hasta el 29/03/2022"),
        ({"valid_from": "2019-03-08", "wording": EXACT}, "Redacción vigente desde el 08/03/2019"),
        # A day that only the law itself gives may be that of an earlier wording.
        ({"valid_from": "2019-03-08"}, "Única redacción en el índice: compruebe la del 31/12/2021"),
        (
            {"valid_from": "2019-03-08", "wording": DEDUCED},
            "Redacción vigente desde el 08/03/2019 (fecha deducida)",
        ),
        ({"valid_from": "2015-10-24"}, "Única redacción en el índice: compruebe la del 31/12/2021"),
        (
            {"valid_from": "2015-10-24", "source": "plain_language"},
            "Resume la redacción de hoy: compruebe la del 31/12/2021",
        ),
        ({"valid_from": "2022-01-01"}, "Rige desde el 01/01/2022: no es la redacción del 31/12/2021"),
        (ENDED | {"valid_to": "2021-12-31"}, "Rigió hasta el 30/12/2021: no es la redacción del 31/12/2021"),
        ({"valid_from": "2015-10-24", "chunk_type": "doctrine"}, ""),
    ],
)
def test_wording_note_of_each_case(fields, note):
    assert wording_note(chunk(**fields), DAY, frozenset()) == note
    assert len(note) <= 73
    assert neutralise(note) == note


def test_unamended_wordings_of_annotated_sources_are_as_old_as_their_law():
    article = chunk(valid_from="2015-10-24")
    amended = make_chunk(2, "Artículo 16", law_id=ET, notes=["Se modifica por la Ley 1/2018."])
    tracked = tracked_laws([article, amended])
    assert tracked == {ET}
    assert wording_note(article, DAY, tracked) == "Redacción vigente desde el 24/10/2015"
    assert wording_note(chunk(valid_from="2015-10-24", notes=["Se modifica."]), DAY, tracked).startswith("Única")
    assert tracked_laws([article, {**amended, "source": "plain_language"}]) == frozenset()
    assert tracked_laws([chunk(wording=EXACT)]) == {ET}
    # That its end is known says nothing of its beginning: two snapshots were compared, and the source has no notes.
    assert tracked_laws([chunk(wording=UNTIL)]) == frozenset()


LAW_DAYS = {"published": "2015-10-24", "begins": "2015-11-13", "changed": "2021-12-29"}


def test_a_day_after_the_last_change_of_the_law_asks_for_no_warning():
    unchanged = chunk(valid_from="2015-10-24", law_days=LAW_DAYS)
    assert certainty(unchanged, DAY, frozenset()) == "sure"
    assert past_law_warnings(DAY, {"C1": candidate(unchanged, 1.0, "hybrid")}, frozenset()) == []
    assert wording_note(unchanged, DAY, frozenset()) == "Norma sin cambios publicados desde el 29/12/2021"
    assert certainty(unchanged, date(2021, 12, 28), frozenset()) == "unknown"


@pytest.mark.parametrize(
    ("fields", "day"),
    [
        ({}, "2015-11-13"),
        ({"law_days": LAW_DAYS}, None),
        ({"law_days": {**LAW_DAYS, "changed": "2015-10-24"}}, "2015-11-13"),
        ({"law_days": {**LAW_DAYS, "changed": "2015-10-24", "begins": None}}, None),
        ({"source": "plain_language"}, None),
        ({"law_days": LAW_DAYS, "valid_from": "2019-03-08", "wording": DEDUCED}, "2019-03-08"),
    ],
)
def test_first_day_known_of_each_case(fields, day):
    assert first_day_known(chunk(**{"valid_from": "2015-11-13", **fields})) == day
    tracked = first_day_known(chunk(valid_from="2015-11-13", law_days=LAW_DAYS), frozenset({ET}))
    assert tracked == "2015-11-13"


SURE = chunk(**ENDED, wording=UNTIL)


@pytest.mark.parametrize(
    ("cited", "warnings"),
    [
        ({"C1": SURE}, ["{}: las redacciones citadas son las que regían ese día."]),
        ({"C1": SURE | {"wording": AT_LEAST}}, ["{}: las redacciones citadas son las que regían ese día."]),
        (
            {"C1": chunk(valid_from="2019-03-08", wording=DEDUCED)},
            ["{}: las redacciones citadas son las que regían ese día."],
        ),
        (
            {"C1": SURE, "C2": chunk(valid_from="2015-10-24"), "C4": SURE | {"wording": GAP}},
            ["{}. No consta con seguridad cuál era entonces la redacción de C2 y C4: compruébela."],
        ),
        (
            {"C1": SURE | {"wording": SOME_DAY}, "C2": chunk(valid_from="2021-03-08", wording=DEDUCED)},
            ["{}. No consta con seguridad cuál era entonces la redacción de C1 y C2: compruébela."],
        ),
        (
            {"C1": SURE, "C2": chunk(valid_from="2022-01-01")},
            ["{}.", "La redacción citada de C2 no estaba en vigor ese día: compruebe la de entonces."],
        ),
        (
            {"C1": chunk(chunk_type="doctrine")},
            ["{}. De cada norma el índice puede tener solo su última redacción: compruebe en el BOE la de esa fecha."],
        ),
        (
            {},
            ["{}. De cada norma el índice puede tener solo su última redacción: compruebe en el BOE la de esa fecha."],
        ),
    ],
)
def test_past_law_warnings_of_each_case(cited, warnings):
    candidates = {mark: candidate(fragment, 1.0, "hybrid") for mark, fragment in cited.items()}
    asked = "La pregunta se refiere al derecho vigente el 31/12/2021"
    assert past_law_warnings(DAY, candidates, frozenset()) == [warning.format(asked) for warning in warnings]
    assert past_law_warnings(None, candidates, frozenset()) == []


@pytest.mark.parametrize("wording", [EXACT, UNTIL, AT_LEAST, GAP, SOME_DAY, DEDUCED])
def test_notes_do_not_change_the_certainty_of_tracked_wordings(wording):
    plain = chunk(**ENDED, wording=wording)
    noted = {**plain, "status_note": "Superado: hoy son 40. No constan otras; se deduce que al menos el lunes."}
    annotated = annotate_validity(candidate(noted, 1.0, "direct"), date(2023, 1, 1))["chunk"]
    assert annotated["status_note"].startswith("Esta redacción rigió hasta el 29/03/2022 y no es la del 01/01/2023")
    for variant in (noted, annotated):
        assert certainty(variant, DAY, frozenset()) == certainty(plain, DAY, frozenset())
        assert wording_note(variant, DAY, frozenset()) == wording_note(plain, DAY, frozenset())
        assert tracked_laws([variant]) == tracked_laws([plain])


def test_named_provisions_are_not_warned_of_twice():
    later = chunk(valid_from="2022-01-01")
    candidates = {"C1": candidate(later, 1.0, "direct")}
    assert past_law_warnings(DAY, candidates, frozenset()) == [
        "La pregunta se refiere al derecho vigente el 31/12/2021."
    ]
