"""Requests that are too much: bounded, and answered with a status of the caller's making."""

import json
from collections.abc import Iterator

import httpx
import pytest
from support.loopback import serving
from support.openai_server import OpenAIServer
from support.waiting import PATIENCE
from support.wired import QUESTION, Wired

from server.app import Site, create_app
from server.guards import MAX_BODY_BYTES

ROUTES = ["/v1/ask", "/rag/invoke", "/rag/stream"]


@pytest.fixture
def http(server: OpenAIServer) -> Iterator[httpx.Client]:
    rig = Wired(server)
    for text in ("\0", "\u202e", "\u200f"):
        rig.store.rankings[f"{QUESTION}{text}".strip()] = [(38, 1.0)]
    with (
        serving(create_app(Site(rig.graph, close=rig.close))) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        yield client


def body(route: str, question: str) -> str:
    asked = {"question": question}
    return json.dumps(asked if route.startswith("/v1") else {"input": asked})


@pytest.mark.parametrize("route", ROUTES)
def test_what_is_too_much_is_refused(server: OpenAIServer, http: httpx.Client, route: str) -> None:
    sent = 0

    def fifty_megabytes() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(50):
            sent += 1
            yield b" " * 1_000_000

    headers = {"content-type": "application/json"}
    refused = [
        http.post(route, content=b" " * (MAX_BODY_BYTES + 1), headers=headers),
        http.post(route, content="[" * 30_000 + "]" * 30_000, headers=headers),
        http.post(route, content='{"question":' * 60 + "1" + "}" * 60, headers=headers),
        http.post(route, content=body(route, "\ud800 vacaciones"), headers=headers),
        http.post(route, content=body(route, "x" * 4_001), headers=headers),
        http.post(route, content=b"\xff\xfe", headers=headers),
    ]
    try:
        refused.append(http.post(route, content=fifty_megabytes(), headers=headers))
    except httpx.WriteError:  # the server has answered and hung up before all was sent
        assert sent < 50
    statuses = [response.status_code for response in refused]
    if route.endswith("stream"):  # a question that is too long is found out once the stream has begun
        assert "event: error" in refused.pop(4).text
        del statuses[4]
    assert {status // 100 for status in statuses} == {4}, statuses
    assert server.requests == []


@pytest.mark.parametrize("sign", ["\0", "\u202e", "\u200f"], ids=ascii)
def test_signs_that_cannot_be_seen_are_answered_like_any_others(http: httpx.Client, sign: str) -> None:
    response = http.post("/v1/ask", json={"question": f"{QUESTION}{sign}"})
    assert response.status_code in (200, 422)
    if response.status_code == 200:
        assert response.json()["answer"] == "Son 30 días [C1]."
