"""Norms that are not repealed and have lost their object, by their table."""

import tomllib
from datetime import date
from importlib import resources

import pytest
from support.doubles import make_chunk

from articulado.legal.laws.registry import emptied_by, known_laws
from articulado.legal.validity import SignalWeights, final_score, is_gone
from articulado.legal.wordings import emptied_note

TABLE = tomllib.loads(resources.files("articulado.legal.data").joinpath("emptied.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("law", "key", "since"),
    [
        ("BOE-A-1999-346", "art:2", "2022-03-30"),
        ("BOE-A-1999-346", "df:2", "2022-03-30"),
        ("BOE-A-2009-4724", "art:22", "2019-04-01"),
        ("BOE-A-2009-4724", "art:21", None),
        ("BOE-A-2002-23037", "art:3", "2023-10-01"),
        ("BOE-A-1996-4447", "art:46", None),
        ("BOE-A-2015-11430", "art:15", None),
    ],
)
def test_a_provision_without_object_is_known_by_law_and_key(law, key, since):
    change = emptied_by(law, key)
    assert (change["since"] if change else None) == since


def test_each_entry_names_a_known_law_and_a_reason_that_reads_as_a_sentence():
    for entry in TABLE["emptied"]:
        change = emptied_by(
            entry["law"], "art:" + entry["provisions"][0].split()[-1] if entry["provisions"] else "art:1"
        )
        assert entry["law"] in known_laws()
        assert change is not None
        assert change["law_id"].startswith("BOE-A-")
        assert emptied_note(change).endswith(".")
        assert "  " not in change["reason"]
        assert not change["reason"].endswith(".")


def test_a_text_without_object_counts_as_repealed_from_that_day_on():
    change = emptied_by("BOE-A-1999-346", "art:2")
    chunk = make_chunk(1, law_id="BOE-A-1999-346", valid_from="1999-01-09", emptied=change)
    before, after = date(2022, 3, 29), date(2026, 6, 1)
    weights = SignalWeights(relevance=1.0, hierarchy=0.0, recency=0.0, in_force=0.0, repealed=0.3)
    assert (is_gone(chunk, before, after), is_gone(chunk, None, after)) == (False, True)
    assert final_score(0.8, chunk, weights, before, after) == pytest.approx(0.8)
    assert final_score(0.8, chunk, weights, None, after) == pytest.approx(0.5)
