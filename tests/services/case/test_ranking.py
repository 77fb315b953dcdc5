"""Which article handles a case, and in which order its chunks are read."""

from support.doubles import make_chunk

from services.case.ranking import main_article, order_by_tier, order_for_required_data
from services.profile.case import RequiredDataProfile, Tiers


def candidate(number, score, article="a", **fields):
    chunk = make_chunk(number, law_id=article, **fields)
    return {"chunk": chunk, "score": score, "origins": ["hybrid"], "found_by": []}


def test_the_three_best_chunks_of_an_article_vote():
    # a: 0.9; b: 0.5 + 0.4 + 0.3 = 1.2, its fourth does not count; c: 0.6 + 0.55 = 1.15
    candidates = [
        candidate(1, 0.9, "a"),
        *(candidate(number, score, "b") for number, score in ((2, 0.5), (3, 0.4), (4, 0.3), (5, 0.3))),
        candidate(6, 0.6, "c"),
        candidate(7, 0.55, "c"),
    ]

    assert main_article(candidates) == "b"
    assert main_article([*candidates, candidate(8, 0.1, "c")]) == "c"
    assert main_article([]) == ""


def test_an_article_of_the_topic_goes_before_better_ones():
    candidates = [candidate(1, 0.9, "a", topic="loan"), candidate(2, 0.1, "b", topic="rmd")]

    assert main_article(candidates, "rmd") == "b"
    assert main_article(candidates, "vesting") == "a"


def test_equal_articles_are_told_apart_by_their_ids():
    assert main_article([candidate(1, 0.5, "b"), candidate(2, 0.5, "a")]) == "a"


def test_chunks_are_read_by_tier_and_then_by_score():
    candidates = [
        candidate(1, 0.9, tier="LOW"),
        candidate(2, 0.2, tier="HIGH"),
        candidate(3, 0.3, tier="HIGH"),
        candidate(4, 0.8, tier="MEDIUM"),
        candidate(5, 0.1, tier=""),
    ]

    assert [chunk["id"] for chunk in order_by_tier(candidates)] == [3, 2, 4, 1, 5]


def test_the_reranked_score_decides_where_there_is_one():
    slow = {**candidate(1, 0.1, tier="HIGH"), "rerank_score": 0.9, "final_score": 0.9}

    assert [chunk["id"] for chunk in order_by_tier([candidate(2, 0.8, tier="HIGH"), slow])] == [1, 2]


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

    assert [chunk["id"] for chunk in always] == [3]
    # the article's own, critical rules, eligibility, rules; then those of others, whose required data are not read
    assert [chunk["id"] for chunk in others] == [5, 4, 1, 6]


def test_required_data_of_others_are_read_where_the_article_has_none():
    candidates = [candidate(1, 0.9, "a", chunk_type="eligibility"), candidate(2, 0.1, "b", chunk_type="required_data")]

    always, others = order_for_required_data(candidates, RequiredDataProfile(), "a")

    assert (always, [chunk["id"] for chunk in others]) == ([], [1, 2])


def test_each_type_has_its_tier_unless_the_profile_says_otherwise():
    tiers = Tiers()

    assert [tiers.of(kind) for kind in ("decision_guide", "response_frames", "guardrails")] == ["CRITICAL"] * 3
    assert [tiers.of(kind) for kind in ("steps", "fees_details", "common_issues")] == ["HIGH"] * 3
    assert (tiers.of("eligibility"), tiers.of("examples"), tiers.of("something")) == ("MEDIUM", "LOW", "LOW")
    assert Tiers(high=("faqs",), medium=()).of("faqs") == "HIGH"
