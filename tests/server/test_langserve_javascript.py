"""LangServe as LangChain.js reads it, with its own ``RemoteRunnable``."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from support.loopback import serving
from support.npm import npm_packages, run_module
from support.small_graph import TOKENS, small_graph

from server.app import Site, create_app
from server.langserve_routes import ForJavaScript

pytestmark = pytest.mark.integration

QUESTION = {"question": "¿Cuántos días de vacaciones?"}
ANSWER = "".join(TOKENS)
CITATION = {"mark": "C1", "text": "Treinta días naturales.", "provisions": [{"text": "38", "kind": {"text": ["a"]}}]}
SENT_BY_JAVASCRIPT = {"input": QUESTION, "config": {"recursionLimit": 25, "tags": [], "metadata": {}}, "kwargs": {}}

PROGRAM = """
import { RemoteRunnable } from "@langchain/core/runnables/remote";
const rag = new RemoteRunnable({ url: process.argv[1] + "/rag" });
const question = { question: "¿Cuántos días de vacaciones?" };
const options = { configurable: { as_of: "2024-01-01" } };
const all = async (stream) => { const each = []; for await (const one of stream) each.push(one); return each; };
const failure = async (run) => { try { await run(); return null; } catch (error) { return error.message; } };
const streamed = await all(await rag.stream(question, options));
console.log(JSON.stringify({
  classes: [...new Set(streamed.map((event) => event.constructor.name))],
  streamed,
  invoked: await rag.invoke(question, options),
  bound: await rag.withConfig(options).invoke(question),
  batch: await rag.batch([question, { question: "¿Y de permiso?" }], options),
  events: await all(rag.streamEvents(question, { version: "v2", ...options })),
  unknown: await failure(() => rag.invoke(question, { configurable: { foo: 1 } })),
  blank: await failure(async () => all(await rag.stream({ question: " " }))),
}));
"""


real_client = pytest.mark.slow(reason="installs LangChain.js from the npm registry")


@pytest.fixture(scope="module")
def packages() -> Path:
    return npm_packages("@langchain/core@0.3.80")  # the last line with a client of LangServe


@pytest.fixture(scope="module")
def seen(packages: Path) -> Any:
    """What a program of LangChain.js makes of a server."""
    with serving(create_app(Site(small_graph()))) as url:
        return run_module(packages, PROGRAM, url)


@real_client
def test_events_reach_javascript_as_they_were_sent(seen: Any) -> None:
    assert seen["classes"] == ["Object"]
    assert [event["type"] for event in seen["streamed"]] == [
        "stage",
        "stage",
        "token",
        "retry",
        *["token"] * 3,
        "final",
    ]
    assert "".join(event["content"] for event in seen["streamed"][4:7]) == ANSWER
    assert seen["streamed"][-1]["result"]["answer"] == ANSWER


@real_client
@pytest.mark.parametrize("form", ["invoked", "bound"])
def test_options_of_javascript_reach_the_graph(seen: Any, form: str) -> None:
    assert seen[form]["warnings"] == ['{"as_of":"2024-01-01"}']


@real_client
def test_javascript_sends_batches_and_reads_events(seen: Any) -> None:
    assert [result["answer"] for result in seen["batch"]] == [ANSWER] * 2
    assert [event["event"] for event in seen["events"]] == [
        "on_chain_start",
        *["on_chain_stream"] * 8,
        "on_chain_end",
    ]
    assert seen["events"][-1]["data"]["output"]["answer"] == ANSWER


@real_client
def test_javascript_gets_the_error_message(seen: Any) -> None:
    assert "«foo» no es un campo conocido" in seen["unknown"]
    assert "La pregunta está vacía." in seen["blank"]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"text": "a"}, {"content": "a"}),
        ([{"type": "token", "text": "a"}], [{"type": "token", "content": "a"}]),
        (
            CITATION,
            {**CITATION, "provisions": [{"content": "38", "kind": {"content": ["a"]}}]} | {"content": CITATION["text"]},
        ),
        ({"texts": ["text"], "answer": "text"}, {"texts": ["text"], "answer": "text"}),
        ("text", "text"),
    ],
    ids=str,
)
def test_no_object_for_javascript_has_a_key_that_it_takes_for_a_prompt(sent: Any, read: Any) -> None:
    if isinstance(read, dict):
        read.pop("text", None)
    assert ForJavaScript().dumpd(sent) == read


def test_the_other_clients_get_the_text_as_ever() -> None:
    with serving(create_app(Site(small_graph()))) as url:
        plain = httpx.post(f"{url}/rag/stream", json={"input": QUESTION}).text
        script = httpx.post(f"{url}/rag/stream", json=SENT_BY_JAVASCRIPT).text
    assert '{"type":"token","text":"Quince"}' in plain
    assert '{"type":"token","content":"Quince"}' in script
