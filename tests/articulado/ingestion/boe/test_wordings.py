"""The wordings of the BOE's blocks: their days, their notes and their keys."""

from datetime import date, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.boe_law import LAW, article, block, note, posterior, read_law_of, version

from articulado.ingestion.boe.reader import read_boe
from articulado.ingestion.boe.wordings import iso_day, wordings
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.model import Provision, unique_keys, unique_wording_keys


@pytest.fixture
def read(tmp_path):
    return partial(read_law_of, tmp_path)


def by(norm, law_id, day):
    """What is known of a norm that took the place of a wording on a day."""
    return {
        "norm": norm,
        "law_id": law_id,
        "act": "replaces",
        "day": day,
        "deduced_from": None,
        "published": None,
    }


def test_every_wording_has_its_days_and_its_note(read):
    law = read(
        block(
            "Artículo 1",
            version(
                article("Artículo 1. Nuevo.", "Segundo.")
                + note("Se modifica por el art. 2 de la Ley 5/2010, de 3 de mayo. Ref. BOE-A-2010-5#a2"),
                "20100601",
                "20100504",
                "BOE-A-2010-5",
            ),
            version(article("Artículo 1. Viejo.", "Primero.")),
            id="a1-9",
        )
    )
    old, new = law.provisions
    assert (old.key, old.title, old.text, old.valid_from, old.valid_to) == (
        "art:1",
        "Viejo",
        "Primero.",
        "2001-03-01",
        "2010-06-01",
    )
    assert (old.status, old.status_note) == ("modificada", "")
    assert old.wording == {
        "tracked": True,
        "first_day": "exact",
        "last_day": "exact",
        "ended_by": [by("Ley 5/2010, de 3 de mayo", "BOE-A-2010-5", "2010-06-01")],
    }
    assert (new.key, new.title, new.text, new.valid_from, new.valid_to) == (
        "art:1",
        "Nuevo",
        "Segundo.",
        "2010-06-01",
        None,
    )
    assert new.notes == ("Se modifica por el art. 2 de la Ley 5/2010, de 3 de mayo. Ref. BOE-A-2010-5#a2",)
    assert (new.status, new.status_note) == (
        "modificada",
        "Se modifica por el art. 2 de la Ley 5/2010, de 3 de mayo (BOE-A-2010-5).",
    )
    assert new.wording == {"tracked": True, "first_day": "exact"}
    assert {one.url for one in law.provisions} == {f"https://www.boe.es/buscar/act.php?id={LAW}#a1-9"}
    chunks = law_chunks(law)
    assert len({chunk["id"] for chunk in chunks}) == 2
    assert [chunk["wording"] for chunk in chunks] == [old.wording, new.wording]
    assert [chunk["status_note"] for chunk in chunks] == [
        "Redacción en vigor del 1 de marzo de 2001 al 31 de mayo de 2010; "
        "la sustituye la Ley 5/2010, de 3 de mayo (BOE-A-2010-5).",
        new.status_note,
    ]


def test_the_norm_without_a_note_is_named_from_the_analysis(read):
    versions = [version("<p>Uno.</p>"), version("<p>Dos.</p>", "20150102", "20150101", "BOE-A-2015-1")]
    later = posterior("270", "BOE-A-2015-1", "lo indicado, por Orden ESS/86/2015, de 30 de enero")
    named, _ = read(block("Artículo 1", *versions), later=later).provisions
    assert named.wording["ended_by"] == [by("Orden ESS/86/2015, de 30 de enero", "BOE-A-2015-1", "2015-01-02")]
    unnamed, _ = read(block("Artículo 1", *versions)).provisions
    assert unnamed.wording["ended_by"] == [by("", "BOE-A-2015-1", "2015-01-02")]


def test_a_wording_of_the_future_is_kept_with_its_day(read):
    now, then = read(
        block("Artículo 1", "<p>Hoy.</p>", version("<p>Mañana.</p>", "20250101", "20240501", "BOE-A-2024-1"))
    ).provisions
    assert (now.valid_to, then.valid_from) == ("2025-01-01", "2025-01-01")
    assert now.wording["ended_by"] == [by("", "BOE-A-2024-1", "2025-01-01")]


def test_note_is_the_same_before_and_after_the_effective_day(tmp_path, read):
    read(block("Artículo 1", "<p>Hoy.</p>", version("<p>Mañana.</p>", "20250101", "20240501", "BOE-A-2024-1")))
    before, after = (read_boe(tmp_path / "full.xml", today=day) for day in (date(2024, 12, 31), date(2025, 1, 1)))
    assert before == after


def test_a_judgment_modifies_a_wording(read):
    old, _ = read(
        block(
            "Artículo 1",
            "<p>Uno.</p>",
            version(
                "<p>(Anulado)</p>"
                + note("Se declara nulo por Sentencia del TC 5/2018, de 24 de mayo. Ref. BOE-A-2018-8"),
                "20180622",
                "20180622",
                "BOE-A-2018-8",
            ),
        )
    ).provisions
    ruling = by("Sentencia del TC 5/2018, de 24 de mayo", "BOE-A-2018-8", "2018-06-22")
    assert old.wording["ended_by"] == [ruling | {"act": "amends"}]


def test_of_two_wordings_of_one_day_the_later_published_counts(read):
    law = read(
        block(
            "Artículo 1",
            version("<p>Publicada después.</p>", "20100101", "20091220"),
            version("<p>Publicada antes.</p>", "20100101", "20091201"),
        )
    )
    assert [one.text for one in law.provisions] == ["Publicada después."]


@pytest.mark.parametrize("start", ["", "99999999", "09980101", "20011332", "2001"])
def test_invalid_day_falls_back_to_the_publication(read, start):
    (one,) = read(block("Artículo 1", version("<p>Uno.</p>", start, "20010203"))).provisions
    assert one.valid_from == "2001-02-03"


def test_a_retroactive_wording(read):
    law = read(
        block("Artículo 1", version("<p>Uno.</p>"), version("<p>Dos.</p>", "20020101", "20030615", "BOE-A-2003-1"))
    )
    assert [(one.valid_from, one.valid_to) for one in law.provisions] == [
        ("2001-03-01", "2002-01-01"),
        ("2002-01-01", None),
    ]


def test_a_block_that_expires_ends_its_last_wording(read):
    (one,) = read(block("Artículo 1", "<p>Uno.</p>", fecha_caducidad="20050101")).provisions
    assert (one.valid_to, one.status) == ("2005-01-01", "derogada")
    assert one.wording == {"tracked": True, "first_day": "exact", "last_day": "exact", "ended_by": []}
    (one,) = read(block("Artículo 1", "<p>Uno.</p>", fecha_caducidad="20250101")).provisions
    assert (one.valid_to, one.status) == ("2025-01-01", "modificada")
    assert one.wording == {"tracked": True, "first_day": "exact", "last_day": "exact", "ended_by": []}


def test_the_mark_on_an_expired_block_is_no_wording_but_names_who_ended_it(read):
    ended = version(
        "<p>(Suprimido)</p>" + note("Se suprime por la Ley 1/2005, de 4 de enero. Ref. BOE-A-2005-1"),
        "20050105",
        "20050104",
        "BOE-A-2005-1",
    )
    (one,) = read(block("Artículo 1", "<p>Uno.</p>", ended, fecha_caducidad="20050105")).provisions
    assert (one.text, one.valid_to, one.status) == ("Uno.", "2005-01-05", "derogada")
    assert one.wording["ended_by"] == [by("Ley 1/2005, de 4 de enero", "BOE-A-2005-1", "2005-01-05")]


days = st.dates(date(1990, 1, 1), date(2030, 12, 31)).map(lambda day: f"{day:%Y%m%d}")
odd_days = days | st.sampled_from(["", "99999999", "09980101"])


@given(st.lists(st.tuples(odd_days, days), min_size=1, max_size=8), st.none() | days)
def test_wordings_follow_one_another_without_gap_or_overlap(versions, expiry):
    made = etree.fromstring(
        block(
            "Artículo 1",
            *(version(f"<p>{number}</p>", start, published) for number, (start, published) in enumerate(versions)),
            **({"fecha_caducidad": expiry} if expiry else {}),
        )
    )
    found = wordings(made, "1990-01-01")
    starts = {iso_day(start) or iso_day(published) for start, published in versions}
    if expiry:
        starts = {start for start in starts if start < iso_day(expiry)}
    assert [one.start for one in found] == sorted(starts)
    assert all(one.start < (one.end or "9999") for one in found)
    assert [one.end for one in found] == [*(one.start for one in found[1:]), iso_day(expiry) if expiry else None][
        : len(found)
    ]


def test_the_label_comes_from_the_title_and_never_from_the_id(read):
    (one,) = read(block("Artículo\u00a053 bis", article("Artículo 53 bis. Digital.", "Uno."), id="a5-12")).provisions
    assert (one.key, one.label, one.title) == ("art:53 bis", "Artículo 53 bis", "Digital")


def test_a_provision_that_was_renumbered_keeps_the_key_of_today(read):
    old, new = read(
        block("Artículo 8", article("Artículo 7. Plazo.", "Uno."), version(article("Artículo 8.", "Dos."), "20100101"))
    ).provisions
    assert (old.key, old.label, old.title) == ("art:8", "Artículo 7", "Plazo")
    assert (new.key, new.label) == ("art:8", "Artículo 8")


def test_blocks_of_one_label_are_kept_apart_and_wordings_are_not(read):
    twice = (version("<p>Uno.</p>"), version("<p>Dos.</p>", "20100101"))
    law = read(
        block("Artículo único", *twice, id="au"),
        block("Disposición final única", *twice, id="df"),
        block("Artículo 1", *twice, id="a1"),
        block("Disposición final única", *twice, id="df-2"),
        block("Disposición final única", *twice, id="df-3"),
    )
    keys = ["art:unico", "df:unica~decreto", "art:1", "df:unica", "df:unica~2"]
    assert [one.key for one in law.provisions] == [key for key in keys for _ in twice]


def test_a_block_that_takes_the_place_of_an_ended_one_goes_on_under_its_key(read):
    law = read(
        block("Artículo 1", "<p>Viejo.</p>", id="a1", fecha_caducidad="20050101"),
        block("Artículo 1", version("<p>Nuevo.</p>", "20050101"), id="a1-2"),
        block("Artículo 1", version("<p>A la vez.</p>", "20060101"), id="a1-3"),
    )
    assert [(one.key, one.text) for one in law.provisions] == [
        ("art:1", "Viejo."),
        ("art:1", "Nuevo."),
        ("art:1~2", "A la vez."),
    ]


def provision(key: str, start: str | None = None, end: str | None = None) -> Provision:
    return Provision(key, key, "", "", ("Texto.",), valid_from=start, valid_to=end)


def test_undated_blocks_of_one_label_get_different_keys():
    assert [one.key for one in unique_keys([provision("art:1"), provision("art:1"), provision("art:1")])] == [
        "art:1",
        "art:1~2",
        "art:1~3",
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["art:1", "art:2", "df:1"]), st.integers(0, 9), st.integers(1, 9)), max_size=12)
)
def test_keys_are_unique_on_every_day(spans):
    day = date(2000, 1, 1)
    blocks = [
        [provision(key, str(day + timedelta(start)), str(day + timedelta(start + length)))]
        for key, start, length in spans
    ]
    held = set()
    for one in unique_wording_keys(blocks):
        lasts = (date.fromisoformat(one.valid_to) - date.fromisoformat(one.valid_from)).days
        on = {(one.key, date.fromisoformat(one.valid_from) + timedelta(offset)) for offset in range(lasts)}
        assert not on & held
        held |= on
