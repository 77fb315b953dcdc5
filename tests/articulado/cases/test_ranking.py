"""In which order the chunks of a case are read."""

from support.doubles import make_chunk

from articulado.cases.choice import order_by_tier, order_for_required_data
from articulado.config.sections import RequiredDataProfile, Tiers


def candidate(number, score, article="a", **fields):
    chunk = make_chunk(number, law_id=article, **fields)
    return {"chunk": chunk, "score": score, "origins": ["hybrid"], "found_by": []}


def test_chunks_are_read_by_tier_and_then_by_score():
    candidates = [
        candidate(1, 0.9, tier="LOW"),
        candidate(2, 0.2, tier="HIGH"),
        candidate(3, 0.3, tier="HIGH"),
        candidate(4, 0.8, tier="MEDIUM"),
        candidate(5, 0.1, tier=""),
    ]

    assert [chunk["id"] for chunk in order_by_tier(candidates, "", ())] == [3, 2, 4, 1, 5]


def test_within_a_tier_the_article_goes_before_others_and_its_types_in_their_order():
    candidates = [
        candidate(1, 0.9, "b", tier="HIGH", chunk_type="steps"),
        candidate(2, 0.8, "a", tier="HIGH", chunk_type="common_issues"),
        candidate(3, 0.0, "a", tier="HIGH", chunk_type="steps"),
        candidate(4, 0.5, "a", tier="HIGH", chunk_type="fees_details"),
        candidate(5, 1.0, "a", tier="MEDIUM", chunk_type="faqs"),
        candidate(6, 1.0, "c", tier="HIGH", chunk_type="common_issues"),
    ]

    ordered = order_by_tier(candidates, "a", Tiers().types)

    assert [chunk["id"] for chunk in ordered] == [3, 4, 2, 6, 1, 5]


def test_the_reranked_score_decides_where_there_is_one():
    slow = {**candidate(1, 0.1, tier="HIGH"), "rerank_score": 0.9, "final_score": 0.9}

    assert [chunk["id"] for chunk in order_by_tier([candidate(2, 0.8, tier="HIGH"), slow], "", ())] == [1, 2]


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
