"""Clients that others wrote hold a conversation with an Agent Server: npm's SDK and `useStream`, Python's RemoteGraph.

The versions of the packages are those of `npm/package-lock.json`; they are installed once, beside the checkout's
environment.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, convert_to_messages
from langgraph.pregel.remote import RemoteGraph
from support.agent_servers import AgentServer, langgraph_dev
from support.openai_server import OpenAIServer, Recorded, Reply, running_server
from support.paths import REPOSITORY
from support.waiting import PATIENCE

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow(reason="installs packages from the npm registry; test_agent_servers.py speaks the same protocol"),
]

SCRIPT = Path(__file__).parent / "npm"
ANSWER = "Le corresponden treinta días naturales al año, como mínimo [C1]."


@pytest.fixture(scope="module")
def packages() -> Path:
    """A folder with the packages and the script; skips without Node or a registry."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        pytest.skip("the clients from npm need node and npm")
    lock = (SCRIPT / "package-lock.json").read_bytes()
    folder = REPOSITORY / ".venv-npm" / hashlib.sha256(lock).hexdigest()[:12]
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SCRIPT / name, folder / name)
        command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        installed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if installed.returncode:
            pytest.skip(f"npm ci failed, is its registry reachable? {installed.stderr[-300:]}")
    shutil.copy(SCRIPT / "clients.mjs", folder / "clients.mjs")
    return folder


@pytest.fixture(scope="module")
def models() -> Iterator[OpenAIServer]:
    """A chat model that cites its first source, and never ends where that is asked for."""

    def reply(request: Recorded) -> Reply | str:
        asked = str(request.body["messages"][-1])
        if "no tiene fin" in asked:
            return Reply("palabra ", endless=True)
        return Reply(f"{ANSWER}\n===META===\nUSED|C1\nDROP|ninguno")

    with running_server() as server:
        server.answer("principal", reply)
        yield server


@pytest.fixture(scope="module")
def server(models: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    settings = {"PROVIDER": "compatible", "BASE_URL": models.url, "API_KEY": "none", "MODEL": "principal"}
    environment = {f"ARTICULADO_PRINCIPAL_{name}": text for name, text in settings.items()}
    with langgraph_dev(tmp_path_factory.mktemp("npm_clients"), **environment) as running:
        yield running


def conversation(packages: Path, scenario: str, server: AgentServer) -> dict[str, Any]:
    """Return what a client saw in its conversation."""
    ran = subprocess.run(
        ["node", "clients.mjs", scenario, server.url],
        cwd=packages,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "NODE_ENV": "test"},
    )
    assert ran.returncode == 0, ran.stderr[-3_000:]
    seen: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return seen


@pytest.fixture(scope="module")
def react(packages: Path, server: AgentServer) -> dict[str, Any]:
    return conversation(packages, "react", server)


@pytest.fixture(scope="module")
def sdk(packages: Path, server: AgentServer) -> dict[str, Any]:
    return conversation(packages, "sdk", server)


def check_answer(message: dict[str, Any]) -> None:
    """Check that a message has its citation at its marker, and its sources as text."""
    [annotation] = message["annotations"]
    start = ANSWER.index("[C1]")
    assert (annotation["type"], annotation["start_index"], annotation["end_index"]) == ("citation", start, start + 4)
    assert annotation["url"].startswith("https://www.boe.es/")
    assert annotation["cited_text"]
    assert annotation["extras"]["mark"] == "C1"
    assert message["text"].startswith(f"{ANSWER}\n\n---\n\n**Fuentes**\n\n- \\[C1\\] [")
    assert message["text"].endswith("no es asesoramiento jurídico.*")


@pytest.mark.parametrize("client", ["react", "sdk"])
def test_the_final_message_has_citations_and_sources(client: str, request: pytest.FixtureRequest) -> None:
    question, answer = request.getfixturevalue(client)["first"]["messages"]
    assert (question["type"], answer["type"]) == ("human", "ai")
    check_answer(answer)


def test_the_final_message_tells_model_and_tokens(react: dict[str, Any], sdk: dict[str, Any]) -> None:
    message = sdk["first"]["messages"][-1]
    usage = message["usage"]
    assert (message["metadata"]["model_name"], message["metadata"]["finish_reason"]) == ("principal", "stop")
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    # useStream keeps the message that it has put together from events, with the tokens among ours.
    assert react["first"]["messages"][-1]["kept"]["usage"]["total_tokens"] == usage["total_tokens"]


def test_use_stream_shows_the_answer_as_it_is_written(react: dict[str, Any]) -> None:
    assert len(set(react["endless"])) == 5, "shown while the answer has no end"
    assert all(later.startswith(earlier) for earlier, later in pairwise(react["endless"]))
    assert "META" not in react["first"]["texts"][-1]


def test_the_sdk_gets_the_answer_as_pieces_of_one_message(sdk: dict[str, Any]) -> None:
    pieces, answer = sdk["first"]["pieces"], sdk["first"]["messages"][-1]
    assert len(pieces) > 5
    assert {piece["id"] for piece in pieces} == {answer["id"]}
    assert "".join(piece["text"] for piece in pieces) == answer["text"]


@pytest.mark.parametrize("client", ["react", "sdk"])
def test_a_thread_goes_on_with_a_follow_up(client: str, request: pytest.FixtureRequest, models: OpenAIServer) -> None:
    messages = request.getfixturevalue(client)["followUp"]["messages"]
    assert [message["type"] for message in messages] == ["human", "ai"] * 2
    assert len({message["id"] for message in messages}) == 4
    sent = [str(recorded.body["messages"]) for recorded in models.requests if recorded.model == "principal"]
    follow_ups = [text for text in sent if "sustituirse por dinero" in text and ANSWER[:40] in text]
    assert follow_ups, "the model has the first answer as history"
    assert not any("**Fuentes**" in text or "asesoramiento jurídico.*" in text for text in sent)


@pytest.mark.parametrize("client", ["react", "sdk"])
def test_an_answer_that_is_asked_for_again_is_another_message(client: str, request: pytest.FixtureRequest) -> None:
    seen = request.getfixturevalue(client)
    before, again = seen["followUp"]["messages"], seen["again"]["messages"]
    assert [message["id"] for message in again[:3]] == [message["id"] for message in before[:3]]
    assert len(again) == 4
    assert again[3]["id"] != before[3]["id"]
    check_answer(again[3])


def test_a_run_is_cancelled(react: dict[str, Any], sdk: dict[str, Any], models: OpenAIServer) -> None:
    assert react["endless"], "the script ends once nothing is under way"
    assert sdk["status"] == "interrupted"
    assert models.left.wait(PATIENCE)


def test_a_turn_is_few_checkpoints(sdk: dict[str, Any]) -> None:
    assert sdk["checkpoints"] <= 10, "clients read ten, of two turns here"


def test_a_remote_graph_streams_and_goes_on(server: AgentServer) -> None:
    with server.client() as client:
        remote = RemoteGraph("rag", sync_client=client)
        thread: Any = {"configurable": {"thread_id": client.threads.create()["thread_id"]}}
        asked = {"messages": [{"type": "human", "content": "¿Cuántos días de vacaciones me corresponden?"}]}
        pieces = [piece for piece, _ in remote.stream(asked, thread, stream_mode="messages")]
        further = {"messages": [{"type": "human", "content": "¿Y pueden sustituirse por dinero?"}]}
        answered = remote.invoke(further, thread)
        state = convert_to_messages(remote.get_state(thread).values["messages"])
    last = state[-1]
    assert isinstance(last, AIMessage)
    assert len(pieces) > 5
    assert {piece["type"] for piece in pieces} == {AIMessageChunk.model_fields["type"].default}
    assert [message.type for message in state] == ["human", "ai"] * 2
    assert last.content_blocks[0]["annotations"][0]["url"].startswith("https://www.boe.es/")  # type: ignore[typeddict-item]
    assert last.text == "".join(block["text"] for block in answered["messages"][-1]["content"])
