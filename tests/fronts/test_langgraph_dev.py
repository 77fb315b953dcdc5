"""What LangGraph's own server does beside the protocol: tools, agents that talk to agents, no blocking call."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient
from support.agent_servers import AgentServer, langgraph_dev
from support.laboral import write_laboral
from support.openai_server import OpenAIServer
from support.small_laws import write_law
from support.waiting import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("langgraph dev")]

VACATION = "¿Cuántos días de vacaciones me corresponden?"


def rpc(server: AgentServer, path: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Call a method over JSON-RPC, and return its result."""
    called = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
    accepted = {"accept": "application/json, text/event-stream"}
    answered = httpx.post(f"{server.url}{path}", json=called, headers=accepted, timeout=PATIENCE).json()
    assert "error" not in answered
    return dict(answered["result"])


def test_the_graphs_are_tools_of_its_mcp_server(offline_server: AgentServer) -> None:
    tools = {tool["name"]: tool for tool in rpc(offline_server, "/mcp", "tools/list", {})["tools"]}
    called = rpc(offline_server, "/mcp", "tools/call", {"name": "rag", "arguments": {"question": VACATION}})
    assert "question" in tools["rag"]["inputSchema"]["properties"]
    assert "Derecho laboral" in tools["rag"]["description"]
    assert "Treinta días naturales" in called["content"][0]["text"]


def test_another_agent_finds_its_card_and_talks_to_it(
    offline_server: AgentServer, offline_client: SyncLangGraphClient
) -> None:
    [assistant] = offline_client.assistants.search(graph_id="rag")
    identifier = assistant["assistant_id"]
    card = httpx.get(f"{offline_server.url}/.well-known/agent-card.json", params={"assistant_id": identifier}).json()
    part = {"kind": "text", "text": VACATION}
    message = {"role": "user", "kind": "message", "messageId": "1", "parts": [part]}
    answered = rpc(offline_server, f"/a2a/{identifier}", "message/send", {"message": message})
    said = answered["history"][-1]
    assert (card["name"], card["capabilities"]["streaming"]) == ("rag", True)
    assert said["role"] == "agent"
    assert "Treinta días naturales" in said["parts"][0]["text"]


def test_cases_are_handled_with_the_fields_of_the_profile(offline_client: SyncLangGraphClient) -> None:
    [assistant] = offline_client.assistants.search(graph_id="generate_response")
    schema = offline_client.assistants.get_schemas(assistant["assistant_id"])["input_schema"]
    assert {"inquiry", "collected_data", "max_tokens", "regimen", "tipo_contrato", "topic"} <= set(schema["properties"])
    case = {"inquiry": "Le han dado la carta de despido", "topic": "despido_disciplinario"}

    needed = offline_client.runs.wait(None, "required_data", input=case)
    answered = offline_client.runs.wait(None, "generate_response", input={**case, "max_tokens": 1500})

    assert needed["article_reference"]["article_id"] == "despido-disciplinario"
    assert answered["decision"] in ("can_proceed", "uncertain")
    assert answered["metadata"]["token_count"] <= 1500
    assert answered["response"]["sections"]


def test_a_provider_is_called_without_blocking(written: AgentServer, models: OpenAIServer) -> None:
    models.answer("reader", lambda request: '["When are roses cut back?"]')
    models.answer("principal", lambda request: "In March [C1].\n===META===\nUSED|C1\nDROP|ninguno")
    with written.client() as client:
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
