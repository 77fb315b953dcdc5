"""LangGraph Studio's server on the repository's own ``langgraph.json``, from a folder without ``.env``."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from support.laboral import write_laboral
from support.openai_server import running_server
from support.paths import REPOSITORY
from support.small_articles import BRINGS_ALONG, write_article, write_profile
from support.small_laws import write_law
from support.waiting import PATIENCE

from server.app import listen

pytestmark = pytest.mark.integration

QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}


@contextmanager
def langgraph_dev(folder: Path, **environment: str) -> Iterator[SyncLangGraphClient]:
    """Run ``langgraph dev`` in a folder, which keeps its state and its ``log.txt``, not in the checkout."""
    for name in ("langgraph.json", "graph"):
        (folder / name).symlink_to(REPOSITORY / name)
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    everything = os.environ | QUIET | {"PYTHONPATH": str(REPOSITORY)} | environment
    log = folder / "log.txt"
    with (
        log.open("w") as output,
        subprocess.Popen(command, cwd=folder, env=everything, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            wait_until_up(process, f"http://127.0.0.1:{port}/ok", log)
            with get_sync_client(url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
                yield client
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
    assert "BlockingError" not in log.read_text()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    with langgraph_dev(tmp_path_factory.mktemp("langgraph_dev")) as opened:
        yield opened


def wait_until_up(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"langgraph dev does not answer:\n{log.read_text()[-5_000:]}")


def test_the_run_options_are_the_assistant_configuration(client: SyncLangGraphClient) -> None:
    [assistant] = client.assistants.search(graph_id="rag")
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    assert {"rerank_strategy", "max_chunks_in_prompt", "as_of"} <= set(schemas["context_schema"]["properties"])


def test_a_thread_carries_the_conversation(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    first = client.runs.wait(thread, "rag", input={"question": "¿Cuántos días de vacaciones me corresponden?"})
    second = client.runs.wait(thread, "rag", input={"question": "¿Y pueden sustituirse por dinero?"})
    state = client.threads.get_state(thread)["values"]
    assert first["answer"]
    assert first["citations"]
    assert first["context_chunk_ids"] == first["used_chunk_ids"]
    assert second["answer"]
    assert {candidate["chunk"]["id"] for candidate in state["carried"]} == set(first["context_chunk_ids"])
    assert [message["role"] for message in state["transcript"]] == ["user", "assistant"] * 2


def test_a_fork_searches_for_the_searches_that_it_is_given(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    asked = client.runs.wait(thread, "rag", input={"question": "¿Cuántos días de vacaciones me corresponden?"})
    history = client.threads.get_history(thread, limit=50)
    decomposed = next(one for one in history if set(one["next"]) == {"embed_queries", "encode_sparse"})
    before = found_by(client.threads.get_state(thread)["values"])
    searches = ["despido disciplinario", "preaviso dimisión"]

    fork = client.threads.update_state(
        thread, {"searches": searches}, as_node="decompose", checkpoint=decomposed["checkpoint"]
    )
    answered = client.runs.wait(thread, "rag", input=None, checkpoint=fork["checkpoint"])
    after = client.threads.get_state(thread)["values"]

    assert before == set(decomposed["values"]["searches"])
    assert (decomposed["values"]["as_of"], decomposed["values"]["store"]) == (None, "index")
    assert after["searches"] == searches
    assert found_by(after) == set(searches)
    assert answered["question"] == asked["question"]
    assert {citation["chunk_id"] for citation in answered["citations"]} <= {
        candidate["chunk"]["id"] for candidate in after["candidates"]
    }


def found_by(values: dict[str, Any]) -> set[str]:
    """Return the searches that found the candidates of a thread."""
    candidates = [candidate for candidate in values["candidates"] if "hybrid" in candidate["origins"]]
    return {search for candidate in candidates for search in candidate["found_by"]}


def test_custom_events_are_streamed(client: SyncLangGraphClient) -> None:
    question = {"question": "¿Qué dice el artículo 38 del Estatuto de los Trabajadores?"}
    parts = list(client.runs.stream(None, "rag", input=question, stream_mode=["custom"]))
    events = [part.data for part in parts if part.event == "custom"]
    assert [part.data for part in parts if part.event == "error"] == []
    assert events[0]["type"] == "stage"
    assert {"stage", "token"} <= {event["type"] for event in events}
    assert events[-1]["type"] == "final"
    assert events[-1]["result"]["citations"]


@pytest.mark.parametrize("rag_enabled", [True, False])
def test_the_options_of_a_run_apply(client: SyncLangGraphClient, rag_enabled: bool) -> None:
    context = {"max_chunks_in_prompt": 1, "rag_enabled": rag_enabled}
    answered = client.runs.wait(None, "rag", input={"question": "¿Qué es el periodo de prueba?"}, context=context)
    assert answered["answer"]
    assert {citation["mark"] for citation in answered["citations"]} <= {"C1"}


def test_a_blank_question_is_explained(client: SyncLangGraphClient) -> None:
    parts = list(client.runs.stream(None, "rag", input={"question": "  "}, stream_mode=["custom"]))
    [error] = [part.data for part in parts if part.event == "error"]
    assert error["error"] == "InvalidInput"
    assert error["message"].startswith("La pregunta está vacía.")


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
        with langgraph_dev(tmp_path, **environment) as client:
            question = {"question": "When are roses cut back?"}
            answered = [client.runs.wait(None, "rag", input=question) for _ in range(2)]
    assert [answer["answer"] for answer in answered] == ["In March [C1]."] * 2
    assert [answer["usage"]["model_calls"] for answer in answered] == [3, 2]


def test_laws_are_ingested_into_the_index_of_the_server(tmp_path: Path) -> None:
    laws = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1").parent
    profile = write_laboral(tmp_path, articles=True)
    with langgraph_dev(tmp_path, ARTICULADO_HOME=str(tmp_path / "home"), ARTICULADO_PROFILE=profile) as client:
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
