from collections import Counter

import pytest

from articulado.ingestion.markdown.reader import read_law


@pytest.fixture(scope="module")
def laws(real_laws):
    return {law.id: law for law in (read_law(path) for path in sorted(real_laws.glob("*.md")))}


def articles(law):
    return [one.key for one in law.provisions if one.key.startswith("art:")]


def test_every_law_is_read(laws):
    assert len(laws) == 66
    assert all(len(law.provisions) > 5 for law in laws.values())


def test_keys_are_unique(laws):
    assert all(len({one.key for one in law.provisions}) == len(law.provisions) for law in laws.values())


@pytest.mark.parametrize(
    ("law_id", "count"),
    [("BOE-A-1978-31229", 169), ("BOE-A-2021-21788", 5), ("BOE-A-2023-5365", 70), ("BOE-A-2015-10565", 133)],
)
def test_quoted_articles_are_not_counted(laws, law_id, count):
    assert len(articles(laws[law_id])) == count


def test_no_marks_notes_or_signatures_in_the_text(laws):
    for law in laws.values():
        for one in law.provisions:
            for mark in (
                "<small",
                "**",
                "](http",
                "<sub",
                "Redacción anterior",
                "JUAN CARLOS R",
                "FELIPE R",
                "Dado en ",
            ):
                assert mark not in one.text, (law.id, one.label)


def test_labels_of_old_laws_written_in_words(laws):
    assert articles(laws["BOE-A-1985-16660"]) == [f"art:{number}" for number in range(1, 16)]
    assert "art:30-44" in articles(laws["BOE-A-1977-6061"])


def test_whole_laws_out_of_force(laws):
    out = {law.id: (law.status, law.valid_to) for law in laws.values() if law.status != "in_force"}
    assert out == {
        "BOE-A-1995-7730": ("repealed", "2015-11-13"),
        "BOE-A-1994-14960": ("repealed", "2016-01-02"),
        "BOE-A-2006-21239": ("repealed", "2024-11-01"),
        "BOE-A-2025-2576": ("expired", None),
    }


def test_both_generations_have_repeal_marks(laws):
    derogated = Counter(law.id for law in laws.values() for one in law.provisions if one.status == "derogada")
    assert derogated["BOE-A-2015-11724"] > 0
    assert derogated["BOE-A-1994-14960"] > 0


def test_all_the_laws_are_of_the_whole_state(laws):
    assert {law.territory for law in laws.values()} == {None}


def test_notes_hold_no_wordings(laws):
    begins = ("Se ", "Téngase", "Véase", "Véanse", "Redactad", "Esta ", "Su ", "Con ", "Las ", "(*) Téngase", "La ")
    for law in laws.values():
        for one in law.provisions:
            assert all(note.startswith(begins) for note in one.notes), (law.id, one.key)
            assert not any("Se entenderán" in note for note in one.notes), (law.id, one.key)
