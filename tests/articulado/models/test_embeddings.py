"""Embeddings over real HTTP to a scripted server."""

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Reply, failure, running_server, vector_of

from articulado.config.settings import ModelSettings
from articulado.models.openai import embedder
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ModelError, ModelTimeout

SMALL = "text-embedding-3-small"
LARGE = "text-embedding-3-large"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        yield running


class Maker:
    """Builds embedders whose pauses take no time, and closes them."""

    def __init__(self, server: OpenAIServer) -> None:
        self.server = server
        self.time = FakeTime()
        self.made: list[Any] = []

    def __call__(self, model: str = SMALL, provider: str = "openai", **options: Any) -> Any:
        azure = {"api_version": "2024-10-21", "deployment": "vectores"} if provider == "azure" else {}
        base_url = self.server.root if provider == "azure" else self.server.url
        settings = ModelSettings(provider=provider, model=model, base_url=base_url, api_key="k", **azure, **options)
        self.made.append(embedder(settings, partial(Retrier, sleep=self.time.sleep, clock=self.time.clock)))
        return self.made[-1]


@pytest.fixture
async def make(server):
    maker = Maker(server)
    yield maker
    for made in maker.made:
        await made.close()


def expected(text: str, dimensions: int) -> Any:
    raw = np.array(vector_of(text, dimensions))
    return raw / np.sqrt((raw**2).sum())


@pytest.mark.parametrize("provider", ["openai", "azure", "compatible"])
async def test_all_queries_go_in_one_request(server, make, provider):
    made = make(provider=provider)
    texts = ["vacaciones anuales", "permiso retribuido", "jornada"]
    embedded = await made.embed_queries(texts)
    assert (embedded.requests, embedded.tokens) == (1, 5)
    (request,) = server.requests
    assert request.body["input"] == texts
    assert request.body["model"] == SMALL
    for text, vector in zip(texts, embedded.vectors, strict=True):
        assert vector.dtype == np.float32
        assert vector.shape == (1536,)
        np.testing.assert_allclose(vector, expected(text, 1536), atol=1e-6)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_azure_path(server, make):
    await make(provider="azure").embed_queries(["jornada"])
    assert server.requests[0].path == "/openai/deployments/vectores/embeddings"
    assert server.requests[0].query == {"api-version": "2024-10-21"}


async def test_texts_are_sent_as_they_are(server, make):
    await make().embed_documents(["Artículo 38. Vacaciones anuales."])
    assert server.requests[0].body["input"] == ["Artículo 38. Vacaciones anuales."]


async def test_no_texts_cost_no_request(server, make):
    for embedded in (await make().embed_queries([]), await make().embed_documents([])):
        assert (embedded.vectors, embedded.requests) == ([], 0)
    assert server.requests == []


async def test_documents_go_in_batches_and_keep_their_order(server, make):
    texts = [f"artículo {number}" for number in range(53)]
    made = make(model="bge", provider="compatible", dimensions=4, batch=50)
    server.native_dimensions["bge"] = 4
    embedded = await made.embed_documents(texts)
    assert [len(request.body["input"]) for request in server.requests] == [50, 3]
    assert (embedded.requests, embedded.tokens) == (2, 2 * len(texts))
    for text, vector in zip(texts, embedded.vectors, strict=True):
        np.testing.assert_allclose(vector, expected(text, 4), atol=1e-6)


async def test_a_batch_stays_below_the_tokens_of_a_request(server, make):
    long = "a " * 100_000  # 100,000 tokens
    await make().embed_documents([long, long, long])
    assert [len(request.body["input"]) for request in server.requests] == [2, 1]


async def test_documents_keep_to_the_tokens_per_minute(server, make):
    text = ("a " * 600).strip()  # 600 tokens: at 1,200 a minute, one request takes two texts and lasts a minute
    await make(tpm=1200).embed_documents([text] * 5)
    assert [len(request.body["input"]) for request in server.requests] == [2, 2, 1]
    assert make.time.pauses == [60.0, 60.0]


def test_the_pace_is_kept_on_one_event_loop_after_another(server):
    maker = Maker(server)
    made = maker(tpm=1200)
    text = ("a " * 1200).strip()

    async def side_by_side() -> None:
        try:
            await asyncio.gather(made.embed_documents([text]), made.embed_documents([text]))
        finally:
            await made.close()

    asyncio.run(side_by_side())
    asyncio.run(side_by_side())
    assert maker.time.pauses == [60.0, 60.0, 60.0]


@pytest.mark.parametrize(
    ("model", "options", "provider", "sent", "fingerprint"),
    [
        (SMALL, {}, "openai", None, "openai:text-embedding-3-small:1536"),
        (SMALL, {}, "azure", None, "openai:text-embedding-3-small:1536"),
        (SMALL, {"dimensions": 256}, "openai", 256, "openai:text-embedding-3-small:256"),
        (LARGE, {}, "openai", None, "openai:text-embedding-3-large:3072"),
        ("bge-m3", {"dimensions": 1024}, "compatible", None, "compatible:bge-m3:1024"),
    ],
)
async def test_dimensions_and_fingerprint(server, make, model, options, provider, sent, fingerprint):
    server.native_dimensions["bge-m3"] = 1024
    made = make(model=model, provider=provider, **options)
    (vector,) = (await made.embed_queries(["jornada"])).vectors
    assert made.fingerprint == fingerprint
    assert vector.shape == (made.dimensions,)
    assert server.requests[0].body.get("dimensions") == sent


def test_an_unknown_model_needs_its_dimensions(make):
    with pytest.raises(ConfigurationError, match="ARTICULADO_EMBEDDER_DIMENSIONS"):
        make(model="bge-m3", provider="compatible")


async def test_vectors_of_another_length_are_refused_with_the_right_one(server, make):
    server.native_dimensions["bge-m3"] = 1024
    with pytest.raises(ModelError, match="ARTICULADO_EMBEDDER_DIMENSIONS=1024"):
        await make(model="bge-m3", provider="compatible", dimensions=768).embed_queries(["jornada"])


async def test_transient_errors_are_tried_again_and_counted(server, make):
    server.script(SMALL, failure(500), failure(429, retry_after="2"))
    embedded = await make().embed_queries(["jornada"])
    assert (embedded.requests, server.calls(SMALL)) == (3, 3)
    assert make.time.pauses[1] == 2.0


async def test_a_bad_key_names_the_variable_of_the_embedder(server, make):
    server.script(SMALL, failure(401))
    with pytest.raises(ConfigurationError, match="ARTICULADO_EMBEDDER_API_KEY"):
        await make().embed_queries(["jornada"])


@pytest.mark.parametrize(
    "raw",
    [
        "<html>",
        "{}",
        '{"data": []}',
        '{"data": [{"index": 0, "embedding": "x"}]}',
        '{"data": [{"index": 0, "embedding": [1]}]}',
        '{"data": [{"index": 0, "embedding": 1}, {"index": 1, "embedding": 2}]}',
        '{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}',
        '{"data": [{"index": 0, "embedding": [1, NaN]}, {"index": 1, "embedding": [1, 2]}]}',
    ],
)
async def test_an_unreadable_reply_is_explained(server, make, raw):
    server.script(SMALL, *[Reply(raw=raw)] * 3)
    with pytest.raises(ModelError, match="no se puede leer"):
        await make().embed_queries(["jornada", "permiso"])
    assert server.calls(SMALL) == 1


async def test_a_server_that_reports_no_usage_costs_no_tokens(server, make):
    server.script("e", Reply(raw='{"data": [{"index": 0, "embedding": [3.0, 4.0]}]}'))
    embedded = await make(model="e", provider="compatible", dimensions=2).embed_queries(["jornada"])
    assert embedded.tokens == 0
    np.testing.assert_allclose(embedded.vectors, [[0.6, 0.8]], atol=1e-6)


async def test_a_zero_vector_stays_zero_and_is_no_query(server, make):
    server.script("e", *[Reply(raw='{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}')] * 2)
    made = make(model="e", provider="compatible", dimensions=2)
    assert (await made.embed_documents(["jornada"])).vectors[0].tolist() == [0.0, 0.0]
    with pytest.raises(ModelError, match="2 dimensiones") as caught:
        await made.embed_queries(["jornada"])
    assert caught.value.attempts == 1


async def test_the_deadline_of_the_question_holds(server):
    server.script(SMALL, Reply(status=500), Reply(status=500))
    settings = ModelSettings(provider="openai", model=SMALL, base_url=server.url, api_key="k")
    made = embedder(settings)
    with pytest.raises(ModelTimeout):
        await made.embed_queries(["jornada"], deadline=time.time() - 1)
    assert server.requests == []
    await made.close()
