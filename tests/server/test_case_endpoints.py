"""The graphs of cases over HTTP, beside the answering graph."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support.doubles import QueueChat
from support.loopback import aremote, remote, serving
from support.small_case import ARTICLE, FRAME, STEPS, TITLE, HangingChat, case_app, log_odds_of
from support.small_graph import Hang
from support.waiting import PATIENCE

from articulado.values.errors import ContentFiltered, ModelError, ModelRateLimited, ModelTimeout
from server.guards import MAX_BODY_BYTES

pytestmark = pytest.mark.integration

REQUIRED, GENERATE = "/required_data", "/generate_response"
BOTH = [REQUIRED, GENERATE]
KNOWN = {"inquiry": "How do I get a loan?", "record_keeper": "LT", "plan_type": "401k"}
CASE = KNOWN | {"collected_data": {"plan_data": {"vested_balance": "$10,000"}}}
NOT_HELD = (
    "No relevant articles found. “Acme” is not known as “Record keeper”. Known are: LT Trust, Meridian Recordkeeping"
)
OUTCOME = {REQUIRED: "outcome", GENERATE: "decision"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(case_app()) as base:
        yield base


def post(url: str, path: str, sent: dict[str, Any]) -> httpx.Response:
    return httpx.post(f"{url}{path}/invoke", json={"input": sent})


def output(url: str, path: str, sent: dict[str, Any]) -> dict[str, Any]:
    response = post(url, path, sent)
    assert response.status_code == 200, response.text
    return response.json()["output"]


def test_the_data_that_a_case_needs(url: str) -> None:
    with remote(url, REQUIRED) as client:
        result = client.invoke(KNOWN)
    assert result["outcome"] == "found"
    assert result["article_reference"] == {"article_id": ARTICLE, "title": TITLE, "confidence": 0.99}
    fields = result["required_fields"]
    assert [field["field"] for field in fields["participant_data"]] == ["birth_date"]
    assert fields["plan_data"] == [
        {
            "field": "vested_balance",
            "description": "The vested_balance",
            "why_needed": "It decides",
            "data_type": "currency",
            "required": True,
            "uncertain": False,
        }
    ]


def test_the_answer_to_a_case(url: str) -> None:
    with remote(url, GENERATE) as client:
        result = client.invoke(CASE)
    assert (result["decision"], result["confidence"], result["message"]) == ("can_proceed", 0.99, "")
    # Eight tenths, and a tenth more for two critical chunks or more.
    assert result["metadata"]["raw_confidence"] == 0.88
    sections = result["response"]["sections"]
    assert [section["answer_components"] for section in sections] == [[FRAME], []]
    assert sections[1]["steps"] == STEPS
    assert result["guardrails"]["violated"] == []
    assert result["metadata"]["missing_data"] == []
    assert {source["article_id"] for source in result["sources"]} == {ARTICLE}


def check_stream(events: list[dict[str, Any]], stages: tuple[str, str], answered: str) -> None:
    first, last = stages
    assert [event["type"] for event in events] == ["stage"] * (len(events) - 1) + ["final"]
    assert (events[0]["stage"], events[-2]["stage"]) == (first, last)
    assert events[-1]["result"][answered]


def test_a_stream_gives_the_stages_and_the_result(url: str) -> None:
    with remote(url, REQUIRED) as client:
        events = list(client.stream(KNOWN))
        result = client.invoke(KNOWN)
    check_stream(events, ("accept_case", "close_required_data"), "required_fields")
    assert events[-1]["result"] | {"usage": 0} == result | {"usage": 0}


async def test_astream_gives_the_stages_and_the_result(url: str) -> None:
    async with aremote(url, GENERATE) as client:
        events = [event async for event in client.astream(CASE)]
        result = await client.ainvoke(CASE)
    check_stream(events, ("accept_case", "close_response"), "response")
    assert events[-1]["result"] | {"usage": 0} == result | {"usage": 0}


def test_the_answering_graph_is_there_too(url: str) -> None:
    with remote(url) as client:
        assert client.invoke({"question": "How do I get a loan?"})["question"] == "How do I get a loan?"


def test_each_graph_publishes_its_own_input(url: str) -> None:
    def accepted(path: str) -> dict[str, Any]:
        schema = httpx.get(f"{url}{path}/input_schema").json()
        return schema["$defs"][schema["$ref"].rpartition("/")[2]]

    fields = {"record_keeper", "plan_type", "topic", "inquiry", "context"}
    assert set(accepted(REQUIRED)["properties"]) == fields
    assert set(accepted(GENERATE)["properties"]) == fields | {"collected_data", "max_tokens"}
    for path in BOTH:
        assert accepted(path)["required"] == ["inquiry"]
        assert accepted(path)["additionalProperties"] is False
        assert accepted(path)["properties"]["record_keeper"]["type"] == "string"
    assert accepted(GENERATE)["properties"]["collected_data"]["type"] == "object"
    assert accepted(GENERATE)["properties"]["max_tokens"]["type"] == "integer"
    assert "question" in accepted("/rag")["properties"]


def test_each_graph_publishes_its_output(url: str) -> None:
    required = httpx.get(f"{url}{REQUIRED}/output_schema").json()["$defs"]["RequiredDataOutput"]["properties"]
    assert {"outcome", "article_reference", "required_fields"} <= set(required)
    answered = httpx.get(f"{url}{GENERATE}/output_schema").json()["$defs"]["ResponseOutput"]["properties"]
    assert {"decision", "confidence", "response", "guardrails", "metadata"} <= set(answered)
    paths = set(httpx.get(f"{url}/openapi.json").json()["paths"])
    assert {f"{path}/{endpoint}" for path in BOTH for endpoint in ("invoke", "stream")} <= paths


@pytest.mark.parametrize("path", BOTH)
def test_a_record_keeper_that_is_not_held_is_out_of_scope(url: str, path: str) -> None:
    result = output(url, path, KNOWN | {"record_keeper": "Acme"})
    assert (result[OUTCOME[path]], result["message"]) == ("out_of_scope", NOT_HELD)
    assert result["sources"] == []
    if path == REQUIRED:
        assert result["article_reference"] is None
        assert result["required_fields"] == {"participant_data": [], "plan_data": []}
    else:
        assert result["confidence"] == 0.0
        assert result["response"] == {"sections": []}


def test_too_little_context_is_uncertain() -> None:
    with serving(case_app(least=10_000)) as base:
        results = {path: output(base, path, KNOWN) for path in BOTH}
    for path, result in results.items():
        assert result[OUTCOME[path]] == "uncertain"
        assert "10000 are needed" in result["message"]


def test_a_budget_that_the_critical_chunks_exceed_is_uncertain(url: str) -> None:
    result = output(url, GENERATE, CASE | {"max_tokens": 200})
    assert result["decision"] == "uncertain"
    assert "maximum asked for: 200" in result["message"]
    assert result["response"] == {"sections": []}


def test_a_low_confidence_is_uncertain() -> None:
    with serving(case_app(log_odds=log_odds_of(0.5))) as base:
        results = {path: output(base, path, CASE if path == GENERATE else KNOWN) for path in BOTH}
    for path, result in results.items():
        assert result[OUTCOME[path]] == "uncertain"
        assert "low" in result["message"]


def test_data_that_are_missing_are_named(url: str) -> None:
    result = output(url, GENERATE, KNOWN)
    assert result["decision"] == "uncertain"
    assert result["metadata"]["missing_data"] == ["vested_balance"]
    assert "vested_balance" in result["message"]


def test_a_rule_of_the_decision_guide_decides(url: str) -> None:
    result = output(url, GENERATE, KNOWN | {"collected_data": {"vested_balance": 1500}})
    assert (result["decision"], result["message"]) == ("out_of_scope", "Too little")


FAILURES = [
    (ModelError("El modelo ha fallado."), 503),
    (ModelTimeout("El modelo no ha respondido a tiempo."), 503),
    (ModelRateLimited("El proveedor pide esperar."), 503),
    (ContentFiltered("El filtro del proveedor ha parado la respuesta."), 422),
]


@pytest.mark.parametrize(("error", "status"), FAILURES, ids=lambda value: type(value).__name__)
def test_a_model_that_fails_has_a_status_and_a_message(error: ModelError, status: int) -> None:
    with serving(case_app(QueueChat(error))) as base:
        for path in BOTH:
            response = post(base, path, KNOWN)
            with remote(base, path) as client, pytest.raises(httpx.HTTPStatusError, match=str(error)) as raised:
                list(client.stream(KNOWN))
            assert response.status_code == raised.value.response.status_code == status, path
            assert response.json() == {"detail": str(error), "error": type(error).__name__}


@pytest.mark.parametrize(
    ("path", "sent", "said"),
    [
        (GENERATE, {"inquiry": " "}, "The inquiry is empty"),
        (GENERATE, {}, "“inquiry” is required"),
        (GENERATE, {"inquiry": "a", "record_keeper": 5}, "“record_keeper” must be a text"),
        (GENERATE, {"inquiry": "a", "collected_data": ["b"]}, "“collected_data” must be an object"),
        (GENERATE, {"inquiry": "a", "max_tokens": "b"}, "“max_tokens” must be a whole number"),
        (GENERATE, {"inquiry": "a", "max_tokens": 900.5}, "“max_tokens” must be a whole number"),
        (GENERATE, {"inquiry": "a", "max_tokens": 199}, "from 200 to 200000"),
        (GENERATE, {"inquiry": "a", "keeper": "LT"}, "“keeper” is no known field"),
        (GENERATE, {"inquiry": "a", "context": {"day": 1}}, "“context.day” is no known field"),
        (REQUIRED, {"inquiry": " "}, "The inquiry is empty"),
        (REQUIRED, {"inquiry": "a", "max_tokens": 900}, "“max_tokens” is no known field"),
        (REQUIRED, {"question": "a"}, "“inquiry” is required"),
    ],
)
def test_invalid_requests_are_explained(url: str, path: str, sent: dict[str, Any], said: str) -> None:
    response = post(url, path, sent)
    assert response.status_code == 422
    assert response.json()["error"] == "InvalidInput"
    assert said in response.json()["detail"]


@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
@pytest.mark.parametrize("path", ["/rag", *BOTH])
def test_the_message_names_the_schema_of_its_own_route(url: str, path: str, endpoint: str) -> None:
    response = httpx.post(f"{url}{path}/{endpoint}", json={"input": {}})
    assert response.json()["detail"].endswith(f" {path}/input_schema.")


@pytest.mark.parametrize("path", BOTH)
def test_the_options_of_the_run_reach_the_graph(url: str, path: str) -> None:
    response = post(url, path, KNOWN | {"context": {"collections": ["otra"]}})
    assert response.status_code == 422
    assert "There is no collection “otra”" in response.json()["detail"]


def body_of(size: int) -> bytes:
    start, end = b'{"input": {"inquiry": "a", "collected_data": {"b": "', b'"}}}'
    return start + b" " * (size - len(start) - len(end)) + end


def test_bodies_are_limited(url: str) -> None:
    whole, larger = (
        httpx.post(f"{url}{GENERATE}/invoke", content=body_of(size), headers={"content-type": "application/json"})
        for size in (MAX_BODY_BYTES, MAX_BODY_BYTES + 1)
    )
    assert whole.status_code == 200
    assert larger.status_code == 413
    assert "“collected_data”" in larger.json()["detail"]


@pytest.mark.parametrize("path", BOTH)
def test_a_client_that_leaves_cancels_the_run(path: str) -> None:
    hang, last = Hang(), {REQUIRED: "extract_fields", GENERATE: "write_response"}[path]
    with serving(case_app(HangingChat(hang))) as base:
        with httpx.stream("POST", f"{base}{path}/stream", json={"input": KNOWN}) as response:
            lines = response.iter_lines()  # kept: an iterator that is let go closes the connection
            assert any(last in line for line in lines)
            assert hang.begun.wait(timeout=PATIENCE)
        assert hang.cancelled.wait(timeout=PATIENCE)


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("closed", ["stream_log", "playground/", "config_schema"])
def test_closed_endpoints_are_not_found(url: str, path: str, closed: str) -> None:
    assert httpx.get(f"{url}{path}/{closed}").status_code == 404
    assert httpx.post(f"{url}{path}/{closed}", json={"inputs": [KNOWN]}).status_code == 404


@pytest.mark.filterwarnings("ignore:astream_log is deprecated")
def test_playground_and_stream_log_come_together() -> None:
    with serving(case_app(playground=True)) as base:
        pages = {path: httpx.get(f"{base}{path}/playground/").text for path in BOTH}
        logs = {path: httpx.post(f"{base}{path}/stream_log", json={"input": KNOWN}).text for path in BOTH}
    for path in BOTH:
        assert "record_keeper" in pages[path]
        assert ARTICLE in logs[path]
        assert "event: error" not in logs[path]
