"""In which order the chunks of a case are read, and what is said if no article handles it."""

import pytest
from support.doubles import make_chunk
from support.guides import guide

from articulado.cases.choice import (
    found_by,
    of_article,
    order_by_tier,
    order_for_required_data,
    say_kept_out,
    say_out_of_scope,
    with_article,
)
from articulado.cases.matching import Match
from articulado.config.profile import load_profile
from articulado.config.sections import RequiredDataProfile, Tiers
from articulado.language.languages import language

EN = language("en")


def candidate(number, score, article="a", found_by=(), **fields):
    chunk = make_chunk(number, law_id=article, **fields)
    return {"chunk": chunk, "score": score, "origins": ["hybrid"], "found_by": list(found_by)}


def ids(chunks):
    return [chunk["id"] for chunk in chunks]


def test_chunks_are_read_by_tier_then_those_of_the_article_by_type_then_by_score():
    candidates = [
        candidate(1, 0.9, "b", tier="HIGH", chunk_type="steps"),
        candidate(2, 0.8, "a", tier="HIGH", chunk_type="common_issues"),
        candidate(3, 0.0, "a", tier="HIGH", chunk_type="steps"),
        candidate(4, 0.5, "a", tier="HIGH", chunk_type="fees_details"),
        candidate(5, 1.0, "a", tier="MEDIUM", chunk_type="faqs"),
        candidate(6, 1.0, "c", tier="HIGH", chunk_type="common_issues"),
        candidate(7, 0.9, "a", tier="LOW"),
        candidate(8, 0.1, "a", tier="CRITICAL"),
        candidate(9, 0.1, "a", tier=""),
    ]

    assert ids(order_by_tier(candidates, "a", Tiers().types)) == [8, 3, 4, 2, 6, 1, 5, 7, 9]


def test_the_reranked_score_decides_where_there_is_one_and_ties_are_by_article_part_and_id():
    slow = {**candidate(1, 0.1, tier="HIGH"), "rerank_score": 0.9, "final_score": 0.9}
    assert ids(order_by_tier([candidate(2, 0.8, tier="HIGH"), slow], "", ())) == [1, 2]

    tied = [candidate(5, 0.5, "b"), candidate(4, 0.5, "a", part=2), candidate(3, 0.5, "a", part=1), candidate(2, 0.5)]
    assert ids(order_by_tier(tied, "", ())) == [2, 3, 4, 5]


def test_required_data_of_the_article_are_always_read_and_come_first():
    candidates = [
        candidate(1, 0.9, "a", chunk_type="business_rules"),
        candidate(2, 0.8, "b", chunk_type="required_data"),
        candidate(3, 0.1, "a", chunk_type="required_data"),
        candidate(4, 0.7, "a", chunk_type="eligibility"),
        candidate(5, 0.2, "a", chunk_type="business_rules", tier="CRITICAL"),
        candidate(6, 0.6, "b", chunk_type="eligibility"),
    ]

    always, others = order_for_required_data(candidates, RequiredDataProfile(), "a")
    assert ids(always) == [3]
    # the article's own, critical rules, eligibility, rules; then those of others, whose required data are not read
    assert ids(others) == [5, 4, 1, 6]
    # They are read if the article has none.
    always, others = order_for_required_data([candidates[3], candidates[1]], RequiredDataProfile(), "a")
    assert (always, ids(others)) == ([], [4, 2])


def test_chunks_missed_by_the_search_are_added_without_a_score():
    found = [candidate(1, 0.9, found_by=["q"]), candidate(2, 0.8, "b", found_by=["q", "r"])]
    every = with_article(found, [make_chunk(1, law_id="a"), make_chunk(3, law_id="a")])

    assert [(each["chunk"]["id"], each["score"]) for each in every] == [(1, 0.9), (2, 0.8), (3, 0.0)]
    assert ids(each["chunk"] for each in of_article(every, "a")) == [1, 3]
    assert ids(each["chunk"] for each in found_by(every, "r")) == [2]


def test_each_type_has_its_tier_unless_the_profile_says_otherwise():
    tiers = Tiers()

    assert [tiers.of(kind) for kind in ("decision_guide", "response_frames", "guardrails")] == ["CRITICAL"] * 3
    assert [tiers.of(kind) for kind in ("steps", "fees_details", "common_issues")] == ["HIGH"] * 3
    assert (tiers.of("eligibility"), tiers.of("examples"), tiers.of("something")) == ("MEDIUM", "LOW", "LOW")
    assert Tiers(high=("faqs",), medium=()).of("faqs") == "HIGH"


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"record_keeper": "LT Trust", "plan_type": "403(b)"}, "“Loan” is for Plan type 401(k), and 403(b) was given"),
        (
            {"record_keeper": "Meridian Recordkeeping", "plan_type": "403(b)", "topic": "rmd"},
            "“Loan” is for Record keeper LT Trust, and Meridian Recordkeeping was given. "
            "“Loan” is for Plan type 401(k), and 403(b) was given",
        ),
        ({"topic": "rmd"}, ""),
    ],
)
def test_filter_values_that_exclude_an_article_are_named(filters, said):
    loan = Match(guide("loan", attributes={"record_keeper": "LT Trust", "plan_type": "401(k)"}), 1.0)

    assert say_kept_out(loan, load_profile("plan_401k").filter_fields, filters, EN) == said


def test_at_most_eight_titles_are_listed_if_nothing_is_in_scope():
    every = [Match(guide(f"a{number}"), 0.0) for number in range(1, 10)]
    opening = "No article of this desk handles this inquiry. "

    assert say_out_of_scope(every[:2], EN) == f"{opening}There are: A1; A2"
    assert say_out_of_scope(every[:8], EN) == f"{opening}There are: A1; A2; A3; A4; A5; A6; A7; A8"
    assert say_out_of_scope(every, EN) == f"{opening}The nearest are: A1; A2; A3; A4; A5; A6; A7; A8; and 1 more"
