"""Legal signals: every number of ``final_score`` worked out by hand."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import make_chunk

from articulado.config.profile import load_profile
from articulado.legal.validity import HIERARCHY, SignalWeights, final_score, recency

WEIGHTS = SignalWeights(relevance=0.70, hierarchy=0.15, recency=0.10, in_force=0.05, repealed=0.30)
TODAY = date(2026, 3, 1)
CONSTITUTION, WORKERS, PREVENTION = "BOE-A-1978-31229", "BOE-A-2015-11430", "BOE-A-1995-24292"


def chunk(**fields):
    """Make a chunk of no known law, without a date: its only signals are rank 5 and that it is in force."""
    return make_chunk(1, **{"law_id": "ECLI:ES:TS:2020:1", "rank": 5, "valid_from": None, **fields})


def final(relevance=0.0, as_of=None, **fields):
    return final_score(relevance, chunk(**fields), WEIGHTS, as_of, TODAY)


def test_the_profile_has_the_weights():
    assert load_profile("laboral").signals == WEIGHTS


def test_final_score_follows_its_formula():
    # Rank 2: 0.15 · 0.7625; nine years old on the day: 0.10 · 0.5; in force: 0.05.
    score = final(0.8, rank=2, valid_from="2017-03-01")
    assert score == pytest.approx(0.70 * 0.8 + 0.114375 + 0.05 + 0.05, abs=1e-4)


@pytest.mark.parametrize(
    ("rank", "hierarchy"),
    [(1, 1.0), (2, 0.7625), (3, 0.525), (4, 0.2875), (5, 0.05), (0, 1.0), (-3, 1.0), (6, 0.05), (99, 0.05)],
)
def test_the_hierarchy_falls_in_even_steps_and_other_ranks_count_as_the_nearest(rank, hierarchy):
    assert final(rank=rank) == pytest.approx(0.15 * hierarchy + 0.05)


def test_there_is_a_step_for_every_rank():
    assert sorted(HIERARCHY) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-02-28", 1.0),
        ("2023-03-02", 1.0),  # a day under three years
        ("2022-03-01", 11 / 12),
        ("2017-03-01", 0.5),  # nine years: half-way from 3 to 15
        ("2014-03-01", 0.25),
        ("2011-02-28", 0.0),  # fifteen years and a day
        ("1978-12-29", 0.0),
        ("2027-01-01", 1.0),  # published, not yet in force
        (None, 0.0),
    ],
)
def test_recency_is_1_under_three_years_and_falls_in_a_line_to_0_at_fifteen(since, expected):
    assert recency(chunk(valid_from=since), TODAY) == pytest.approx(expected, abs=3e-4)
    assert 0 <= recency(chunk(valid_from=since), TODAY) <= 1


def test_a_known_law_is_as_old_as_its_publication_and_anything_else_as_its_own_date():
    # The Estatuto de los Trabajadores is of 2015-10-24; article 13 has the wording of 2021.
    amended = chunk(law_id=WORKERS, valid_from="2021-09-30")
    assert recency(amended, date(2018, 10, 1)) == 1.0
    assert recency(amended, date(2024, 10, 24)) == pytest.approx(0.5, abs=3e-4)
    assert recency(amended, date(2030, 10, 25)) == 0.0
    assert recency(chunk(law_id=WORKERS, valid_from=None), date(2024, 10, 24)) == pytest.approx(0.5, abs=3e-4)
    assert recency(chunk(law_id="documento", valid_from="2021-09-30"), date(2030, 9, 30)) == pytest.approx(
        0.5, abs=3e-4
    )


def test_recency_is_of_the_day_asked_about():
    now, then = final(valid_from="2011-03-01"), final(as_of=date(2013, 1, 1), valid_from="2011-03-01")
    assert then - now == pytest.approx(0.10, abs=1e-4)


REPEALED = {"status": "derogada", "valid_from": "2000-01-01", "valid_to": "2020-01-01", "rank": 2}


@pytest.mark.parametrize("status", ["derogada", "agotada"])
def test_repealed_law_loses_the_force_signal_and_pays_the_penalty(status):
    assert final(0.5, **{**REPEALED, "status": status}) == pytest.approx(0.35 + 0.114375 - 0.30)
    assert final(0.5, **{**REPEALED, "status": status, "valid_to": None}) == pytest.approx(0.35 + 0.114375 - 0.30)


def test_law_of_the_day_asked_about_keeps_its_score():
    # Ten years old on that day: 0.10 · 5/12.
    then = final(0.5, as_of=date(2010, 1, 1), **REPEALED)
    assert then == pytest.approx(0.35 + 0.114375 + 0.05 + 0.10 * 5 / 12, abs=1e-4)


@pytest.mark.parametrize(("day", "penalty"), [("2019-12-31", 0.0), ("2020-01-01", 0.35)])
def test_a_law_is_repealed_from_the_day_on_which_it_ends(day, penalty):
    before = final(0.5, as_of=date(2019, 12, 30), **REPEALED)
    assert before - final(0.5, as_of=date.fromisoformat(day), **REPEALED) == pytest.approx(penalty, abs=1e-9)


@pytest.mark.parametrize("status", ["modificada", "parcialmente_derogada"])
@pytest.mark.parametrize("as_of", [None, date(2019, 5, 5)])
def test_amended_and_partly_repealed_provisions_lose_nothing(status, as_of):
    dated = {"valid_from": "2001-01-01", "rank": 3}
    assert final(0.5, as_of, status=status, **dated) == final(0.5, as_of, status="vigente", **dated)


def test_a_superseded_wording_is_not_in_force_and_not_repealed():
    assert final(0.5, valid_to="2020-01-01", valid_from="2000-01-01", status="modificada") == pytest.approx(
        0.35 + 0.15 * 0.05
    )


def test_law_in_force_ranks_before_repealed_law():
    assert final(0.9) - final(0.9, status="derogada") == pytest.approx(0.35)
    # Half a point of relevance less, and still first; what is repealed stays in, though.
    assert final(0.41) > final(0.9, status="derogada")
    assert final(0.39) < final(0.9, status="derogada")


def law(id_, rank, relevance):
    return final_score(relevance, chunk(law_id=id_, rank=rank), WEIGHTS, None, TODAY)


def test_the_constitution_does_not_win_over_a_statute_that_is_clearly_more_relevant():
    # Of 1978 and 1995, both too old for recency: 0.15 · (1 − 0.7625) = 0.035625, or 0.0509 of relevance.
    assert law(PREVENTION, 2, 0.551) > law(CONSTITUTION, 1, 0.50)
    assert law(PREVENTION, 2, 0.550) < law(CONSTITUTION, 1, 0.50)
    # The Estatuto of 2015 is ten years old, which makes up for the rank: 0.10 · (15 − 10.35) / 12 = 0.0387.
    assert law(WORKERS, 2, 0.50) > law(CONSTITUTION, 1, 0.50)


def test_rank_alone_never_makes_up_for_a_fifth_of_relevance():
    # Constitution against order: 0.15 · 0.95 = 0.1425, or 0.2036 of relevance.
    assert law("X", 5, 0.704) > law(CONSTITUTION, 1, 0.50)
    assert law("X", 5, 0.703) < law(CONSTITUTION, 1, 0.50)


days = st.none() | st.dates(date(1950, 1, 1), date(2049, 12, 31))


@given(
    relevance=st.floats(0, 1),
    rank=st.integers(-5, 20),
    status=st.sampled_from(["vigente", "modificada", "parcialmente_derogada", "derogada", "agotada"]),
    since=days,
    until=days,
    as_of=days,
)
def test_the_score_stays_in_range_and_rises_with_relevance(relevance, rank, status, since, until, as_of):
    fields = {
        "rank": rank,
        "status": status,
        "valid_from": since and since.isoformat(),
        "valid_to": until and until.isoformat(),
    }
    score = final(relevance, as_of, **fields)
    assert -0.3 <= score <= 1 + 1e-9
    assert score - final(0.0, as_of, **fields) == pytest.approx(0.70 * relevance)


def test_the_chunk_stays_untouched():
    given_chunk = chunk(**REPEALED)
    before = dict(given_chunk)
    final_score(0.5, given_chunk, WEIGHTS, None, TODAY)
    assert given_chunk == before
