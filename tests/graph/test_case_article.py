"""The article of a case: none, one of another topic, one against the filter, one that the search missed.

Both graphs over two articles of made-up chunks. How well the inquiry matches each is laid down; among the articles, the
topic has a weight of 2 and whole data one of 3; scope and curves are the identity.
"""

from dataclasses import replace

import pytest
from support.doubles import FixedMatcher, QueueChat
from support.small_case import ALIEN, ARTICLE, CHUNKS, FRAME, STEPS, SURE, TITLE, SmallBase, case_services, log_odds_of
from support.small_case import field as datum
from support.small_case import part as chunk

from articulado.retrieval.relevance.judge import Judgement
from graph.case import build_generate_response, build_required_data

MERIDIAN, MERIDIAN_TITLE = "meridian-loan", "Loans from a Meridian account"
OTHER = {"law_id": MERIDIAN, "attributes": {"record_keeper": "Meridian Recordkeeping", "plan_type": "401(k)"}}
AMOUNT = datum("amount", "plan_data", "currency", required=True)
OTHER_CHUNKS = [
    {**chunk(11, "required_data", "HIGH", "Collect the amount.", fields=[AMOUNT]), **OTHER},
    {**chunk(12, "steps", "HIGH", "Call Meridian.", steps=["Call Meridian."]), **OTHER},
]
for each in OTHER_CHUNKS:
    each["details"] = {**each["details"], "article_title": MERIDIAN_TITLE}
BOTH = [*CHUNKS, *OTHER_CHUNKS]
ROLLOVER = "lt-trust-rollover"
TWO = [*CHUNKS, {**CHUNKS[3], "id": 24, "law_id": ROLLOVER, "topic": "rollover"}]

INQUIRY = "Wants a loan for a car"
AT_MERIDIAN = "Her account is at Meridian Recordkeeping and she wants a loan"
AT_FIDELITY = "Her account is at Fidelity and she wants a loan"
LT = {"record_keeper": "LT Trust", "plan_type": "401(k)"}
WHOLE = {"topic": "loan", "collected_data": {"vested_balance": "$10,000", "birth_date": "1970-05-03"}}
EQUAL = {ARTICLE: SURE, MERIDIAN: SURE}
NONE_NEEDED = {"participant_data": [], "plan_data": []}


async def needed(case, *, chunks=CHUNKS, log_odds=None, missed=(), **parts):
    services = case_services(base=SmallBase(0.8, chunks, missed), log_odds=log_odds or {ARTICLE: SURE})
    case = {name: value for name, value in case.items() if name != "collected_data"}
    return await build_required_data(replace(services, **parts)).ainvoke(case)


async def answered(case, *, chunks=CHUNKS, log_odds=None, missed=(), principal=None, **parts):
    services = case_services(principal, base=SmallBase(0.8, chunks, missed), log_odds=log_odds or {ARTICLE: SURE})
    return await build_generate_response(replace(services, **parts)).ainvoke({"max_tokens": 20_000, **case})


async def refused(case, **more):
    """Return both results of a case that nothing is read or written for; their messages are the same."""
    principal = QueueChat("")
    asked, answer = await needed(case, **more), await answered(case, principal=principal, **more)
    assert asked["message"] == answer["message"]
    assert asked["required_fields"] == NONE_NEEDED
    assert answer["response"] == {"sections": []}
    assert asked["sources"] == answer["sources"] == principal.calls == []
    assert asked["outcome"] == answer["decision"]
    return asked, answer


# No article


@pytest.mark.parametrize("more", [{}, {"topic": "loan"}, WHOLE], ids=["alone", "topic", "topic and data"])
@pytest.mark.parametrize("filters", [{}, LT], ids=["open", "filtered"])
async def test_inquiries_without_article_are_out_of_scope_in_both_graphs(more, filters):
    case = {"inquiry": "Lost his library card", **filters, **more}
    asked, answer = await refused(case, log_odds={ARTICLE: ALIEN})

    said = f"No article of this desk handles this inquiry. There are: {TITLE}"
    assert (answer["decision"], answer["message"], answer["confidence"]) == ("out_of_scope", said, 0.0)
    assert asked["article_reference"] is None


@pytest.mark.parametrize(
    ("case", "chunks", "said"),
    [
        ({}, [], ""),
        ({"topic": "lone"}, BOTH, ". “lone” is not known as “Topic”. Known are: rollover, loan, "),
        ({"record_keeper": "Nope Inc"}, BOTH, ". “Nope Inc” is not known as “Record keeper”. Known are: LT Trust, "),
        ({**LT, "plan_type": "403(b)"}, BOTH, ". No article is for LT Trust + 403(b)"),
        ({"record_keeper": "Meridian", "topic": "loan"}, CHUNKS, ". No article is for Meridian Recordkeeping"),
    ],
    ids=["no articles", "unknown topic", "unknown keeper", "no article of both", "no article"],
)
async def test_a_filter_that_no_article_passes_finds_nothing_in_both_graphs(case, chunks, said):
    asked, answer = await refused({"inquiry": INQUIRY, **case}, chunks=chunks, log_odds=EQUAL)

    assert (answer["decision"], answer["confidence"], asked["article_reference"]) == ("out_of_scope", 0.0, None)
    assert answer["message"].startswith(f"No relevant articles found{said}")


@pytest.mark.parametrize("inquiry", [AT_MERIDIAN, INQUIRY])
async def test_an_inquiry_of_an_article_that_the_filter_keeps_out_is_out_of_scope_and_says_so(inquiry):
    case, odds = {"inquiry": inquiry, **LT, **WHOLE}, {ARTICLE: ALIEN, MERIDIAN: SURE}
    _, answer = await refused(case, chunks=BOTH, log_odds=odds)

    assert answer["message"] == (
        f"No article of this desk handles this inquiry. There are: {TITLE}. “{MERIDIAN_TITLE}” is for Record keeper "
        "Meridian Recordkeeping, and LT Trust was given"
    )


class MatterJudge:
    """Takes every question for one of a matter."""

    def __init__(self, matter, share):
        self.matter, self.share = matter, share

    async def judge(self, question, candidates):
        return Judgement(0.1, self.matter, self.share)


@pytest.mark.parametrize(
    ("matter", "share", "is_named"),
    [("fiscal", 0.6, True), ("fiscal", 0.59, False), ("otro_pais", 0.9, False), ("no_juridica", 0.9, False)],
)
async def test_out_of_scope_names_a_sure_matter(matter, share, is_named):
    judge = MatterJudge(matter, share)
    found = await answered({"inquiry": "Her income tax", **WHOLE}, log_odds={ARTICLE: ALIEN}, judge=judge)

    assert found["message"].startswith("It seems to be ") == is_named
    assert found["message"].endswith(f"There are: {TITLE}")


# The confidence


@pytest.mark.parametrize(
    ("confidence", "decision"),
    [(0.38, "out_of_scope"), (0.41, "uncertain"), (0.68, "uncertain"), (0.71, "can_proceed")],
)
async def test_four_tenths_are_in_scope_and_seven_may_proceed(confidence, decision):
    odds = {ARTICLE: log_odds_of(confidence)}
    found = await answered({"inquiry": INQUIRY, **LT, **WHOLE}, log_odds=odds)
    asked = await needed({"inquiry": INQUIRY, **LT}, log_odds=odds)

    assert (found["decision"], found["confidence"]) == (decision, confidence)
    assert asked["outcome"] == decision.replace("can_proceed", "found")


@pytest.mark.parametrize(
    ("more", "confidence", "article"),
    [
        # In scope by the inquiry alone: 1 / (1 + e^-1.5) = 0.8176. Of two equal articles, each has half of that;
        ({}, 0.41, ARTICLE),
        # with its topic 1 / (1 + e^-2) = 0.8808 of it, with all data of the loan 1 / (1 + e^-3) = 0.9526,
        ({"topic": "loan"}, 0.72, ARTICLE),
        ({"topic": "rollover"}, 0.72, ROLLOVER),
        ({"collected_data": WHOLE["collected_data"]}, 0.78, ARTICLE),
        # with both 1 / (1 + e^-5) = 0.9933, with the topic of one and the data of the other 1 / (1 + e^-1) = 0.7311.
        (WHOLE, 0.81, ARTICLE),
        ({**WHOLE, "topic": "rollover"}, 0.6, ARTICLE),
    ],
)
async def test_topic_and_data_take_part_in_choice_and_confidence(more, confidence, article):
    case, odds, matcher = {"inquiry": INQUIRY, **LT, **more}, {ARTICLE: 1.5, ROLLOVER: 1.5}, None
    found = await answered(case, chunks=TWO, log_odds=odds)

    assert (found["confidence"], found["metadata"]["article_id"]) == (confidence, article)
    if "collected_data" not in more:
        asked = await needed(case, chunks=TWO, log_odds=odds)
        assert asked["article_reference"]["confidence"] == confidence
    # What is matched is the inquiry alone.
    for ask in (needed, answered):
        await ask(case, matcher=(matcher := FixedMatcher()))
        assert matcher.inquiries == [INQUIRY]


async def test_a_low_confidence_does_not_hide_what_a_rule_says_and_what_is_missing():
    needs = [*CHUNKS[0]["details"]["fields"], AMOUNT]
    chunks = [{**CHUNKS[0], "details": {**CHUNKS[0]["details"], "fields": needs}}, *CHUNKS[1:]]
    case = {"inquiry": INQUIRY, **LT, "collected_data": {"vested_balance": "1500"}}
    found = await answered(case, chunks=chunks, log_odds={ARTICLE: log_odds_of(0.5)})

    assert (found["decision"], found["confidence"]) == ("uncertain", 0.5)
    for said in ("0.50", "Too little", "Required data are missing: amount"):
        assert said in found["message"]


@pytest.mark.parametrize("inquiry", ["loan", "The loan!"])
async def test_a_single_word_is_uncertain_whatever_it_matches(inquiry):
    asked, answer = await needed({"inquiry": inquiry, **LT}), await answered({"inquiry": inquiry, **LT, **WHOLE})

    assert (asked["outcome"], asked["article_reference"]["confidence"]) == ("uncertain", 0.6)
    assert (answer["decision"], answer["confidence"]) == ("uncertain", 0.6)
    assert asked["message"] == answer["message"] == "The inquiry says too little: write what has happened"


# What contradicts itself


async def test_one_of_another_topic_names_the_article_and_gives_no_procedure():
    case = {"inquiry": INQUIRY, **LT, **WHOLE}
    asked, answer = await refused({**case, "topic": "rollover"})

    assert (answer["decision"], answer["message"]) == (
        "uncertain",
        f"The inquiry seems to belong to “{TITLE}” ({ARTICLE}), not to what Topic says (rollover): "
        "ask again with Topic = loan, or without Topic, if so",
    )
    assert asked["article_reference"] == {"article_id": ARTICLE, "title": TITLE, "confidence": 0.99}
    for topic in ("loan", ""):
        assert (await answered({**case, "topic": topic}))["decision"] == "can_proceed"


@pytest.mark.parametrize(
    ("inquiry", "filters", "data", "said"),
    [
        (AT_MERIDIAN, LT, {}, "The inquiry names “Meridian Recordkeeping” as “Record keeper”, but LT Trust was given"),
        (
            AT_FIDELITY,
            LT,
            {},
            "The inquiry names “Fidelity” as “Record keeper”, which the knowledge base does not hold",
        ),
        (
            AT_FIDELITY,
            {},
            {},
            "The inquiry names “Fidelity” as “Record keeper”, which the knowledge base does not hold",
        ),
        (AT_MERIDIAN, {}, {"record_keeper": "LT Trust"}, "The inquiry names “Meridian Recordkeeping” as “Record keepe"),
    ],
)
async def test_another_keeper_than_that_of_the_case_is_said_with_half_of_the_confidence(inquiry, filters, data, said):
    case = {"inquiry": inquiry, **filters, "collected_data": data}
    answer = await answered(case)

    assert answer["decision"] == "uncertain"
    assert answer["message"].startswith(said)
    # Half of 0.99, and rounded.
    assert answer["confidence"] in (0.49, 0.5)
    if not data:
        asked, _ = await refused(case)
        assert asked["article_reference"]["confidence"] == answer["confidence"]


async def test_whole_data_of_another_article_are_said_to_be_so():
    case = {"inquiry": INQUIRY, "collected_data": {"amount": "$500", "foo": "1"}}
    found = await answered(case, chunks=BOTH, log_odds={ARTICLE: SURE + 4, MERIDIAN: SURE})

    assert (found["decision"], found["metadata"]["article_id"]) == ("uncertain", ARTICLE)
    assert found["message"] == (
        f"The data are those of “{MERIDIAN_TITLE}” ({MERIDIAN}), and the inquiry is of “{TITLE}” ({ARTICLE}): "
        "check which of them the case is of"
    )
    assert "Data that no article asks for: foo" in found["warnings"]


# A filter that is left open


@pytest.mark.parametrize(
    ("case", "odds", "article", "warning"),
    [
        ({"inquiry": AT_MERIDIAN}, SURE, MERIDIAN, "is taken from the inquiry: Meridian Recordkeeping"),
        ({"inquiry": "At LT Trust, a loan"}, SURE, ARTICLE, "is taken from the inquiry: LT Trust"),
        (
            {"inquiry": INQUIRY, "collected_data": {"Record Keeper": "her account is at Meridian"}},
            SURE + 1,
            MERIDIAN,
            "is taken from the data of the case: Meridian Recordkeeping",
        ),
    ],
)
async def test_a_filter_that_is_left_open_is_filled_from_the_data_or_the_inquiry(case, odds, article, warning):
    found = await answered(case, chunks=BOTH, log_odds={ARTICLE: odds, MERIDIAN: SURE})

    assert f"“Record keeper” {warning}" in found["warnings"]
    assert found["metadata"]["article_id"] == article
    assert {source["article_id"] for source in found["sources"]} == {article}


async def test_what_neither_the_caller_nor_the_inquiry_says_is_that_of_the_article_and_told():
    odds = {ARTICLE: SURE - 1, MERIDIAN: SURE}
    for ask in (needed, answered):
        found = await ask({"inquiry": INQUIRY}, chunks=BOTH, log_odds=odds)
        assert "Nothing was given for “Record keeper”: the answer is for Meridian Recordkeeping" in found["warnings"]
        assert {source["article_id"] for source in found["sources"]} == {MERIDIAN}


# The search


async def test_the_article_is_found_though_the_search_missed_all_of_it():
    case, missed = {"inquiry": INQUIRY, **LT, **WHOLE}, [each["id"] for each in CHUNKS]
    asked = await needed(case, chunks=BOTH, missed=missed)
    answer = await answered(case, chunks=BOTH, missed=missed)

    assert (asked["outcome"], asked["article_reference"]["article_id"]) == ("found", ARTICLE)
    assert [one["field"] for one in asked["required_fields"]["plan_data"]] == ["vested_balance"]
    assert (answer["decision"], answer["confidence"]) == ("can_proceed", 0.99)
    assert answer["response"]["sections"][0]["answer_components"] == [FRAME]
    assert answer["response"]["sections"][-1]["steps"] == STEPS
    assert asked["metadata"]["raw_confidence"] == answer["metadata"]["raw_confidence"] == 0.0


async def test_critical_rules_are_read_for_the_data_of_a_case():
    rules = chunk(5, "business_rules", "CRITICAL", "Half of the vested balance may be borrowed.")
    found = await needed({"inquiry": INQUIRY, **LT}, chunks=[*CHUNKS, rules], missed=[5])

    assert [(source["chunk_id"], source["tier"]) for source in found["sources"]] == [(1, "CRITICAL"), (5, "CRITICAL")]
