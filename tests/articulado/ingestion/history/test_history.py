"""Dated wordings from snapshots: when each was law, and what its note says of that."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.history.wordings import Snapshot, merge_snapshots, read_reforms, read_snapshot, snapshot_day
from articulado.ingestion.model import Law, Provision
from articulado.values.errors import InvalidInput

PUBLISHED = "2015-10-24"
REFORMS = (
    "law_id\tshort\tcommit\tcommit_date(=publication of reform)\treforming_norm\tsource_date\taffected\n"
    "BOE-A-2015-1\tLP\ta\t2020-05-05\tBOE-A-2020-4000\t2020-05-05\tArtículo 9, Disposición transitoria tercera [sic]\n"
    "BOE-A-2015-1\tLP\tb\t2021-12-30\tBOE-A-2021-7000\t2021-12-30\tN/A\n"
    "BOE-A-2015-1\tLP\tc\t2015-10-24\tBOE-A-2015-1\t2015-10-24\t[bootstrap] Ley de pruebas\n"
    "BOE-A-2099-1\tOL\td\t2026-05-27\tBOE-A-2026-9\t2026-05-27\tArtículo 9\n"
)
BY_2020 = "Se modifica por el art. 3 de la Ley 7/2020, de 4 de mayo. Ref. BOE-A-2020-4000"
BY_2021 = "Se modifica por el art. 1 del Real Decreto-ley 9/2021, de 28 de diciembre. Ref. BOE-A-2021-7000"
LATER = "Esta modificación entra en vigor el 30 de marzo de 2022 (disposición final 8)."


@pytest.fixture
def reforms(tmp_path):
    path = tmp_path / "reforms.tsv"
    path.write_text(REFORMS, encoding="utf-8")
    return read_reforms(path)


def article(*paragraphs, notes=(), number=1, **fields):
    return Provision(f"Artículo {number}", f"art:{number}", "", "", paragraphs, notes=notes, **fields)


LAW = Law("BOE-A-2015-1", "Ley", "ley", PUBLISHED, "in_force", None, "", ())


def snapshot(day, *provisions):
    return Snapshot(replace(LAW, provisions=provisions), day)


def wordings(reforms, *snapshots, key="art:1"):
    return [one for one in merge_snapshots(snapshots, reforms).provisions if one.key == key]


DECREE = {
    "norm": "Real Decreto-ley 9/2021, de 28 de diciembre",
    "law_id": "BOE-A-2021-7000",
    "act": "replaces",
    "day": "2022-03-30",
    "deduced_from": None,
    "published": "2021-12-30",
}
ACT = {
    "norm": "Ley 7/2020, de 4 de mayo",
    "law_id": "BOE-A-2020-4000",
    "act": "replaces",
    "day": "2020-05-06",
    "deduced_from": "publication",
    "published": "2020-05-05",
}


def dates(provisions):
    return [(one.valid_from, one.valid_to) for one in provisions]


def test_one_text_is_one_wording(reforms):
    old = snapshot(PUBLISHED, article("1.Uno  dos."))
    (one,) = wordings(reforms, old, snapshot("2024-01-01", article("1. Uno dos.", notes=("Véase otra.",))))
    assert (one.valid_from, one.valid_to, one.status, one.notes) == (None, None, "vigente", ("Véase otra.",))


def test_a_day_of_effect_is_exact(reforms):
    new = snapshot("2024-01-01", article("Ahora.", notes=(BY_2021, LATER), status="modificada"))
    first, second = wordings(reforms, snapshot(PUBLISHED, article("Antes.")), new)
    assert dates([first, second]) == [(None, "2022-03-30"), ("2022-03-30", None)]
    assert (first.status, second.status) == ("modificada", "modificada")
    assert first.wording == {
        "last_day": "exact",
        "last_seen": PUBLISHED,
        "ended_by": [DECREE],
        "tables_lost": False,
    }
    assert second.wording == {"first_day": "exact", "brought_by": DECREE}


def test_reform_without_effective_day_starts_the_day_after_publication(reforms):
    first, second = wordings(
        reforms, snapshot(PUBLISHED, article("Antes.")), snapshot("2024-01-01", article("Ahora.", notes=(BY_2021,)))
    )
    assert dates([first, second]) == [(None, "2021-12-31"), ("2021-12-31", None)]
    change = DECREE | {"day": "2021-12-31", "deduced_from": "publication"}
    assert (first.wording["last_day"], first.wording["ended_by"]) == ("deduced", [change])
    assert second.wording == {"first_day": "deduced", "brought_by": change}


def test_without_a_list_of_reforms_the_norm_has_its_own_day():
    first, second = wordings(
        None, snapshot(PUBLISHED, article("Antes.")), snapshot("2024-01-01", article("Ahora.", notes=(BY_2021,)))
    )
    assert second.valid_from == "2021-12-29"
    change = DECREE | {"day": "2021-12-29", "deduced_from": "enactment", "published": "2021-12-28"}
    assert (first.wording["last_day"], first.wording["ended_by"]) == ("deduced", [change])


def test_a_ruling_counts_from_its_publication(reforms):
    ruling = "Se declara nulo el apartado 1 por Sentencia del TC 40/2021, de 26 de mayo. Ref. BOE-A-2021-7000"
    first, second = wordings(
        reforms, snapshot(PUBLISHED, article("Antes.")), snapshot("2024-01-01", article("Ahora.", notes=(ruling,)))
    )
    assert second.valid_from == "2021-12-30"
    assert first.wording["last_day"] == "exact"
    assert [one["norm"] for one in first.wording["ended_by"]] == ["Sentencia del TC 40/2021, de 26 de mayo"]


def test_list_of_reforms_decides_without_notes(reforms):
    first, second = wordings(
        reforms,
        snapshot(PUBLISHED, article("Antes.", number=9)),
        snapshot("2024-01-01", article("Ahora.", number=9)),
        key="art:9",
    )
    assert second.valid_from == "2020-05-06"
    assert first.wording["ended_by"] == [ACT | {"norm": ""}]
    assert second.status == "modificada"
    assert second.wording == {"first_day": "deduced", "brought_by": ACT | {"norm": ""}}


def test_snapshot_day_decides_without_any_amendment(reforms):
    first, second = wordings(
        reforms, snapshot("2021-09-29", article("Antes.")), snapshot("2024-01-01", article("Ahora."))
    )
    assert dates([first, second]) == [(None, "2024-01-01"), ("2024-01-01", None)]
    assert first.wording == {
        "last_day": "unknown",
        "last_seen": "2021-09-29",
        "ended_by": [],
        "tables_lost": False,
    }
    assert (second.status, second.wording) == ("vigente", {"first_day": "unknown"})


def test_amendments_between_two_snapshots_are_listed(reforms):
    first, second = wordings(
        reforms,
        snapshot(PUBLISHED, article("Antes.")),
        snapshot("2024-01-01", article("Ahora.", notes=(BY_2021, LATER, BY_2020))),
    )
    assert second.valid_from == "2022-03-30"
    assert first.wording["last_day"] == "deduced"
    assert first.wording["ended_by"] == [ACT | {"act": "amends"}, DECREE]
    (note, _) = [chunk["status_note"] for chunk in law_chunks(replace(LAW, provisions=(first, second)))]
    assert note == (
        "Redacción en vigor al menos hasta el 5 de mayo de 2020, día en que se publicó la Ley 7/2020, de 4 de mayo "
        "(BOE-A-2020-4000), que la modifica. No constan aquí las redacciones siguientes, hasta que el Real Decreto-ley "
        "9/2021, de 28 de diciembre (BOE-A-2021-7000) la sustituye, desde el 30 de marzo de 2022."
    )


def test_a_snapshot_holds_what_is_published_and_not_yet_law(reforms):
    snapshots = (
        snapshot(PUBLISHED, article("Antes.")),
        snapshot("2021-12-30", article("Ahora.")),
        snapshot("2024-01-01", article("Ahora.", notes=(BY_2021, LATER))),
    )
    assert dates(wordings(reforms, *snapshots)) == [(None, "2022-03-30"), ("2022-03-30", None)]


def test_effective_day_after_the_next_wording_is_rejected(reforms):
    late = LATER.replace("2022", "2099")
    first, second, third = wordings(
        reforms,
        snapshot(PUBLISHED, article("Uno.")),
        snapshot("2020-12-31", article("Dos.")),
        snapshot("2024-01-01", article("Tres.", notes=(BY_2021, BY_2020, late))),
    )
    assert [one.valid_from for one in (first, second, third)] == [None, "2020-05-06", "2021-12-31"]


def test_a_wording_waits_for_an_earlier_amendment_that_is_still_to_come(reforms):
    early = BY_2020.replace("Se modifica por", "Se modifica, con efectos de 1 de julio de 2022, por")
    found = wordings(
        reforms,
        snapshot(PUBLISHED, article("Antes.")),
        snapshot("2024-01-01", article("Ahora.", notes=(BY_2021, early))),
    )
    assert dates(found) == [(None, "2022-07-01"), ("2022-07-01", None)]


def test_wording_of_a_single_day_is_kept(reforms):
    found = wordings(
        reforms,
        snapshot(PUBLISHED, article("Uno.")),
        snapshot("2021-12-30", article("Dos.")),
        snapshot("2021-12-31", article("Tres.", notes=(BY_2021,))),
    )
    assert dates(found) == [(None, "2021-12-30"), ("2021-12-30", "2021-12-31"), ("2021-12-31", None)]


def test_notes_of_an_older_wording_are_those_of_its_time(reforms):
    _, second, third = wordings(
        reforms,
        snapshot(PUBLISHED, article("Uno.")),
        snapshot("2020-12-31", article("Dos.")),
        snapshot("2024-01-01", article("Tres.", notes=(BY_2021, LATER, BY_2020))),
    )
    assert second.notes == (BY_2020,)
    assert third.notes == (BY_2021, LATER, BY_2020)


def test_lapsed_amendment_changes_nothing(reforms):
    undone = "Se deja sin efecto la modificación por Resolución de 20 de enero de 2022. Ref. BOE-A-2022-1"
    notes = (BY_2021.replace("9/2021", "8/2022").replace("2021-7000", "2022-5"), undone, BY_2021, LATER)
    (first, second) = wordings(
        reforms, snapshot(PUBLISHED, article("Antes.")), snapshot("2024-01-01", article("Ahora.", notes=notes))
    )
    assert second.valid_from == "2022-12-29"
    assert [one["norm"] for one in first.wording["ended_by"]] == ["Real Decreto-ley 8/2022, de 28 de diciembre"]


def test_a_repeal_ends_the_wording_before_it(reforms):
    repeal = "Se deroga por la disposición derogatoria única de la Ley 7/2020, de 4 de mayo. Ref. BOE-A-2020-4000"
    gone = article("(Derogado)", notes=(repeal,), status="derogada", status_note="Se deroga.")
    first, second = wordings(reforms, snapshot(PUBLISHED, article("Antes.")), snapshot("2024-01-01", gone))
    assert (first.status, first.valid_to, second.status) == ("derogada", "2020-05-06", "derogada")
    assert first.wording["ended_by"] == [ACT | {"act": "repeals"}]
    assert second.status_note == "Se deroga."


def test_a_provision_that_vanishes_ends_and_keeps_its_place(reforms):
    law = merge_snapshots(
        [
            snapshot(PUBLISHED, article("A.", number=8), article("B.", number=9), article("C.", number=10)),
            snapshot("2024-01-01", article("A.", number=8), article("C.", number=10)),
        ],
        reforms,
    )
    assert [one.key for one in law.provisions] == ["art:8", "art:9", "art:10"]
    assert (law.provisions[1].valid_to, law.provisions[1].status) == ("2020-05-06", "derogada")


def test_a_provision_that_appears_begins_then(reforms):
    added = BY_2021.replace("modifica", "añade")
    (one,) = wordings(reforms, snapshot("2021-01-01"), snapshot("2024-01-01", article("Nuevo.", notes=(added,))))
    assert dates([one]) == [("2021-12-31", None)]


def test_the_first_text_of_a_law_may_hold_what_was_added_later(reforms):
    added = BY_2020.replace("modifica", "añade")
    first, second = wordings(
        reforms,
        snapshot(PUBLISHED, article("Primera.")),
        snapshot("2018-01-01"),
        snapshot("2024-01-01", article("Segunda.", notes=(BY_2021, added))),
    )
    assert dates([first, second]) == [("2020-05-06", "2021-12-31"), ("2021-12-31", None)]


def test_provision_added_again_existed_before_its_repeal(reforms):
    notes = (BY_2021.replace("modifica", "añade"), BY_2020.replace("modifica", "deroga"))
    found = wordings(
        reforms,
        snapshot(PUBLISHED, article("Antes.")),
        snapshot("2020-12-31", article("(Derogado)", status="derogada")),
        snapshot("2024-01-01", article("Ahora.", notes=notes)),
    )
    assert dates(found) == [(None, "2020-05-06"), ("2020-05-06", "2021-12-31"), ("2021-12-31", None)]


def test_a_first_wording_that_was_amended_before_began_with_that(reforms):
    (one,) = wordings(reforms, snapshot("2024-01-01", article("Ahora.", notes=(BY_2021, LATER, BY_2020))))
    assert one.valid_from == "2022-03-30"
    assert one.notes == (BY_2021, LATER, BY_2020)


def test_only_known_wording_is_not_postponed(reforms):
    (one,) = wordings(reforms, snapshot("2021-12-30", article("Ahora.", notes=(BY_2021, LATER))))
    assert one.valid_from == "2021-12-31"


def test_an_effect_in_the_past_of_a_reform_that_a_lapsed_one_went_before(reforms):
    back = BY_2021.replace("Se modifica por", "Se modifica, con efectos desde el 1 de diciembre de 2021, por")
    found = wordings(
        reforms, snapshot("2021-11-30", article("Antes.")), snapshot("2024-01-01", article("Ahora.", notes=(back,)))
    )
    assert dates(found) == [(None, "2021-12-01"), ("2021-12-01", None)]


def test_tables_that_one_generation_drops_make_no_wording(reforms):
    lead, table = "1. Según el siguiente cuadro:", "Año | Edad\n2024 | 65"
    (one,) = wordings(reforms, snapshot(PUBLISHED, article(lead)), snapshot("2024-01-01", article(lead, table)))
    assert one.paragraphs == (lead, table)
    (one,) = wordings(reforms, snapshot(PUBLISHED, article(lead, table)), snapshot("2024-01-01", article(lead)))
    assert one.paragraphs == (lead, table)


def test_tables_that_differ_are_two_wordings(reforms):
    lead, first, second = "1. Según el cuadro:", "Año | Edad\n2024 | 65", "Año | Edad\n2024 | 66"
    found = wordings(reforms, snapshot(PUBLISHED, article(lead, first)), snapshot("2024-01-01", article(lead, second)))
    assert [one.paragraphs[1] for one in found] == [first, second]


def test_an_old_wording_says_that_its_tables_are_missing(reforms):
    table = "Año | Edad\n2024 | 65"
    first, _ = wordings(
        reforms,
        snapshot(PUBLISHED, article("1. Según este cuadro:")),
        snapshot("2024-01-01", article("1. Según otro cuadro:", table, notes=(BY_2021, LATER))),
    )
    assert first.wording["tables_lost"]


def test_snapshots_of_several_laws_are_refused():
    other = Snapshot(Law("BOE-A-2099-9", "Otra", "ley", PUBLISHED, "in_force", None, "", (article("Uno."),)), PUBLISHED)
    with pytest.raises(InvalidInput, match="BOE-A-2015-1, BOE-A-2099-9"):
        merge_snapshots([snapshot(PUBLISHED, article("Uno.")), other])
    with pytest.raises(InvalidInput, match="ninguno"):
        merge_snapshots([])


@pytest.mark.parametrize(
    ("name", "front", "day"),
    [
        ("BOE-A-2015-1@2021-09-29.md", {"last_updated": "2020-01-01"}, "2021-09-29"),
        ("BOE-A-2015-1.md", {"last_updated": "2020-01-01", "publication_date": PUBLISHED}, "2020-01-01"),
        ("BOE-A-2015-1.md", {"publication_date": PUBLISHED}, PUBLISHED),
    ],
)
def test_the_day_of_a_snapshot(name, front, day):
    assert snapshot_day(Path(name), front) == day


@pytest.mark.parametrize(("name", "front"), [("L@2021-02-30.md", {}), ("L.md", {"last_updated": "ayer"})])
def test_invalid_day_is_refused(name, front):
    with pytest.raises(InvalidInput, match="AAAA-MM-DD"):
        snapshot_day(Path(name), front)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (REFORMS.replace("reforming_norm", "norma"), "reforming_norm"),
        (REFORMS.replace("2020-05-05", "ayer"), "AAAA-MM-DD"),
        ("law_id\treforming_norm\taffected\tcommit_date(=publication of reform)\nBOE-A-1\n", "no se entiende"),
        (REFORMS.encode("utf-16").decode("latin-1"), "columna"),
    ],
)
def test_a_list_of_reforms_that_cannot_be_used_says_why(tmp_path, content, says):
    path = tmp_path / "malas.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"malas\.tsv") as error:
        read_reforms(path)
    assert says in str(error.value)


# Close to the days of the law, of the norms below and of their effects.
NEAR = [date(2015, 10, 24), date(2018, 12, 31), date(2030, 6, 6), *(date(year, 5, 4) for year in range(2016, 2027))]
DAYS = st.builds(lambda day, days: day + timedelta(days), st.sampled_from(NEAR), st.integers(0, 3))
TEXTS = st.sampled_from(["A.", "B.", "C.", "(Derogado)", None])
NOTES = st.lists(
    st.builds(
        lambda verb, year, effect: (
            f"Se {verb}, {effect}por la Ley {year % 97}/{year}, de 4 de mayo. Ref. BOE-A-{year}-{year}"
        ),
        st.sampled_from(["modifica", "añade", "deroga", "deja sin efecto"]),
        st.integers(2014, 2026),
        st.sampled_from(["", "con efectos de 1 de enero de 2019, ", "con efectos desde el 7 de junio de 2030, "]),
    ),
    max_size=5,
)


@given(st.lists(st.tuples(DAYS, TEXTS), min_size=1, max_size=6), NOTES)
def test_wordings_never_overlap_and_never_collide(texts, notes):
    snapshots = [
        snapshot(day.isoformat(), *([article(text, notes=tuple(notes))] if text else []), article("Z.", number=2))
        for day, text in texts
    ]
    law = merge_snapshots(snapshots)
    law_chunks(law)
    found = [one for one in law.provisions if one.key == "art:1"]
    for one, following in pairwise(found):
        assert (one.valid_from or PUBLISHED) < one.valid_to <= following.valid_from
    assert all(one.valid_to is None or (one.valid_from or PUBLISHED) < one.valid_to for one in found)


@pytest.fixture(scope="module")
def histories(real_laws):
    reforms = read_reforms(real_laws.parent / "laws_history" / "reforms.tsv")
    merged = {}
    for law_id in ("BOE-A-2015-11430", "BOE-A-2000-15060", "BOE-A-2015-11724"):
        older = sorted((real_laws.parent / "laws_history").glob(f"{law_id}@*.md"))
        merged[law_id] = merge_snapshots(
            [read_snapshot(path) for path in [*older, real_laws / f"{law_id}.md"]], reforms
        )
    return merged


ET, LISOS, LGSS = "BOE-A-2015-11430", "BOE-A-2000-15060", "BOE-A-2015-11724"


@pytest.mark.parametrize(
    ("law_id", "key", "begins"),
    [
        (ET, "art:9", [None, "2019-03-08"]),
        (ET, "art:12", [None, "2019-03-08", "2022-03-30", "2025-04-01"]),
        (ET, "art:15", [None, "2022-03-30", "2025-04-03"]),
        (ET, "art:16", [None, "2022-03-30"]),
        (ET, "art:20 bis", ["2018-12-07"]),
        (ET, "art:37", [None, "2021-07-11", "2023-03-18", "2025-03-03"]),
        (ET, "art:47 bis", ["2021-12-31"]),
        (ET, "art:48", [None, "2019-04-01", "2023-03-02", "2025-05-01", "2025-07-31"]),
        (ET, "art:48 bis", ["2023-06-30"]),
        (ET, "art:49", [None, "2023-03-02", "2025-05-01"]),
        (ET, "art:50", [None, "2025-04-03"]),
        (ET, "da:23", ["2021-08-12"]),
        (ET, "dt:7", [None]),
        (ET, "dt:9", [None, "2018-12-30", "2021-12-30"]),
        (LISOS, "art:1", [None]),
        (LISOS, "art:7", ["2021-07-11", "2021-12-31"]),
        (LISOS, "art:40", ["2021-07-11", "2021-12-31"]),
        (LGSS, "art:205", [None]),
        (LGSS, "art:209", [None, "2026-01-01"]),
        (LGSS, "art:269", [None, "2024-05-23"]),
        (LGSS, "art:270", [None, "2022-12-25"]),
        (LGSS, "dt:10", [None, "2025-04-01"]),
        (LGSS, "dt:35~2", ["2022-12-29", "2025-12-29"]),
    ],
)
def test_real_reforms(histories, law_id, key, begins):
    found = [one for one in histories[law_id].provisions if one.key == key]
    assert [one.valid_from for one in found] == begins
    assert [one.valid_to for one in found] == [*begins[1:], None]


def test_almost_every_real_change_has_a_norm(histories):
    unknown = {
        (law.id, one.key)
        for law in histories.values()
        for one in law.provisions
        if one.wording.get("last_day") == "unknown"
    }
    assert unknown == {(LISOS, "art:10 bis")}


def test_real_wordings_follow_each_other_without_gap(histories):
    for law in histories.values():
        chunks = law_chunks(law)
        assert len({chunk["id"] for chunk in chunks}) == len(chunks)
        for _, group in groupby(law.provisions, key=lambda one: one.key):
            for one, following in pairwise(group):
                assert one.valid_to == following.valid_from
                assert one.status != "vigente"
                assert "last_day" in one.wording


def test_real_tables_are_kept_where_a_generation_lacks_them(histories):
    (ages,) = [one for one in histories[LGSS].provisions if one.key == "dt:7"]
    assert any(" | " in paragraph for paragraph in ages.paragraphs)
