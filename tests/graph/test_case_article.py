"""The article of a case: none, one of another topic, one against the filter, one that the search missed.

Both graphs over two articles of made-up chunks; how well the inquiry matches each is laid down.
"""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.doubles import FixedMatcher, QueueChat
from support.examples import examples
from support.small_case import (
    ALIEN,
    ARTICLE,
    CHUNKS,
    FRAME,
    STEPS,
    SURE,
    TITLE,
    SmallBase,
    case_services,
    log_odds_of,
    part,
)
from support.small_case import field as datum

from articulado.retrieval.relevance.judge import Judgement
from graph.case import build_generate_response, build_required_data

MERIDIAN, MERIDIAN_TITLE = "meridian-loan", "Loans from a Meridian account"
OTHER = {"law_id": MERIDIAN, "attributes": {"record_keeper": "Meridian Recordkeeping", "plan_type": "401(k)"}}
OTHER_CHUNKS = [
    {
        **part(
            11,
            "required_data",
            "HIGH",
            "Collect the amount.",
            fields=[datum("amount", "plan_data", "currency", required=True)],
        ),
        **OTHER,
    },
    {**part(12, "steps", "HIGH", "Call Meridian.", steps=["Call Meridian."]), **OTHER},
]
for chunk in OTHER_CHUNKS:
    chunk["details"] = {**chunk["details"], "article_title": MERIDIAN_TITLE}
BOTH = [*CHUNKS, *OTHER_CHUNKS]

INQUIRY = "Wants a loan for a car"
LT = {"record_keeper": "LT Trust", "plan_type": "401(k)"}
WHOLE = {"topic": "loan", "collected_data": {"vested_balance": "$10,000", "birth_date": "1970-05-03"}}
PLENTY = {"max_tokens": 20_000}
NONE_NEEDED = {"participant_data": [], "plan_data": []}


async def needed(case, *, chunks=CHUNKS, log_odds=None, missed=(), **parts):
    services = case_services(base=SmallBase(0.8, chunks, missed), log_odds=log_odds or {ARTICLE: SURE})
    case = {name: value for name, value in case.items() if name != "collected_data"}
    return await build_required_data(replace(services, **parts)).ainvoke(case)


async def answered(case, *, chunks=CHUNKS, log_odds=None, missed=(), principal=None, **parts):
    services = case_services(principal, base=SmallBase(0.8, chunks, missed), log_odds=log_odds or {ARTICLE: SURE})
    return await build_generate_response(replace(services, **parts)).ainvoke({**PLENTY, **case})


# An inquiry that no article handles


@pytest.mark.parametrize("more", [{}, {"topic": "loan"}, WHOLE], ids=["alone", "topic", "topic and data"])
@pytest.mark.parametrize("filters", [{}, LT], ids=["open", "filtered"])
async def test_what_no_article_handles_is_out_of_scope_in_both_steps_whatever_comes_along(more, filters):
    case, principal = {"inquiry": "Lost his library card", **filters, **more}, QueueChat("")
    asked = await needed(case, log_odds={ARTICLE: ALIEN})
    answer = await answered(case, log_odds={ARTICLE: ALIEN}, principal=principal)

    said = f"No article of this desk handles this inquiry. There are: {TITLE}"
    assert (asked["outcome"], asked["message"], asked["article_reference"]) == ("out_of_scope", said, None)
    assert (answer["decision"], answer["message"], answer["confidence"]) == ("out_of_scope", said, 0.0)
    assert asked["required_fields"] == NONE_NEEDED
    assert answer["response"] == {"sections": []}
    assert asked["sources"] == answer["sources"] == []
    assert principal.calls == []


@pytest.mark.parametrize(
    ("confidence", "decision"),
    [(0.38, "out_of_scope"), (0.41, "uncertain"), (0.68, "uncertain"), (0.71, "can_proceed")],
)
async def test_four_tenths_are_in_scope_and_seven_may_proceed(confidence, decision):
    found = await answered({"inquiry": INQUIRY, **LT, **WHOLE}, log_odds={ARTICLE: log_odds_of(confidence)})
    asked = await needed({"inquiry": INQUIRY, **LT}, log_odds={ARTICLE: log_odds_of(confidence, "required_data")})

    assert (found["decision"], found["confidence"]) == (decision, confidence)
    assert asked["outcome"] == decision.replace("can_proceed", "found")


async def test_a_low_confidence_does_not_hide_what_a_rule_says_and_what_is_missing():
    needs = [*CHUNKS[0]["details"]["fields"], datum("amount", "plan_data", "currency", required=True)]
    chunks = [{**CHUNKS[0], "details": {**CHUNKS[0]["details"], "fields": needs}}, *CHUNKS[1:]]

    case = {"inquiry": INQUIRY, **LT, "collected_data": {"vested_balance": "1500"}}
    found = await answered(case, chunks=chunks, log_odds={ARTICLE: log_odds_of(0.5)})

    assert (found["decision"], found["confidence"]) == ("uncertain", 0.5)
    assert "0.50" in found["message"]
    assert "Too little" in found["message"]
    assert "Required data are missing: amount" in found["message"]


async def test_where_there_are_no_articles_it_is_said_that_there_is_nothing():
    for found in (await needed({"inquiry": INQUIRY}, chunks=[]), await answered({"inquiry": INQUIRY}, chunks=[])):
        assert found["message"] == "The knowledge base has nothing on this inquiry"
        assert found.get("outcome", found.get("decision")) == "out_of_scope"


class MatterJudge:
    """Takes every question for one of a matter."""

    def __init__(self, matter, share):
        self.matter, self.share = matter, share
        self.questions = []

    async def judge(self, question, candidates):
        self.questions.append(question["text"])
        return Judgement(0.1, self.matter, self.share)


@pytest.mark.parametrize(
    ("matter", "share", "is_named"),
    [
        ("fiscal", 0.6, True),
        ("fiscal", 0.59, False),
        ("otro_pais", 0.9, False),
        ("no_juridica", 0.9, False),
        ("indeterminada", 0.9, False),
        ("", 0.0, False),
    ],
)
async def test_what_the_inquiry_seems_to_be_about_is_said_where_it_is_sure_and_helps(matter, share, is_named):
    judge = MatterJudge(matter, share)

    found = await answered({"inquiry": "Her income tax", **WHOLE}, log_odds={ARTICLE: ALIEN}, judge=judge)

    assert found["message"].startswith("It seems to be ") == is_named
    assert found["message"].endswith(f"There are: {TITLE}")
    assert judge.questions == ["Her income tax"]


# An inquiry of another article


async def test_one_of_another_topic_names_the_article_and_gives_no_procedure():
    case, principal = {"inquiry": INQUIRY, **LT, **WHOLE, "topic": "rollover"}, QueueChat("")
    asked, answer = await needed(case), await answered(case, principal=principal)

    said = (
        f"The inquiry seems to belong to “{TITLE}” ({ARTICLE}), not to what Topic says (rollover): "
        "ask again with Topic = loan, or without Topic, if so"
    )
    assert (asked["outcome"], asked["message"]) == ("uncertain", said)
    assert (answer["decision"], answer["message"]) == ("uncertain", said)
    assert asked["article_reference"] == {"article_id": ARTICLE, "title": TITLE, "confidence": 0.99}
    assert asked["required_fields"] == NONE_NEEDED
    assert answer["response"] == {"sections": []}
    assert asked["sources"] == answer["sources"] == []
    assert principal.calls == []


async def test_what_is_asked_again_as_it_says_is_answered():
    case = {"inquiry": INQUIRY, **LT, **WHOLE}

    assert (await answered(case))["decision"] == "can_proceed"
    assert (await answered({**case, "topic": ""}))["decision"] == "can_proceed"


# An inquiry against its filter

AT_MERIDIAN = "Her account is at Meridian Recordkeeping and she wants a loan"
AT_FIDELITY = "Her account is at Fidelity and she wants a loan"


@pytest.mark.parametrize(
    ("inquiry", "said"),
    [
        (
            AT_MERIDIAN,
            "The inquiry names “Meridian Recordkeeping” as “Record keeper”, but LT Trust was given: "
            "check which of them this case is about",
        ),
        (
            AT_FIDELITY,
            "The inquiry names “Fidelity” as “Record keeper”, which the knowledge base does not hold. "
            "Known are: LT Trust, Meridian Recordkeeping",
        ),
    ],
)
@pytest.mark.parametrize("chunks", [CHUNKS, BOTH], ids=["one", "both"])
async def test_another_keeper_than_the_filter_has_is_said_with_half_of_the_confidence(inquiry, said, chunks):
    case, principal = {"inquiry": inquiry, **LT, **WHOLE}, QueueChat("")
    odds = {ARTICLE: SURE, MERIDIAN: SURE}
    asked = await needed(case, chunks=chunks, log_odds=odds)
    answer = await answered(case, chunks=chunks, log_odds=odds, principal=principal)

    assert (asked["outcome"], asked["message"]) == ("uncertain", said)
    assert (answer["decision"], answer["message"]) == ("uncertain", said)
    assert answer["confidence"] == asked["article_reference"]["confidence"] == pytest.approx(0.495, abs=0.0051)
    assert asked["required_fields"] == NONE_NEEDED
    assert answer["response"] == {"sections": []}
    assert principal.calls == []


async def test_a_keeper_that_is_not_held_is_said_where_none_was_given_too():
    found = await answered({"inquiry": AT_FIDELITY, **WHOLE})

    assert found["decision"] == "uncertain"
    assert "“Fidelity”" in found["message"]
    assert found["response"] == {"sections": []}


async def test_an_inquiry_of_an_article_that_the_filter_keeps_out_is_said_to_name_another_value():
    odds = {ARTICLE: ALIEN, MERIDIAN: SURE}
    found = await answered({"inquiry": AT_MERIDIAN, **LT, **WHOLE}, chunks=BOTH, log_odds=odds)

    assert found["decision"] == "uncertain"
    assert "“Meridian Recordkeeping”" in found["message"]
    assert found["metadata"]["article_id"] == ""


async def test_where_nothing_is_in_scope_another_keeper_is_no_reason_to_ask():
    odds = {ARTICLE: ALIEN, MERIDIAN: ALIEN}
    found = await answered({"inquiry": AT_MERIDIAN, **LT, **WHOLE}, chunks=BOTH, log_odds=odds)

    assert found["decision"] == "out_of_scope"
    assert "Meridian Recordkeeping”" not in found["message"]


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        (
            {"record_keeper": "Nope Inc"},
            "“Nope Inc” is not known as “Record keeper”. Known are: LT Trust, Meridian Recordkeeping",
        ),
        (
            {"record_keeper": "LT Trust", "plan_type": "403(b)"},
            f"No article is for LT Trust + 403(b). “{TITLE}” is for Plan type 401(k), and 403(b) was given",
        ),
    ],
)
async def test_an_inquiry_of_an_article_that_only_the_filter_keeps_out_is_uncertain(filters, said):
    odds = {ARTICLE: SURE, MERIDIAN: ALIEN}
    asked = await needed({"inquiry": INQUIRY, **filters}, chunks=BOTH, log_odds=odds)
    answer = await answered({"inquiry": INQUIRY, **filters}, chunks=BOTH, log_odds=odds)

    assert (asked["outcome"], asked["message"]) == (answer["decision"], answer["message"]) == ("uncertain", said)
    alien = await answered({"inquiry": INQUIRY, **filters}, chunks=BOTH, log_odds={ARTICLE: ALIEN, MERIDIAN: ALIEN})
    assert alien["decision"] == "out_of_scope"
    assert TITLE not in alien["message"]


# A filter that the data fill


@pytest.mark.parametrize("datum", ["meridian", "her account is at Meridian"])
async def test_a_filter_that_is_left_open_is_filled_from_the_data(datum):
    case = {"inquiry": INQUIRY, "collected_data": {"Record Keeper": datum}}
    found = await answered(case, chunks=BOTH, log_odds={ARTICLE: SURE + 1, MERIDIAN: SURE})

    assert "“Record keeper” is taken from the data of the case: Meridian Recordkeeping" in found["warnings"]
    assert found["metadata"]["article_id"] == MERIDIAN


async def test_a_keeper_among_the_data_that_is_not_held_is_answered_for_no_other():
    found = await answered({"inquiry": INQUIRY, "collected_data": {"record_keeper": "Fidelity"}}, chunks=BOTH)

    assert found["decision"] == "uncertain"
    assert found["message"].startswith("“Fidelity” is not known as “Record keeper”")


async def test_the_data_go_before_what_the_inquiry_names():
    case = {"inquiry": AT_MERIDIAN, "collected_data": {"record_keeper": "LT Trust"}}
    found = await answered(case, chunks=BOTH, log_odds={ARTICLE: SURE, MERIDIAN: SURE})

    assert found["decision"] == "uncertain"
    assert "“Meridian Recordkeeping” as “Record keeper”, but LT Trust was given" in found["message"]


# The data


async def test_whole_data_of_another_article_are_said_to_be_so():
    case = {"inquiry": INQUIRY, "collected_data": {"amount": "$500", "foo": "1"}}
    found = await answered(case, chunks=BOTH, log_odds={ARTICLE: SURE + 2, MERIDIAN: SURE})

    assert (found["decision"], found["metadata"]["article_id"]) == ("uncertain", ARTICLE)
    assert found["message"] == (
        f"The data are those of “{MERIDIAN_TITLE}” ({MERIDIAN}), and the inquiry is of “{TITLE}” ({ARTICLE}): "
        "check which of them the case is of"
    )
    assert "Data that no article asks for: foo" in found["warnings"]


# What says too little


@pytest.mark.parametrize("inquiry", ["loan", "The loan!"])
async def test_a_single_word_is_uncertain_whatever_it_matches(inquiry):
    asked, answer = await needed({"inquiry": inquiry, **LT}), await answered({"inquiry": inquiry, **LT, **WHOLE})

    assert (asked["outcome"], asked["article_reference"]["confidence"]) == ("uncertain", 0.6)
    assert (answer["decision"], answer["confidence"]) == ("uncertain", 0.6)
    assert asked["message"] == answer["message"] == "The inquiry says too little: write what has happened"


# A filter that the inquiry fills


@pytest.mark.parametrize(
    ("inquiry", "keeper", "article"),
    [
        (AT_MERIDIAN, "Meridian Recordkeeping", MERIDIAN),
        ("Her account is at LT Trust and she wants a loan", "LT Trust", ARTICLE),
    ],
)
async def test_a_filter_that_is_left_open_is_filled_from_the_inquiry(inquiry, keeper, article):
    odds = {ARTICLE: SURE, MERIDIAN: SURE}
    for found in (
        await needed({"inquiry": inquiry}, chunks=BOTH, log_odds=odds),
        await answered({"inquiry": inquiry}, chunks=BOTH, log_odds=odds),
    ):
        assert f"“Record keeper” is taken from the inquiry: {keeper}" in found["warnings"]
        assert found["metadata"]["article_id"] == article
        assert {source["article_id"] for source in found["sources"]} == {article}


async def test_what_neither_the_caller_nor_the_inquiry_says_is_that_of_the_article_and_told():
    odds = {ARTICLE: SURE - 1, MERIDIAN: SURE}
    for found in (
        await needed({"inquiry": INQUIRY}, chunks=BOTH, log_odds=odds),
        await answered({"inquiry": INQUIRY}, chunks=BOTH, log_odds=odds),
    ):
        assert "Nothing was given for “Record keeper”: the answer is for Meridian Recordkeeping" in found["warnings"]
        assert {source["article_id"] for source in found["sources"]} == {MERIDIAN}


# The confidence

TOPICS = st.sampled_from(["", "loan", "rollover", "vesting"])
NAMES = st.sampled_from(["vested_balance", "birth_date", "amount", "anything"])
COLLECTED = st.dictionaries(NAMES, st.sampled_from(["$10,000", "1970-05-03", "a loan", "0"]))


@settings(max_examples=examples(1 / 2))
@given(TOPICS, COLLECTED, st.sampled_from([0.1, 0.5, 0.8]))
def test_topic_and_data_leave_the_confidence_as_it_is(topic, collected, confidence):
    odds = log_odds_of(confidence)
    case = {"inquiry": INQUIRY, **LT, "topic": topic, "collected_data": collected}

    found = asyncio.run(answered(case, chunks=BOTH, log_odds={ARTICLE: odds, MERIDIAN: odds + 1}))

    assert found["confidence"] == confidence


@pytest.mark.parametrize("more", [{}, {"topic": "loan"}, WHOLE])
async def test_what_is_matched_is_the_inquiry_alone(more):
    for ask in (needed, answered):
        matcher = FixedMatcher()
        await ask({"inquiry": INQUIRY, **LT, **more}, matcher=matcher)
        assert matcher.inquiries == [INQUIRY]


# The search


async def test_the_article_is_found_though_the_search_missed_all_of_it():
    missed = [chunk["id"] for chunk in CHUNKS]
    case = {"inquiry": INQUIRY, **LT, **WHOLE}
    asked = await needed(case, chunks=BOTH, missed=missed)
    answer = await answered(case, chunks=BOTH, missed=missed)

    assert (asked["outcome"], asked["article_reference"]["article_id"]) == ("found", ARTICLE)
    assert [one["field"] for one in asked["required_fields"]["plan_data"]] == ["vested_balance"]
    assert (answer["decision"], answer["confidence"]) == ("can_proceed", 0.99)
    assert answer["response"]["sections"][0]["answer_components"] == [FRAME]
    assert answer["response"]["sections"][-1]["steps"] == STEPS
    assert asked["metadata"]["raw_confidence"] == answer["metadata"]["raw_confidence"] == 0.0


async def test_critical_rules_are_read_for_the_data_of_a_case():
    rules = part(5, "business_rules", "CRITICAL", "Half of the vested balance may be borrowed.")

    found = await needed({"inquiry": INQUIRY, **LT}, chunks=[*CHUNKS, rules], missed=[5])

    assert [(source["chunk_id"], source["tier"]) for source in found["sources"]] == [(1, "CRITICAL"), (5, "CRITICAL")]


async def test_what_both_searches_have_found_speaks_for_the_article():
    alone = await answered({"inquiry": INQUIRY, **LT})
    both = await answered({"inquiry": INQUIRY, **LT, **WHOLE})

    assert alone["metadata"]["raw_confidence"] == both["metadata"]["raw_confidence"] == 0.88
