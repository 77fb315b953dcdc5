"""Both case graphs, whole: two profiles, two stores, and a model behind a real server on loopback.

What a model is shown is checked on the request that the server received, what is searched on that of the store.
"""

import asyncio
import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.case_replies import fields_reply, response_reply
from support.laboral import write_laboral
from support.openai_server import OpenAIServer, Reply, failure, running_server
from support.paths import REPOSITORY
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.whole_data import packaged_articles, whole_data

from articulado.cases.author import SEPARATOR, Answer
from articulado.cases.budget import answer_json, budget_shares
from articulado.cases.confidence import MIN_CONFIDENCE
from articulado.config.settings import ModelSettings, Settings
from articulado.models.tokens import token_counter
from articulado.values.errors import ContentFiltered, InvalidInput, ModelError, ModelTimeout
from graph.case import build_generate_response, build_required_data
from graph.compose import open_services
from graph.services import Services
from nodes.stage import wait_for

PROFILES = REPOSITORY / "profiles"
MODEL = "gpt-4o-mini"
PLAN = {"inquiry": "Participant wants to roll over an account", "record_keeper": "LT Trust", "plan_type": "401(k)"}
ROLLOVER = {**PLAN, "topic": "rollover"}
DISMISSAL = {"inquiry": "Me han dado la carta de despido disciplinario", "topic": "despido_disciplinario"}
COUNTER = token_counter(MODEL)
FILTERS = ("topic", "record_keeper", "plan_type", "regimen", "tipo_contrato")


@dataclass(frozen=True)
class Desk:
    """The index of a profile in a store; ``qdrant`` keeps what the server store was asked."""

    settings: Settings
    qdrant: FakeQdrant | None
    opened: Services | None = None
    """What the settings ask for as they are, on the portal's loop."""

    @asynccontextmanager
    async def services(self, **fields):
        settings = self.settings.model_copy(update=fields)
        services = await open_services(settings)
        try:
            yield services
        finally:
            await services.close()

    async def needed(self, case, **fields):
        return await self._run(build_required_data, case, fields)

    async def answered(self, case, **fields):
        return await self._run(build_generate_response, case, fields)

    async def _run(self, build, case, fields):
        if self.opened and not fields:
            return await asyncio.to_thread(wait_for, build(self.opened).ainvoke(case))
        async with self.services(**fields) as services:
            return await build(services).ainvoke(case)


@pytest.fixture(scope="module")
def laboral(tmp_path_factory) -> str:
    """The profile of the law without the packaged records, which no case is answered from and which take long."""
    return write_laboral(tmp_path_factory.mktemp("profiles"), articles=True)


def desk(profile: str, kind: str, home: Path, **fields: Any) -> Iterator[Desk]:
    with ExitStack() as stack:
        qdrant = stack.enter_context(running_qdrant()) if kind == "server" else None
        of_server = {"store": "server", "qdrant_url": qdrant.url} if qdrant else {}
        settings = Settings.read(env_file=None, profile=profile, home=home, **of_server, **fields)
        opened = wait_for(open_services(settings))
        yield Desk(settings, qdrant, opened)
        wait_for(opened.close())


@pytest.fixture(scope="module")
def embedded() -> Iterator[Desk]:
    yield from desk("plan_401k", "embedded", Path(os.environ["ARTICULADO_HOME"]))


@pytest.fixture(scope="module")
def remote(tmp_path_factory) -> Iterator[Desk]:
    yield from desk("plan_401k", "server", tmp_path_factory.mktemp("remote"))


@pytest.fixture(scope="module")
def asked_store(tmp_path_factory) -> Iterator[Desk]:
    """The server store, of which only what it is asked is looked at: no sentence encoder is trained."""
    yield from desk("plan_401k", "server", tmp_path_factory.mktemp("asked"), sentences="none")


@pytest.fixture(
    scope="module",
    params=[
        "embedded",
        pytest.param(
            "remote",
            marks=pytest.mark.slow(reason="the stores find alike: tests/articulado/store/test_contract.py"),
        ),
    ],
)
def plan(request) -> Desk:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def embedded_law(tmp_path_factory, laboral) -> Iterator[Desk]:
    yield from desk(laboral, "embedded", tmp_path_factory.mktemp("law"))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        yield running


def model(server: OpenAIServer, name: str = MODEL) -> ModelSettings:
    return ModelSettings(provider="openai", model=name, base_url=server.url, api_key="k")


FIELDS = fields_reply("lt-trust-rollover", "receiving_institution", "zodiac_sign")


def shown_context(server: OpenAIServer) -> str:
    """The context as the last request had it."""
    message = server.requests[-1].body["messages"][-1]["content"]
    return message.removeprefix("CONTEXT:\n\n").partition("\n\nCASE:")[0].partition("\n\nCOLLECTED DATA:")[0]


def types_in(context: str) -> list[str]:
    return [part[1:].partition("]")[0] for part in context.split(SEPARATOR)]


# Offline


async def test_offline_the_data_of_a_case_are_those_of_its_article(plan):
    found = await plan.needed(ROLLOVER)

    assert found["article_reference"]["article_id"] == "lt-trust-rollover"
    names = [field["field"] for field in found["required_fields"]["participant_data"]]
    assert "receiving_institution" in names
    assert found["required_fields"]["plan_data"]
    assert {source["article_id"] for source in found["sources"] if source["chunk_type"] == "required_data"} == {
        "lt-trust-rollover"
    }
    assert (found["outcome"], found["usage"]["model_calls"]) == ("found", 0)
    assert found["article_reference"]["confidence"] > 0.7


async def test_an_institution_that_receives_the_money_is_no_other_record_keeper(embedded):
    found = await embedded.needed({**ROLLOVER, "inquiry": "Participant wants rollover to Fidelity"})

    assert (found["outcome"], found["article_reference"]["article_id"]) == ("found", "lt-trust-rollover")


@pytest.mark.parametrize("name", ["plan_401k", "laboral"])
async def test_with_few_tokens_an_answer_has_steps_and_warnings_or_says_how_many_bring_them(name, request):
    office = request.getfixturevalue({"plan_401k": "embedded", "laboral": "embedded_law"}[name])
    for article in packaged_articles(PROFILES / name / "articles")[::12]:
        case = {"inquiry": article["inquiries"][0], **{key: article[key] for key in FILTERS if key in article}}
        for budget in (300, 1200):
            found = await office.answered({**case, "max_tokens": budget})
            if has_steps_and_warnings(found) or found["decision"] == "out_of_scope":
                continue
            assert found["decision"] == "uncertain"
            *_, enough = re.findall(r"\d+", found["message"])
            assert has_steps_and_warnings(await office.answered({**case, "max_tokens": int(enough)})), article["id"]


def has_steps_and_warnings(found) -> bool:
    sections = found["response"]["sections"]
    return any(section["steps"] for section in sections) and any(section["warnings"] for section in sections)


async def test_a_case_of_the_law_is_asked_and_answered_in_spanish_with_its_provisions(embedded_law):
    needed = await embedded_law.needed(DISMISSAL)
    answer = await embedded_law.answered({**DISMISSAL, "collected_data": {}})

    assert needed["article_reference"]["article_id"] == "despido-disciplinario"
    assert "fecha_despido" in {one["field"] for group in needed["required_fields"].values() for one in group}
    assert answer["decision"] == "uncertain"
    assert any("BOE-A-2015-11430#Artículo 55" in source["provisions"] for source in answer["sources"])
    assert "Faltan datos" in answer["message"] or "confianza" in answer["message"]


async def test_with_all_data_and_enough_confidence_a_case_can_proceed(embedded):
    article = next(
        one for one in packaged_articles(PROFILES / "plan_401k" / "articles") if one["id"] == "lt-trust-rollover"
    )
    data = whole_data(article) | {
        "employment_status": "terminated",
        "account_balance": "$10,000",
        "outstanding_loan": "$0",
    }

    found = await embedded.answered({**ROLLOVER, "collected_data": data})

    assert found["metadata"]["missing_data"] == []
    assert found["decision"] == "can_proceed", found["message"]


async def test_a_field_that_is_left_open_is_not_mixed_and_the_choice_is_told(embedded):
    found = await embedded.answered({"inquiry": "How does a participant roll over to an IRA?", "topic": "rollover"})

    keepers = {source["article_id"].split("-")[0] for source in found["sources"]}
    assert len(keepers) == 1
    assert any("Record keeper" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    ("filters", "why"),
    [
        (
            {"record_keeper": "LT Trsut"},
            "“LT Trsut” is not known as “Record keeper”. Known are: LT Trust, Meridian Recordkeeping",
        ),
        ({"topic": "nope"}, "“nope” is not known as “Topic”. Known are: rollover, loan, hardship_withdrawal"),
    ],
)
async def test_an_unknown_value_of_a_filter_finds_nothing_and_those_that_are_known_are_named(plan, filters, why):
    case = {"inquiry": "How to rollover?", **filters}
    needed, answer = await plan.needed(case), await plan.answered(case)

    assert (needed["outcome"], needed["article_reference"]) == ("out_of_scope", None)
    assert (answer["decision"], answer["confidence"]) == ("out_of_scope", 0.0)
    assert needed["message"] == answer["message"]
    assert answer["message"].startswith(f"No relevant articles found. {why}")
    assert (answer["metadata"]["token_count"], answer["response"]) == (0, {"sections": []})


# What a model is shown, on both stores


async def test_required_data_come_first_and_whole_and_the_context_has_about_500_tokens(plan, server):
    server.script(MODEL, json.dumps(FIELDS))

    found = await plan.needed(ROLLOVER, principal=model(server))

    types = types_in(shown_context(server))
    assert types[0] == "required_data"
    assert set(types) <= {"required_data", "eligibility", "business_rules"}
    assert "receiving_institution" in shown_context(server)
    assert found["metadata"]["context_tokens"] == COUNTER.count(shown_context(server)) <= 500
    assert found["article_reference"]["title"] == "Rolling over an LT Trust 401(k) account"
    assert found["article_reference"]["confidence"] > 0.7
    assert found["usage"]["model_calls"] == 1


async def test_a_field_that_the_context_does_not_name_is_a_guess_and_required_data_left_out_are_added(embedded, server):
    server.script(MODEL, json.dumps(FIELDS))

    found = await embedded.needed(ROLLOVER, principal=model(server))

    shown = {field["field"]: field["uncertain"] for field in found["required_fields"]["participant_data"]}
    assert (shown["receiving_institution"], shown["zodiac_sign"]) == (False, True)
    offline = await embedded.needed(ROLLOVER)
    required = [
        {one["field"] for group in result["required_fields"].values() for one in group if one["required"]}
        for result in (offline, found)
    ]
    assert required[0] == required[1]


async def test_a_model_that_names_another_article_makes_the_case_uncertain(embedded, server):
    server.script(MODEL, json.dumps(fields_reply("lt-trust-hardship-withdrawal")))
    async with embedded.services(principal=model(server)) as services:
        asked = services.profile.case.required_data.model_copy(update={"context_tokens": 3000})
        case = services.profile.case.model_copy(update={"required_data": asked})
        roomy = replace(services, profile=services.profile.model_copy(update={"case": case}))
        found = await build_required_data(roomy).ainvoke(PLAN)

    assert "lt-trust-hardship-withdrawal" in {source["article_id"] for source in found["sources"]}
    assert found["article_reference"]["article_id"] == "lt-trust-rollover"
    assert (found["outcome"], found["message"]) == (
        "uncertain",
        "The model takes this for a case of another article (lt-trust-hardship-withdrawal): check it",
    )


async def test_a_rule_goes_before_the_model_and_what_is_out_of_scope_is_not_answered_by_the_procedure(embedded, server):
    server.script(MODEL, json.dumps(response_reply("Fine.", decision="can_proceed")))
    found = await embedded.answered({**ROLLOVER, "collected_data": {"account_balance": "$0"}}, principal=model(server))

    assert (found["decision"], found["message"]) == ("out_of_scope", "There is no vested money to roll over")
    assert found["response"]["sections"] == []


@pytest.mark.parametrize("budget", [1500, 2200, 6000])
async def test_every_critical_chunk_is_shown_and_context_and_answer_keep_the_budget(plan, server, budget):
    server.script(MODEL, json.dumps(response_reply("A direct rollover goes straight to the new institution.")))

    found = await plan.answered({**ROLLOVER, "max_tokens": budget}, principal=model(server))

    context = shown_context(server)
    types = types_in(context)
    assert types[:3] == ["decision_guide", "response_frames", "guardrails"]
    assert types[3] == "business_rules"
    order = {"steps": 1, "fees_details": 1, "common_issues": 1, "eligibility": 2, "faqs": 2, "business_rules": 2}
    assert [order.get(one, 3) for one in types[4:]] == sorted(order.get(one, 3) for one in types[4:])
    tokens = COUNTER.count(context)
    assert found["metadata"]["context_tokens"] == tokens <= budget_shares(budget)[0]
    answer = COUNTER.count(answer_json(Answer.model_validate(found["response"])))
    assert found["metadata"]["token_count"] == tokens + answer <= budget
    assert found["metadata"]["chunks_used"] == len(types) == len(found["metadata"]["chunk_ids"])
    assert "lt-trust-rollover" in context
    assert "(article meridian" not in context


async def test_too_little_context_is_uncertain_and_asks_no_model(embedded, server):
    async with embedded.services(principal=model(server)) as services:
        case = services.profile.case.model_copy(update={"min_context_tokens": 100_000})
        strict = replace(services, profile=services.profile.model_copy(update={"case": case}))
        needed = await build_required_data(strict).ainvoke(ROLLOVER)
        answer = await build_generate_response(strict).ainvoke(ROLLOVER)

    assert (needed["outcome"], answer["decision"]) == ("uncertain", "uncertain")
    assert ("100000" in needed["message"], "100000" in answer["message"]) == (True, True)
    assert server.requests == []


async def test_the_message_has_case_data_and_what_is_missing_and_no_secret_of_the_prompt(embedded, server):
    server.script(MODEL, json.dumps(response_reply("Fine.")))

    await embedded.answered({**ROLLOVER, "collected_data": {"balance": "$10,000"}}, principal=model(server))

    system, user = (message["content"] for message in server.requests[0].body["messages"])
    assert "Retirement plan help desk" in system
    assert f"must not exceed {budget_shares(3000)[1]} tokens" in system
    assert '"balance": "$10,000"' in user
    assert '"record_keeper": "LT Trust"' in user
    assert "receiving_institution" in user.partition("MISSING DATA")[2]
    assert user.endswith("INQUIRY:\nParticipant wants to roll over an account")


async def test_the_limit_goes_to_a_provider_whose_model_takes_one_and_stands_in_the_prompt_elsewhere(embedded, server):
    for name in (MODEL, "gpt-5.2"):
        server.script(name, json.dumps(FIELDS))
        await embedded.needed(ROLLOVER, principal=model(server, name))

    taken, refused = (request.body for request in server.requests)
    assert taken["max_completion_tokens"] == 500
    assert not {"max_tokens", "max_completion_tokens"} & refused.keys()
    assert all("must not exceed 500 tokens" in body["messages"][0]["content"] for body in (taken, refused))


# What becomes of a reply


async def test_an_answer_that_is_too_long_loses_whole_items_and_says_which(embedded, server):
    long = [f"Sentence {'word ' * 40}{letter}." for letter in "abcdefghijkl"]
    server.script("gpt-5.2", json.dumps(response_reply(*long, steps=["Sign the form."], warnings=["Mind the fees."])))

    found = await embedded.answered({**ROLLOVER, "max_tokens": 1500}, principal=model(server, "gpt-5.2"))

    kept = found["response"]["sections"][0]["answer_components"]
    dropped = found["metadata"]["dropped_items"]
    assert kept
    assert dropped
    assert kept + dropped[::-1] == long
    assert found["response"]["sections"][0]["warnings"] == ["Mind the fees."]
    assert found["metadata"]["answer_tokens"] <= budget_shares(1500)[1]
    assert any("left out" in warning for warning in found["warnings"])


async def test_items_that_break_a_guardrail_are_removed_and_reported(embedded, server):
    server.script(
        MODEL,
        json.dumps(response_reply("The check is payable to the new institution.", "You will owe $2,000 in taxes.")),
    )

    found = await embedded.answered(ROLLOVER, principal=model(server))

    assert found["response"]["sections"][0]["answer_components"] == ["The check is payable to the new institution."]
    assert "You will owe $2,000 in taxes." in {violation["removed"] for violation in found["guardrails"]["violated"]}
    assert found["guardrails"]["checked"] >= 3


async def test_malformed_output_is_repaired_once_with_the_error_shown(embedded, server):
    partly = {**FIELDS, "required_fields": {"participant_data": [{"field": "x"}], "plan_data": []}}
    server.script(MODEL, json.dumps(partly), json.dumps(FIELDS))

    found = await embedded.needed(ROLLOVER, principal=model(server))

    assert found["required_fields"]["participant_data"][0]["field"] == "receiving_institution"
    assert found["usage"]["model_calls"] == 2
    repair = server.requests[1].body["messages"]
    assert [message["role"] for message in repair] == ["system", "user", "assistant", "user"]
    assert "data_type" in repair[-1]["content"]


@pytest.mark.parametrize(
    ("replies", "error", "more"),
    [
        (['{"no": "JSON"}', '{"decision": "perhaps"}'], ModelError, {}),
        ([Reply(refusal="I cannot help with that.")], ContentFiltered, {}),
        ([Reply(dribble=True)], ModelTimeout, {"question_timeout": 0.3}),
        ([failure(500)] * 3, ModelError, {}),
    ],
    ids=["malformed twice", "refused", "too slow", "failed"],
)
async def test_a_model_that_gives_no_answer_is_an_error(embedded, server, replies, error, more):
    server.script(MODEL, *replies)

    with pytest.raises(error):
        await embedded.answered(ROLLOVER, principal=model(server), **more)
    assert server.calls(MODEL) <= len(replies)


# What the store is asked

SEARCH = ".*/points/query/batch"


def filters_of(qdrant: FakeQdrant, pattern: str) -> list[dict]:
    bodies = [request.body for request in qdrant.asked("POST", pattern)]
    searches = [one for body in bodies for one in body.get("searches", [body])]
    return [one["filter"] for one in searches]


def allowed(condition: dict) -> dict[str, set[str]]:
    """The values that a filter allows, by path."""
    matches = (one for clause in condition["must"] for one in clause.get("should", [clause]) if one.get("match"))
    return {one["key"].removeprefix("metadata."): set(one["match"]["any"]) for one in matches}


async def test_the_store_is_asked_with_the_filters_of_each_graph(asked_store):
    before = len(filters_of(asked_store.qdrant, SEARCH))
    await asked_store.needed(ROLLOVER)
    needed = filters_of(asked_store.qdrant, SEARCH)[before:]
    await asked_store.answered(ROLLOVER)
    answered = filters_of(asked_store.qdrant, SEARCH)[before + len(needed) :]
    read = [allowed(search_filter) for search_filter in filters_of(asked_store.qdrant, ".*/points/scroll")]

    assert needed
    for one in map(allowed, needed):
        assert one["chunk_type"] == {"required_data", "eligibility", "business_rules"}
        assert one["attributes.record_keeper"] == {"LT Trust", ""}
        assert one["attributes.plan_type"] == {"401(k)", ""}
        assert "topic" not in one
    assert answered
    for one in map(allowed, answered):
        assert one["attributes.record_keeper"] == {"LT Trust", ""}
        assert one["topic"] == {"rollover", ""}
    critical = [one for one in read if one.get("tier") == {"CRITICAL"}]
    assert critical[-1]["topic"] == {"rollover", ""}
    assert critical[-1]["attributes.record_keeper"] == {"LT Trust", ""}


@pytest.mark.slow(reason="the stores find alike: tests/articulado/store/test_contract.py")
async def test_both_stores_answer_alike(embedded, remote):
    results = []
    for one in (embedded, remote):
        found = await one.needed(ROLLOVER), await one.answered({**ROLLOVER, "max_tokens": 1500})
        results.append([{key: value for key, value in result.items() if key != "usage"} for result in found])

    assert results[0] == results[1]


# What a caller may send


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"inquiry": "  "}, "The inquiry is empty"),
        ({"inquiry": "x" * 4001}, "4001"),
        ({"inquiry": "x", "max_tokens": 199}, "max_tokens"),
        ({"inquiry": "x", "max_tokens": True}, "max_tokens"),
        ({"inquiry": "x", "collected_data": ["a"]}, "collected_data"),
        ({"inquiry": "x", "collected_data": {"a": "b" * 501}}, "“a”"),
        ({"inquiry": "x", "collected_data": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, "3 levels"),
        ({"inquiry": "x", "collected_data": {"a": [["b"]]}}, "a list of these"),
        ({"inquiry": "x", "record_keeper": 3}, "record_keeper"),
    ],
)
async def test_invalid_case_input_is_refused(embedded, case, said):
    with pytest.raises(InvalidInput, match=said):
        await embedded.answered(case)


async def test_on_a_thread_a_case_sees_nothing_of_the_one_before(embedded):
    loan, unasked = {"inquiry": "How does a loan work?", "record_keeper": "Meridian"}, {"ask_missing": False}
    async with embedded.services() as services:
        graph = build_generate_response(services, InMemorySaver())
        config = {"configurable": {"thread_id": "1"}}
        await graph.ainvoke(
            {**ROLLOVER, "collected_data": {"plan_name": "P"}, "max_tokens": 1500}, config, context=unasked
        )
        second = await graph.ainvoke(loan, config, context=unasked)
        fresh = await graph.ainvoke(loan, {"configurable": {"thread_id": "2"}}, context=unasked)

    assert {**second, "usage": None} == {**fresh, "usage": None}


async def test_a_fork_of_a_case_makes_the_searches_that_it_is_given_by_the_law_of_the_same_day(embedded):
    thread = {"configurable": {"thread_id": "1"}}
    async with embedded.services() as services:
        graph = build_required_data(services, InMemorySaver())
        await graph.ainvoke(ROLLOVER, thread, context={"as_of": "2026-05-05"})
        history = [snapshot async for snapshot in graph.aget_state_history(thread)]
        accepted = next(one for one in history if one.next == ("retrieve",))
        fork = await graph.aupdate_state(accepted.config, {"searches": ["account transfer"]}, as_node="accept_case")
        await graph.ainvoke(None, fork)
        after = (await graph.aget_state(thread)).values
    assert accepted.values["searches"] == [PLAN["inquiry"], f"{PLAN['inquiry']} rollover"]
    assert {found_by for candidate in after["found"] for found_by in candidate["found_by"]} == {"account transfer"}
    assert (after["as_of"], after["store"]) == ("2026-05-05", "index")


# Inquiries about other matters, though topic and all data of an article come along

OTHER_MATTERS = {
    "embedded": (
        "My dental insurance refused the crown, how do I appeal?",
        "She forgot the PIN of her debit card",
        "How much will my Social Security check be at 67?",
        "Client wants to refinance the mortgage on his house",
        "He needs a copy of his W-2 from the payroll department",
        "What is the weather like in Boston this weekend?",
        "Employee asks how many vacation days carry over to next year",
        "How do I sign up for Medicare Part B?",
    ),
    "embedded_law": (
        "Mi casero no me devuelve la fianza del piso",
        "Quiero divorciarme y quedarme con la custodia de los niños",
        "¿Qué documentos necesito para renovar el pasaporte?",
        "El vecino de arriba tiene una gotera y no quiere arreglarla",
        "La compañía de teléfono me ha subido la tarifa sin permiso",
        "¿Cómo doy de alta la luz en mi piso nuevo?",
        "Me han puesto una multa de tráfico por exceso de velocidad",
        "¿Cómo solicito una beca para la universidad de mi hija?",
    ),
}


@pytest.mark.parametrize(("name", "articles"), [("embedded", "plan_401k"), ("embedded_law", "laboral")])
async def test_topic_and_data_of_an_article_let_its_own_inquiries_go_on_and_no_other_matter(name, articles, request):
    office, packaged = request.getfixturevalue(name), packaged_articles(PROFILES / articles / "articles")[::3]
    whole = [
        {key: article[key] for key in FILTERS if key in article} | {"collected_data": whole_data(article)}
        for article in packaged
    ]

    own = [
        await office.answered({**case, "inquiry": article["inquiries"][0], "max_tokens": 6000})
        for article, case in zip(packaged, whole, strict=True)
    ]
    others = [await office.answered({**case, "inquiry": inquiry}) for case in whole for inquiry in OTHER_MATTERS[name]]

    assert [found["metadata"]["article_id"] for found in own] == [article["id"] for article in packaged]
    for found in own:
        assert found["metadata"]["missing_data"] == found["metadata"]["rejected_data"] == []
        assert found["confidence"] >= MIN_CONFIDENCE
    assert any(found["decision"] == "can_proceed" for found in own)
    # The inquiry alone decides if any article handles it, and it may share its words with one.
    assert sum(found["decision"] == "can_proceed" for found in others) <= len(others) * 0.05
