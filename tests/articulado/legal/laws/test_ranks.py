"""Ranks of laws and the BOE's codes of kinds."""

import re

import pytest

from articulado.legal.laws.registry import kind_of_code, norm_kinds, rank_of

# By hand: what the kind of the 66 laws does not tell. The organic law on trade unions ranks with the Constitution, and
# these decrees approve general regulations, by their official numbers.
FIRST = {"BOE-A-1978-31229", "BOE-A-1985-16660"}
REGULATIONS = {
    "BOE-A-1995-26716",  # 1993/1995
    "BOE-A-1996-1579",  # 2064/1995
    "BOE-A-1996-4447",  # 84/1996
    "BOE-A-1997-1853",  # 39/1997
    "BOE-A-1998-12816",  # 928/1998
    "BOE-A-2004-11836",  # 1415/2004
    "BOE-A-2012-13419",  # 1483/2012
}
LAWS = {"ley", "ley_organica", "real_decreto_ley", "real_decreto_legislativo"}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("1020", "acuerdo"),
        ("1070", "constitucion"),
        ("1180", "acuerdo_internacional"),
        ("1220", "reglamento"),
        ("1290", "ley_organica"),
        ("1300", "ley"),
        ("1310", "real_decreto_legislativo"),
        ("1320", "real_decreto_ley"),
        ("1325", "decreto_ley_foral"),
        ("1340", "real_decreto"),
        ("1350", "orden"),
        ("1370", "resolucion"),
        ("1390", "circular"),
        ("1410", "instruccion"),
        ("1450", "ley_foral"),
        ("1470", "decreto_legislativo"),
        ("1480", "decreto_foral_legislativo"),
        ("1500", "decreto_ley"),
        ("1510", "decreto"),
        ("", ""),
        ("9999", ""),
    ],
)
def test_codes_of_the_boe(code, kind):
    assert kind_of_code(code) == kind


def test_no_code_stands_for_two_kinds():
    assert len({kind.code for kind in norm_kinds().values()}) == len(norm_kinds()) == 19


@pytest.mark.parametrize(
    ("kind", "rank"),
    [
        ("constitucion", 1),
        ("ley_foral", 2),
        ("decreto_legislativo", 2),
        ("acuerdo_internacional", 2),
        ("reglamento", 3),
        ("decreto", 4),
        ("resolucion", 5),
        ("convenio_colectivo", 5),
        ("", 5),
    ],
)
def test_a_law_that_is_not_in_the_registry_ranks_by_its_kind(kind, rank):
    assert rank_of("BOE-A-1900-1", kind) == rank


def test_the_registry_decides_where_the_kind_cannot():
    assert rank_of("BOE-A-1996-4447", "real_decreto") == 3
    assert rank_of("BOE-A-1985-16660", "ley_organica") == 1


def test_ranks_of_the_66_laws(real_laws):
    kind_of_law = {
        path.stem: re.search(r'^rank: "(\w+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)[1]
        for path in real_laws.glob("*.md")
    }
    by_kind = {"constitucion": 1, **dict.fromkeys(LAWS, 2), "real_decreto": 4, "orden": 5}
    expected = {law_id: by_kind[kind] for law_id, kind in kind_of_law.items()}
    expected |= dict.fromkeys(FIRST, 1) | dict.fromkeys(REGULATIONS, 3)
    assert len(expected) == 66
    assert {kind for law_id, kind in kind_of_law.items() if expected[law_id] == 4} == {"real_decreto"}
    assert {law_id: rank_of(law_id, kind) for law_id, kind in kind_of_law.items()} == expected
