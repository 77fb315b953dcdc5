"""Which article a case is handled by: topic and data choose among those that match, and change no match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field
from support.guides import guide

from articulado.cases.choice import DATA_ODDS, TOPIC_ODDS, choose, unasked_data
from articulado.cases.matching import Match

NEEDS = (field("balance", aliases=("amount",)), field("married"), field("note", required=False))


def match(article, odds, topic="", fields=()):
    return Match(guide(article, topic, fields=fields), odds)


def chosen(matches, topic="", collected=None):
    return choose(matches, topic, collected or {}).guide.article_id


def test_without_articles_there_is_no_choice():
    assert choose([], "loan", {"balance": "1"}) is None


def test_the_best_match_is_taken_where_nothing_else_is_said():
    choice = choose([match("a", -1.0), match("b", 2.0)], "", {})

    assert (choice.guide.article_id, choice.log_odds, choice.best, choice.is_redirected) == ("b", 2.0, 2.0, False)


@pytest.mark.parametrize(("ahead", "article"), [(TOPIC_ODDS - 0.01, "asked"), (TOPIC_ODDS + 0.01, "better")])
def test_the_topic_is_taken_unless_another_matches_seven_times_better(ahead, article):
    choice = choose([match("asked", 0.0, "loan"), match("better", ahead, "roth")], "loan", {})

    assert choice.guide.article_id == article
    assert choice.is_redirected == (article == "better")
    assert (choice.log_odds, choice.best) == ((0.0, ahead) if article == "asked" else (ahead, ahead))


def test_a_topic_that_no_article_has_redirects_to_the_best():
    choice = choose([match("a", 1.0, "loan"), match("b", 0.0, "roth")], "vesting", {})

    assert (choice.guide.article_id, choice.is_redirected) == ("a", True)


@pytest.mark.parametrize(
    ("collected", "share"),
    [
        ({}, 0.0),
        ({"balance": "1"}, 0.5),
        ({"Amount": "1"}, 0.5),
        ({"balance": "1", "amount": "2"}, 0.5),
        ({"balance": "1", "married": "no"}, 1.0),
        ({"note": "n", "colour": "red"}, 0.0),
    ],
)
def test_data_weigh_by_the_share_of_those_required(collected, share):
    def with_other(ahead):
        return chosen([match("needs", 0.0, fields=NEEDS), match("other", ahead)], "", collected)

    assert with_other(share * DATA_ODDS - 0.01) == "needs"
    assert with_other(share * DATA_ODDS + 0.01) == "other"


@pytest.mark.parametrize(
    ("collected", "article"),
    [
        ({"married": "no", "order": "1"}, "other"),
        ({"order": "1", "married": "no", "amount": "2"}, None),
        ({"order": "1", "married": "no", "note": "n"}, None),
        ({"order": "1"}, None),
        ({"married": "no"}, None),
    ],
    ids=["whole", "its own, too", "only its own", "not whole", "shared alone"],
)
def test_data_are_of_another_article_where_they_are_all_that_it_requires_and_none_is_of_the_chosen_alone(
    collected, article
):
    other = (field("married"), field("order"))
    choice = choose([match("needs", 5.0, fields=NEEDS), match("other", 0.0, fields=other)], "", collected)

    assert choice.guide.article_id == "needs"
    assert (choice.of_data.article_id if choice.of_data else None) == article


def test_data_that_no_article_asks_for_are_named_in_their_order():
    guides = [guide("a", fields=NEEDS), guide("b", fields=(field("order"),))]

    assert unasked_data(guides, {"zip": "1", "Order": "2", "amount": "3", "foo": "4"}) == ["zip", "foo"]


def test_an_article_that_requires_nothing_gains_nothing_by_data():
    assert chosen([match("a", 0.0, fields=(NEEDS[2],)), match("b", 0.01)], "", {"note": "n"}) == "b"


def test_equal_articles_are_told_apart_by_their_ids():
    assert chosen([match("b", 0.0), match("a", 0.0)]) == "a"


ODDS = st.dictionaries(st.sampled_from("abcd"), st.floats(-20, 20), min_size=1)
DATA = st.dictionaries(st.sampled_from(["balance", "amount", "married", "note", "x"]), st.text(min_size=1, max_size=5))


@given(ODDS, st.sampled_from(["", "a", "b", "loan"]), DATA)
def test_topic_and_data_change_no_match(odds, topic, collected):
    matches = [match(article, value, fields=NEEDS) for article, value in odds.items()]

    choice = choose(matches, topic, collected)

    assert choice.log_odds == odds[choice.guide.article_id]
    assert choice.best == max(odds.values())
    assert choice.best - choice.log_odds <= TOPIC_ODDS + DATA_ODDS
