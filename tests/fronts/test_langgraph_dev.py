"""What LangGraph's own server does beside the protocol: tools, agents that talk to agents, no blocking call."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient
from support.agent_servers import AgentServer, langgraph_dev
from support.laboral import write_laboral
from support.openai_server import running_server
from support.small_articles import BRINGS_ALONG, write_article, write_profile
from support.small_laws import write_law
from support.waiting import PATIENCE

pytestmark = pytest.mark.integration

VACATION = "¿Cuántos días de vacaciones me corresponden?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    with langgraph_dev(tmp_path_factory.mktemp("langgraph_dev")) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: AgentServer) -> Iterator[SyncLangGraphClient]:
    with server.client() as opened:
        yield opened


def rpc(server: AgentServer, path: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Call a method over JSON-RPC, and return its result."""
    called = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
    accepted = {"accept": "application/json, text/event-stream"}
    answered = httpx.post(f"{server.url}{path}", json=called, headers=accepted, timeout=PATIENCE).json()
    assert "error" not in answered
    return dict(answered["result"])


def test_the_graphs_are_tools_of_its_mcp_server(server: AgentServer) -> None:
    tools = {tool["name"]: tool for tool in rpc(server, "/mcp", "tools/list", {})["tools"]}
    called = rpc(server, "/mcp", "tools/call", {"name": "rag", "arguments": {"question": VACATION}})
    assert "question" in tools["rag"]["inputSchema"]["properties"]
    assert "Derecho laboral" in tools["rag"]["description"]
    assert "Treinta días naturales" in called["content"][0]["text"]


def test_another_agent_finds_its_card_and_talks_to_it(server: AgentServer, client: SyncLangGraphClient) -> None:
    [assistant] = client.assistants.search(graph_id="rag")
    identifier = assistant["assistant_id"]
    card = httpx.get(f"{server.url}/.well-known/agent-card.json", params={"assistant_id": identifier}).json()
    part = {"kind": "text", "text": VACATION}
    message = {"role": "user", "kind": "message", "messageId": "1", "parts": [part]}
    answered = rpc(server, f"/a2a/{identifier}", "message/send", {"message": message})
    said = answered["history"][-1]
    assert (card["name"], card["capabilities"]["streaming"]) == ("rag", True)
    assert said["role"] == "agent"
    assert "Treinta días naturales" in said["parts"][0]["text"]


def test_cases_are_handled_with_the_fields_of_the_profile(client: SyncLangGraphClient) -> None:
    [assistant] = client.assistants.search(graph_id="generate_response")
    schema = client.assistants.get_schemas(assistant["assistant_id"])["input_schema"]
    assert {"inquiry", "collected_data", "max_tokens", "regimen", "tipo_contrato", "topic"} <= set(schema["properties"])
    case = {"inquiry": "Le han dado la carta de despido", "topic": "despido_disciplinario"}

    needed = client.runs.wait(None, "required_data", input=case)
    answered = client.runs.wait(None, "generate_response", input={**case, "max_tokens": 1500})

    assert needed["article_reference"]["article_id"] == "despido-disciplinario"
    assert answered["decision"] in ("can_proceed", "uncertain")
    assert answered["metadata"]["token_count"] <= 1500
    assert answered["response"]["sections"]


def test_a_provider_is_called_without_blocking(tmp_path: Path) -> None:
    roles = ("reader", "principal", "embedder")
    with running_server() as provider:
        provider.native_dimensions["embedder"] = 8
        provider.answer("reader", lambda request: '["When are roses cut back?"]')
        provider.answer("principal", lambda request: "In March [C1].\n===META===\nUSED|C1\nDROP|ninguno")
        settings = {"PROVIDER": "compatible", "BASE_URL": provider.url, "API_KEY": "none"}
        environment = {f"ARTICULADO_{role.upper()}_{name}": text for role in roles for name, text in settings.items()}
        environment |= {f"ARTICULADO_{role.upper()}_MODEL": role for role in roles}
        environment |= {"ARTICULADO_EMBEDDER_DIMENSIONS": "8", "ARTICULADO_HOME": str(tmp_path / "home")}
        for name, month in (("Roses", "March"), ("Ferns", "October")):
            rules = {"type": "business_rules", "title": "Rules", "text": f"{name} are cut back in {month}."}
            file = tmp_path / "garden" / "articles" / f"{name}.article.yaml"
            write_article(file, id=name.lower(), title=name, inquiries=[f"When are {name} cut back?"], chunks=[rules])
        environment["ARTICULADO_PROFILE"] = str(write_profile(tmp_path, BRINGS_ALONG))
        with langgraph_dev(tmp_path, **environment) as server, server.client() as client:
            question = {"question": "When are roses cut back?"}
            answered = [client.runs.wait(None, "rag", input=question) for _ in range(2)]
    assert [answer["answer"] for answer in answered] == ["In March [C1]."] * 2
    assert [answer["usage"]["model_calls"] for answer in answered] == [3, 2]


@pytest.mark.slow(reason="another Agent Server; the one with keys ingests in make check, too")
def test_laws_are_ingested_into_the_index_of_the_server(tmp_path: Path) -> None:
    laws = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1").parent
    profile = write_laboral(tmp_path, articles=True)
    environment = {"ARTICULADO_HOME": str(tmp_path / "home"), "ARTICULADO_PROFILE": profile}
    with langgraph_dev(tmp_path, **environment) as server, server.client() as client:
        parts = list(client.runs.stream(None, "ingest", input={"paths": [str(laws)]}, stream_mode=["custom", "values"]))
        again = client.runs.wait(None, "ingest", input={"paths": [str(laws)]})
        refused = list(client.runs.stream(None, "ingest", input={"boe": ["ET"]}))
    assert [part.data for part in parts if part.event == "error"] == []
    report = parts[-1].data["report"]
    assert (report["added"], report["provisions"]) == (["Ley BOE-A-2000-1"], 1)
    assert {part.data["type"] for part in parts if part.event == "custom"} == {"progress"}
    assert (again["report"]["added"], again["report"]["unchanged"]) == ([], 1)
    [error] = [part.data for part in refused if part.event == "error"]
    assert error["message"].startswith("«ET» no es un identificador del BOE.")
