"""A case says why it does not go on, and what had no room: both graphs over a few chunks, one token a character."""

import json

import pytest
from support.case_replies import fields_reply, response_reply
from support.doubles import QueueChat
from support.small_case import ARTICLE, CHUNKS, FIELDS, STEPS, SmallBase, case_services, part

from articulado.cases.budget import budget_shares
from graph.case import build_generate_response, build_required_data

FEE = {"about": "fees", "text": "The fee of the loan is not paid back."}
OTHER_STEPS = {**part(7, "steps", "HIGH", "Pay.", steps=["Pay."]), "law_id": "lt-trust-payoff"}
ARTICLES = [
    *CHUNKS,
    part(5, "common_issues", "HIGH", "The form is sent back where a page is missing. " * 4),
    part(6, "fees_details", "HIGH", "A fee is taken off.", warnings=[FEE]),
    OTHER_STEPS,
]
ASKED = {"inquiry": "Wants a loan", "record_keeper": "LT Trust", "plan_type": "401(k)", "topic": "loan"}
CASE = {**ASKED, "collected_data": {"vested_balance": "10000"}}


async def answered(reply=None, *, max_tokens=20_000, missed=(), scores=None, chunks=ARTICLES):
    chat = QueueChat(json.dumps(reply)) if reply else None
    services = case_services(chat, base=SmallBase(0.8, chunks, missed), scores=scores)
    return await build_generate_response(services).ainvoke({**CASE, "max_tokens": max_tokens})


async def needed(article):
    services = case_services(QueueChat(json.dumps(fields_reply(article))), base=SmallBase(0.8))
    return await build_required_data(services).ainvoke(ASKED)


def reply(**parts):
    return response_reply("A loan is open.", **{"steps": STEPS, "warnings": (FEE["text"],), **parts})


def asked_for(message):
    return int(message.rpartition("Ask for ")[2].split()[0])


# The reason of a model

NOT_AT_HAND = "The plan document is not at hand."
HIDDEN = "The model's reason breaks a guardrail and is not shown"


@pytest.mark.parametrize(
    ("decision", "reason", "message", "removed"),
    [
        ("uncertain", NOT_AT_HAND, "The model's reason: The plan document is not at hand", []),
        ("out_of_scope", NOT_AT_HAND, "The model's reason: The plan document is not at hand", []),
        ("uncertain", " ", "The model gave no reason", []),
        ("can_proceed", "All is well.", "", []),
        ("uncertain", "The loan will be approved anyway.", HIDDEN, ["The loan will be approved anyway."]),
        ("uncertain", "It would cost $777.", HIDDEN, ["It would cost $777."]),
    ],
)
async def test_the_reason_of_a_model_is_told_unless_it_breaks_a_guardrail(decision, reason, message, removed):
    found = await answered(reply(decision=decision, reason=reason))

    assert (found["decision"], found["message"]) == (decision, message)
    assert [violation["removed"] for violation in found["guardrails"]["violated"]] == removed


# The article, whether the search has found it or not


async def test_chunks_of_the_article_come_first_within_their_tier():
    # Its id is earlier.
    advance = {**part(8, "decision_guide", "CRITICAL", "Nothing is paid in advance."), "law_id": "lt-trust-advance"}
    found = await answered(chunks=[*ARTICLES, advance])

    assert found["metadata"]["chunk_ids"] == [2, 3, 1, 8, 4, 6, 5, 7]
    assert (found["message"], found["warnings"], found["metadata"]["left_out"]) == ("", [], [])


async def test_what_the_search_has_missed_of_the_article_is_read_and_has_no_part_in_the_raw_confidence():
    # 0.8 · 1.1: two critical chunks; with the score of the steps it were (0.8 + 0.1) / 2 · 1.1 = 0.5
    found = await answered(missed=[4], scores={4: 0.1}, chunks=CHUNKS)

    assert found["response"]["sections"][-1]["steps"] == STEPS
    assert found["metadata"]["raw_confidence"] == 0.88


# What had no room


async def test_parts_of_the_article_that_had_no_room_are_told_with_what_makes_room():
    whole = (await answered())["metadata"]["context_tokens"]
    least = next(number for number in range(200, 20_000) if budget_shares(number)[0] >= whole)
    found = await answered(max_tokens=least // 2)
    [warning] = [warning for warning in found["warnings"] if "had no room" in warning]

    left_out = found["metadata"]["left_out"]
    assert {"chunk_id": 5, "title": "Part 5", "chunk_type": "common_issues"} in left_out
    assert all(one["title"] in warning for one in left_out)
    # the last chunk of the context is of another article
    enough = int(warning.rpartition("room with ")[2].split()[0])
    assert enough < least
    assert (await answered(max_tokens=enough))["metadata"]["left_out"] == []
    assert (await answered(max_tokens=enough - 1))["metadata"]["left_out"] != []


async def test_an_answer_that_has_no_room_for_steps_or_warnings_is_uncertain_until_it_has():
    enough = asked_for((await answered(max_tokens=1100))["message"])
    for share in (0.55, 0.95):
        found = await answered(max_tokens=int(enough * share))
        assert (found["decision"], f"{enough}" in found["message"]) == ("uncertain", True)
    after = await answered(max_tokens=enough)
    assert (after["decision"], after["message"]) == ("can_proceed", "")

    found = await answered(max_tokens=200)
    needs = int(found["message"].rpartition("steps and warnings needs ")[2])
    assert needs > asked_for(found["message"])
    assert (await answered(max_tokens=needs))["decision"] == "can_proceed"


async def test_steps_of_another_article_are_none_of_this_one():
    # long steps of the article have no room, where the short ones of the other still have some
    long = part(4, "steps", "HIGH", "x" * 3000, steps=["x" * 3000])
    found = await answered(max_tokens=3000, chunks=[*CHUNKS[:3], long, OTHER_STEPS])

    assert [section["steps"] for section in found["response"]["sections"] if section["steps"]] == [["Pay."]]
    assert found["decision"] == "uncertain"
    assert found["message"].startswith("The answer has none of the steps that its article has. Ask for ")


async def test_a_model_that_leaves_out_all_steps_or_warnings_of_the_article_makes_the_case_uncertain():
    for lacking in ("steps", "warnings"):
        found = await answered(reply(**{lacking: ()}))
        assert found["decision"] == "uncertain"
        assert f"none of the {lacking}" in found["message"]
        assert found["message"].endswith("See the article")
    # This article has no warnings.
    assert (await answered(reply(warnings=()), chunks=CHUNKS))["decision"] == "can_proceed"


# The data that a case needs


async def test_a_model_that_names_an_article_that_it_was_not_shown_is_told():
    told = [(await needed(article))["warnings"] for article in ("roth-conversion", ARTICLE)]

    assert told == [["The model names the article roth-conversion, which was not among what it was shown"], []]


async def test_parts_of_the_article_that_were_not_read_for_its_data_are_told():
    rules = part(5, "business_rules", "MEDIUM", "Half of the vested balance may be borrowed. " * 20)
    services = case_services(base=SmallBase(0.8, [*CHUNKS, rules]))
    found = await build_required_data(services).ainvoke({"inquiry": "Wants a loan"})

    assert found["metadata"]["left_out"] == [{"chunk_id": 5, "title": "Part 5", "chunk_type": "business_rules"}]
    assert "were not read: Part 5. They are read if" in found["warnings"][-1]
    names = {field["field"] for group in found["required_fields"].values() for field in group}
    assert names == {field["field"] for field in FIELDS}
