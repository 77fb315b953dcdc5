"""Errors of an Agent Server's own routes are those that it tells of a graph without our routes; ours tell ours."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support.agent_servers import AgentServer, langgraph_dev
from support.waiting import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("langgraph dev")]

NOBODY = "00000000-0000-4000-8000-000000000000"
PLAIN = """
from langgraph.graph import START, MessagesState, StateGraph

graph = StateGraph(MessagesState).add_node("echo", lambda state: {}).add_edge(START, "echo").compile()
"""
JSON = {"content-type": "application/json"}


@pytest.fixture
def ours(offline_server: AgentServer) -> AgentServer:
    return offline_server


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """A server of a graph that says nothing, with no application beside it."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "plain.py").write_text(PLAIN)
    (folder / "langgraph.json").write_text(
        json.dumps({"dependencies": ["."], "graphs": {"rag": "./plain.py:graph"}, "env": ".env"})
    )
    (folder / ".env").touch()
    with langgraph_dev(folder) as running:
        yield running


def told(server: AgentServer, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Return status and body of a response, without the thread's own id and the names of the graphs."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        thread = client.post("/threads", json={"metadata": {"graph_id": "rag"}}).json()["thread_id"]
        content = body if isinstance(body, str) or body is None else json.dumps(body)
        answer = client.request(method, path.format(thread=thread), content=content, headers=JSON)
        return answer.status_code, re.sub(r"(registered graphs:)[^\"]*", r"\1", answer.text.replace(thread, "THREAD"))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        pytest.param("GET", f"/threads/{NOBODY}", None, id="no such thread"),
        pytest.param("GET", "/threads/mine", None, id="thread id that is no UUID"),
        pytest.param("GET", f"/threads/{NOBODY}/state", None, id="state of no thread"),
        pytest.param("DELETE", f"/threads/{NOBODY}", None, id="deletion of no thread"),
        pytest.param(
            "POST", "/threads/{thread}/state", {"values": {}, "as_node": "nobody"}, id="as_node that is no node"
        ),
        pytest.param("POST", "/threads/{thread}/state", {"values": "text"}, id="values that are no object"),
        pytest.param("POST", "/threads/{thread}/runs/wait", {"assistant_id": NOBODY}, id="no such assistant"),
        pytest.param("POST", "/runs/wait", {"assistant_id": "nobody", "input": {}}, id="no such graph"),
        pytest.param("POST", "/runs/wait", "{", id="body cut short"),
        pytest.param("POST", "/runs/wait", {"input": {}}, id="run of no assistant"),
        pytest.param("GET", f"/threads/{{thread}}/runs/{NOBODY}", None, id="no such run"),
        pytest.param("POST", f"/threads/{{thread}}/runs/{NOBODY}/cancel", None, id="cancel of no run"),
        pytest.param("GET", f"/assistants/{NOBODY}/schemas", None, id="schemas of no assistant"),
        pytest.param("PUT", "/threads/search", {}, id="method that a path does not have"),
        pytest.param("GET", "/nowhere", None, id="no such path"),
        pytest.param("GET", "/store/items", None, id="item without a key"),
    ],
)
def test_a_server_tells_its_own_errors(
    ours: AgentServer, plain: AgentServer, method: str, path: str, body: Any
) -> None:
    expected = told(plain, method, path, body)
    assert expected[0] >= 400, "a case that is an error"
    assert told(ours, method, path, body) == expected


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("POST", "/rag/invoke", "{", 422, "El cuerpo no es JSON"),
        ("POST", "/rag/invoke", {"input": {"pregunta": "¿?"}}, 422, "pregunta"),
        ("POST", "/v1/ask", {"question": "¿?", "fecha": "ayer"}, 422, "fecha"),
        ("GET", "/page/nothing.js", None, 404, "dirección no existe"),
        ("GET", "/conversations/nobody", None, 404, "conversación"),
        ("GET", "/v1/ask", None, 404, "dirección no existe"),
    ],
)
def test_our_routes_tell_ours(ours: AgentServer, method: str, path: str, body: Any, status: int, said: str) -> None:
    answered = told(ours, method, path, body)
    failure = json.loads(answered[1])
    assert (answered[0], set(failure)) == (status, {"detail", "error"})
    assert said.casefold() in failure["detail"].casefold()
