"""``/openapi.json`` is complete and true for ``/v1``: what it describes is what is taken and answered."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, meta
from support.boe_law import LAW
from support.examples import examples
from support.json_schemas import anything, values_of
from support.served_law import index_law, v1_client

pytestmark = pytest.mark.integration

ALWAYS, RUNS, BODIES = {401, 403, 500, 503}, {422, 429, 504}, {413, 415}
OPERATIONS = {
    "get /v1/about": {200} | ALWAYS,
    "get /v1/search": {200} | ALWAYS | RUNS,
    "get /v1/provisions/{law}/{label}": {200, 404, 422} | ALWAYS,
    "post /v1/ask": {200, 409} | ALWAYS | RUNS | BODIES,
    "post /v1/case/required-data": {200} | ALWAYS | RUNS | BODIES,
    "post /v1/case/respond": {200} | ALWAYS | RUNS | BODIES,
    "post /v1/check": {200} | ALWAYS | RUNS | BODIES,
    "post /v1/documents": {200} | ALWAYS | RUNS | BODIES,
    "post /v1/verify": {200} | ALWAYS | RUNS | BODIES,
    "get /v1/calculations": {200} | ALWAYS,
    "post /v1/calculations": {200} | ALWAYS | RUNS | BODIES,
    "get /v1/models": {200} | ALWAYS,
    "get /v1/models/{model}": {200, 404} | ALWAYS,
    "post /v1/chat/completions": {200, 400, 404, 409, 429, 504} | ALWAYS | BODIES,
    "post /v1/feedback": {201} | ALWAYS | RUNS | BODIES,
}
"""The statuses that each operation may answer with."""
JSON = "application/json"
bounded = settings(max_examples=examples(1 / 4), suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("contract")
    index_law(folder)
    with v1_client(folder) as http:
        yield http


@pytest.fixture(scope="module")
def described(client: httpx.Client) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def operation_of(described: Mapping[str, Any], name: str) -> dict[str, Any]:
    method, path = name.split(" ")
    return described["paths"][path][method]


def within(described: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with all that it may refer to."""
    return {**schema, "components": described["components"]}


def body_of(operation: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return operation["requestBody"]["content"][JSON]["schema"] if "requestBody" in operation else None


def test_the_described_operations_are_complete(described):
    paths = {path: methods for path, methods in described["paths"].items() if path.startswith("/v1/")}
    assert {f"{method} {path}" for path, methods in paths.items() for method in methods} == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_what_it_does_takes_and_answers(described, name):
    operation = operation_of(described, name)
    assert operation["summary"][0].isupper()
    assert operation["description"].rstrip().endswith(".")
    assert {int(status) for status in operation["responses"]} == OPERATIONS[name]
    for status, response in operation["responses"].items():
        content = response["content"][JSON]
        assert response["description"]
        assert content["schema"]
        validator = Draft202012Validator(within(described, content["schema"]))
        examples = [shown["value"] for shown in content.get("examples", {}).values()]
        for example in [*examples, *([content["example"]] if "example" in content else [])]:
            validator.validate(example)
        assert int(status) < 400 or content["example"]["error"]
    assert all(parameter["description"] for parameter in operation.get("parameters", ()))


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name.startswith("post")])
def test_a_body_is_described_field_by_field_with_an_example_that_is_taken(client, described, name):
    reference = body_of(operation_of(described, name))["$ref"]
    body = described["components"]["schemas"][reference.rpartition("/")[2]]
    assert all(field.get("description") for field in body["properties"].values())
    [example] = body["examples"]
    Draft202012Validator(within(described, body)).validate(example)
    assert client.post(name.split(" ")[1], json=example).is_success


def test_every_schema_is_valid(described):
    for schema in described["components"]["schemas"].values():
        meta.validate(schema)


def check_answer(described: Mapping[str, Any], name: str, answer: httpx.Response) -> None:
    """Check an answer against the description of its operation."""
    assert answer.status_code in OPERATIONS[name], answer.text
    assert answer.status_code < 500, answer.text
    content = operation_of(described, name)["responses"][str(answer.status_code)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in content
    if kind == JSON:
        Draft202012Validator(within(described, content[kind]["schema"])).validate(answer.json())


def arguments_of(described: Mapping[str, Any], parameter: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values of a parameter by its schema; the names of the law of the index among them."""
    known = {"law": [LAW, "ET"], "label": ["1", "art. 2", "art:3"], "collection": [["normativa"]]}
    drawn = values_of(parameter["schema"], described)
    given_names = known.get(parameter["name"])
    return st.sampled_from(given_names) | drawn if given_names else drawn


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name.startswith("get")])
def test_read_routes_answer_as_described(client, described, name):
    path = name.split(" ")[1]
    parameters = operation_of(described, name).get("parameters", ())
    drawn = {parameter["name"]: arguments_of(described, parameter) for parameter in parameters}
    needed = {parameter["name"] for parameter in parameters if parameter["required"]}

    @bounded
    @given(
        st.fixed_dictionaries(
            {key: values for key, values in drawn.items() if key in needed},
            optional={key: values for key, values in drawn.items() if key not in needed},
        )
    )
    def ask(values: dict[str, Any]) -> None:
        in_path = {key: quote(str(values[key]), safe="") for key in ("law", "label", "model") if key in values}
        if {"", ".", ".."} & set(in_path.values()):
            return  # another path
        query = {key: value for key, value in values.items() if key not in in_path and value is not None}
        check_answer(described, name, client.get(path.format(**in_path), params=query))

    ask()


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name.startswith("post")])
def test_write_routes_answer_as_described(client, described, name):
    path, schema = name.split(" ")[1], body_of(operation_of(described, name))
    validator = Draft202012Validator(within(described, schema))

    @bounded
    @given(values_of(schema, described) | anything())
    def send(body: Any) -> None:
        answer = client.post(path, content=json.dumps(body).encode(), headers={"content-type": JSON})
        check_answer(described, name, answer)
        if not validator.is_valid(body):
            assert answer.status_code == (400 if 400 in OPERATIONS[name] else 422)

    send()
