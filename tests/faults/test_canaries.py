"""A key and a prompt that are watched for: in traces, metrics, logs and dossiers there is neither."""

import json
import logging

import httpx
import pytest
from support.collector import collecting
from support.loopback import serving
from support.openai_server import OpenAIServer, failure
from support.waiting import PATIENCE
from support.wired import ANSWER, KEY, QUESTION, SEARCH, Wired, wired

from articulado.prompting.prompts import load_prompts
from articulado.verification.dossier import make_dossier, provenance_of, sha256
from graph.rag import build_rag
from nodes.chunk_shelf import ChunkShelf
from server.app import Site, create_app
from server.guards import Guards
from server.operations.traces import Traces
from state.rag import result_of

CANARY = "canario-del-sistema-77c1"


def test_spans_metrics_and_logs_have_no_text_whether_an_answer_comes_or_not(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Wired(server)
    prompts = load_prompts(rig.services.profile).values()
    with collecting() as collector, caplog.at_level(logging.DEBUG):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        guards = Guards(traces=Traces.read(flush_seconds=PATIENCE))
        with (
            serving(create_app(Site(rig.graph, guards=guards, close=rig.close))) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as http,
        ):
            http.post("/v1/ask", json={"question": QUESTION})
            server.answer("principal", lambda request: failure(400, KEY, f"{KEY} {CANARY} {request.body['messages']}"))
            server.answer("reader", lambda request: failure(401, KEY, CANARY))
            http.post("/v1/ask", json={"question": QUESTION})
            http.post("/rag/stream", json={"input": {"question": QUESTION}})
            metrics = http.get("/metrics").text
    assert len(collector.spans) > 20
    ours = [record for record in caplog.records if not record.name.startswith(("openai", "httpcore", "httpx"))]
    places = {
        "spans": b"".join(collector.bodies).decode(errors="replace"),
        "metrics": metrics,
        "log": "\n".join(f"{record.getMessage()} {vars(record)}" for record in ours),
    }
    for place, text in places.items():
        for secret in (KEY, CANARY, QUESTION, "Son 30 días", *(prompt[:40] for prompt in prompts)):
            assert secret not in text, place
        assert SEARCH not in text, place
    assert KEY not in caplog.text


async def test_a_dossier_has_the_question_and_of_key_address_and_prompts_nothing_but_hashes(
    server: OpenAIServer,
) -> None:
    server.script("principal", failure(429, KEY, CANARY), ANSWER)
    async with wired(server) as rig:
        graph = build_rag(rig.services)
        [*_, values] = [values async for values in graph.astream({"question": QUESTION}, stream_mode="values")]
        state = await ChunkShelf(rig.services.stores).resolved(values)
        prompts = load_prompts(rig.services.profile)
        provenance = provenance_of(rig.services.profile, rig.services.model_names, None, "1")
        written = json.dumps(make_dossier(state, result_of(state), {}, provenance), ensure_ascii=False)
    assert QUESTION in written
    for secret in (KEY, CANARY, server.root, *(line for text in prompts.values() for line in text.split("\n") if line)):
        assert secret not in written
    assert all(sha256(text) in written for text in prompts.values())
