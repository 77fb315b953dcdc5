"""Documents to an embedder over real HTTP: servers that are slow, busy, small or away, on a clock that tests move."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Recorded, Reply, failure, running_server, vector_of
from support.waiting import Limits

from articulado.config.settings import ModelSettings
from articulado.models.document_batches import GOOD_SECONDS, MOST_TEXTS, PATIENCE, Pace
from articulado.models.openai import embedder
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ModelError, ModelRateLimited, ModelTimeout

MODEL = "local"
TEXTS = [f"artículo {number}" for number in range(120)]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        running.native_dimensions[MODEL] = 4
        yield running


class Ingest:
    """An embedder of a scripted server, and the texts whose vectors were kept, batch by batch."""

    def __init__(self, server: OpenAIServer, **options: Any) -> None:
        self.server = server
        self.time = FakeTime()
        self.limits: Limits | None = None
        self.options = options
        self.kept: list[list[str]] = []

    async def __call__(self, texts: list[str], **options: Any) -> Any:
        settings = ModelSettings(
            provider="compatible", model=MODEL, base_url=self.server.url, dimensions=4, **self.options, **options
        )
        fake = {"sleep": self.time.sleep, "clock": self.time.clock, "jitter": lambda: 0.5}
        if self.limits:
            fake["time_limit"] = self.limits
        made = embedder(settings, partial(Retrier, **fake))
        try:
            return await made.embed_documents(texts, keep=self.keep)
        finally:
            await made.close()

    async def keep(self, texts: Any, vectors: Any) -> None:
        assert len(texts) == len(vectors)
        self.kept.append(list(texts))

    @property
    def sizes(self) -> list[int]:
        return [len(request.body["input"]) for request in self.server.requests]


@pytest.fixture
def ingest(server) -> Ingest:
    return Ingest(server)


def answers(server: OpenAIServer, respond: Callable[[list[str]], Reply | None]) -> None:
    """Let a function of the texts answer; ``None`` are vectors."""

    def reply(request: Recorded) -> Any:
        return respond(request.body["input"]) or Reply()

    server.answer(MODEL, reply)


def in_seconds(ingest: Ingest, of_text: float) -> None:
    """Let each text take some seconds of the fake clock."""

    def respond(texts: list[str]) -> None:
        ingest.time.now += of_text * len(texts)

    answers(ingest.server, respond)


async def check(ingest: Ingest, texts: list[str] = TEXTS) -> None:
    """Ingest texts, and check that each has its own vector, and was kept once."""
    embedded = await ingest(texts)
    assert sorted(text for batch in ingest.kept for text in batch) == sorted(texts)
    for text, vector in zip(texts, embedded.vectors, strict=True):
        raw = vector_of(text, 4)
        assert vector.tolist() == pytest.approx([x / sum(y * y for y in raw) ** 0.5 for x in raw], abs=1e-6)


@pytest.mark.parametrize(
    ("of_text", "sizes"),
    [
        (0.001, [8, 16, 32, 64]),  # 120 texts, doubled
        (0.25, [8, 16, 32, 40, 24]),  # 40 texts in ten seconds
        (0.6, [8, 16, 16, 16, 16, 16, 16, 16]),
        (2.0, [8, *[5] * 22, 2]),  # 16 seconds were too long
        (12.0, [8, *[1] * 112]),
    ],
)
async def test_a_batch_is_as_large_as_the_server_answers_in_good_time(ingest, of_text, sizes):
    in_seconds(ingest, of_text)
    await check(ingest)
    assert ingest.sizes == sizes


async def test_a_batch_of_the_user_is_the_first_and_the_largest(ingest):
    ingest.options["batch"] = 50
    await check(ingest)
    assert ingest.sizes == [50, 50, 20]


@pytest.mark.parametrize(
    "refusal",
    [
        failure(413, message="Payload Too Large"),
        failure(400, "context_length_exceeded"),
        failure(422, message="List should have at most 20 items"),
        failure(500, message="input is too large to process. increase the physical batch size"),
        failure(400, message="batch size 32 > maximum allowed batch size 20"),
    ],
)
async def test_a_refused_batch_is_sent_in_halves_at_once(ingest, refusal):
    answers(ingest.server, lambda texts: refusal if len(texts) > 20 else None)
    await check(ingest)
    assert ingest.sizes[:4] == [8, 16, 32, 16]
    assert set(ingest.time.pauses) == {0.0}
    assert len(ingest.sizes) < 15


@pytest.mark.parametrize("status", [500, 502, 504, 408, 524])
async def test_a_batch_on_which_the_server_fails_is_made_smaller(ingest, status):
    answers(ingest.server, lambda texts: failure(status) if len(texts) > 20 else None)
    await check(ingest)
    assert ingest.sizes[:4] == [8, 16, 32, 16]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_waited_for_as_long_as_it_says(ingest, status):
    ingest.server.script(MODEL, failure(status, retry_after="7"), failure(status, retry_after="40"))
    await check(ingest)
    assert ingest.time.pauses == [7.0, 40.0]


async def test_a_model_that_is_still_loading_is_waited_for_with_growing_pauses(ingest):
    ingest.server.script(MODEL, *[failure(503)] * 8)
    await check(ingest)
    assert ingest.time.pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


async def test_a_server_that_stays_busy_ends_the_ingest_after_five_minutes(ingest):
    answers(ingest.server, lambda texts: failure(429))
    with pytest.raises(ModelRateLimited):
        await ingest(TEXTS)
    assert PATIENCE <= sum(ingest.time.pauses) <= PATIENCE + 30


async def test_a_pause_of_hours_is_not_waited_for(ingest):
    ingest.server.script(MODEL, failure(429, retry_after="7200"))
    with pytest.raises(ModelRateLimited):
        await ingest(TEXTS)
    assert ingest.time.pauses == []


def end_when_held(ingest: Ingest, *, after: float = 0.0) -> None:
    """End the time limit of each request that the server holds, ``after`` seconds of the fake clock."""
    ingest.limits = limits = Limits()
    loop = asyncio.get_running_loop()

    def end() -> None:
        ingest.time.now += after
        limits.end()

    @contextmanager
    def held() -> Iterator[None]:
        loop.call_soon_threadsafe(end)
        yield

    ingest.server.while_held = held


async def test_a_request_without_answer_is_ended_and_made_smaller(ingest, server):
    end_when_held(ingest, after=45)
    server.script(MODEL, Reply(held=True))
    await ingest(TEXTS, timeout=45)
    assert ingest.limits.seconds[0] == 45
    assert ingest.sizes[:2] == [8, 4]


async def test_a_server_that_never_answers_is_told_with_the_setting(ingest, server):
    end_when_held(ingest, after=60)
    server.answer(MODEL, lambda request: Reply(held=True))
    with pytest.raises(ModelTimeout, match="ARTICULADO_EMBEDDER_TIMEOUT"):
        await ingest(TEXTS)
    assert ingest.sizes == [8, 4, 2, 1, 1, 1]


@pytest.mark.parametrize("status", [400, 413, 422])
@pytest.mark.parametrize("place", [0, 3, 7, 60, 119])
async def test_a_text_that_is_too_long_is_cut_and_costs_the_others_nothing(ingest, status, place):
    long = "palabra " * 250
    texts = [*TEXTS[:place], long, *TEXTS[place + 1 :]]
    answers(ingest.server, lambda sent: failure(status) if any(len(text) > 600 for text in sent) else None)
    embedded = await ingest(texts)
    assert sorted(text for batch in ingest.kept for text in batch) == sorted(texts)
    sent = [text for request in ingest.server.requests for text in request.body["input"]]
    assert long[:500] in sent
    assert len(embedded.vectors) == len(texts)
    assert len(ingest.sizes) < 40


async def test_a_length_that_was_refused_is_not_sent_again(ingest):
    texts = ["palabra " * 250, *TEXTS[:5], "plazo " * 400]
    answers(ingest.server, lambda sent: failure(400) if any(len(text) > 600 for text in sent) else None)
    await ingest(texts)
    assert ingest.sizes[-1] > 1
    refused = [request for request in ingest.server.requests if any("plazo" in t for t in request.body["input"])]
    assert all(len(t) <= 500 for t in refused[-1].body["input"])


@pytest.mark.parametrize(("status", "kind"), [(401, ConfigurationError), (404, ConfigurationError), (400, ModelError)])
async def test_what_no_smaller_request_mends_is_said(ingest, status, kind):
    answers(ingest.server, lambda texts: failure(status))
    with pytest.raises(kind):
        await ingest(TEXTS)
    assert len(ingest.sizes) <= 8
    assert ingest.kept == []


async def test_an_address_without_a_server_is_said_after_three_attempts(ingest, server):
    ingest.options["timeout"] = 5
    server.root = "http://127.0.0.1:9"
    with pytest.raises(ModelError, match="ARTICULADO_EMBEDDER_BASE_URL") as caught:
        await ingest(TEXTS)
    assert caught.value.attempts == 3


async def test_the_vectors_before_a_failure_are_kept(ingest):
    sent = iter([None, None, failure(401)])
    answers(ingest.server, lambda texts: next(sent))
    with pytest.raises(ConfigurationError):
        await ingest(TEXTS)
    assert [len(batch) for batch in ingest.kept] == [8, 16]


async def test_requests_go_side_by_side_once_full_batches_come_fast(server):
    pace = Pace(most_requests=4)
    for texts in (8, 16, 32, 64, 128):
        pace.answered(texts, 0.1)
    assert (pace.texts, pace.requests) == (MOST_TEXTS, 1)
    for _ in range(5):
        pace.answered(MOST_TEXTS, 0.5)
    assert pace.requests == 4
    pace.answered(MOST_TEXTS, GOOD_SECONDS + 1)
    assert pace.requests == 3
    pace.slow_down()
    assert (pace.requests, pace.texts) == (1, 116)


def test_a_limit_is_lifted_step_by_step():
    pace = Pace()
    for texts in (8, 16, 32, 64):
        pace.answered(texts, 0.1)
    pace.failed(128)
    assert pace.texts == 64
    for _ in range(15):
        pace.answered(64, 0.1)
    assert pace.texts == 64
    pace.answered(64, 0.1)
    assert pace.texts == 128


@pytest.mark.parametrize(
    ("model", "options", "query", "passage"),
    [
        ("intfloat/multilingual-e5-base", {}, "query: jornada", "passage: jornada"),
        ("nomic-embed-text", {}, "search_query: jornada", "search_document: jornada"),
        ("bge-m3", {}, "jornada", "jornada"),
        ("bge-m3", {"query_prefix": "P: ", "passage_prefix": "T: "}, "P: jornada", "T: jornada"),
        ("multilingual-e5-small", {"query_prefix": "", "passage_prefix": ""}, "jornada", "jornada"),
        ("multilingual-e5-small", {"query_prefix": "P: "}, "P: jornada", "passage: jornada"),
        (
            "intfloat/multilingual-e5-large-instruct",
            {},
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: jornada",
            "jornada",
        ),
    ],
)
async def test_prefixes_follow_the_model_or_the_settings_and_come_once(server, model, options, query, passage):
    server.native_dimensions[model] = 4
    settings = ModelSettings(provider="compatible", model=model, base_url=server.url, dimensions=4, **options)
    made = embedder(settings)
    await made.embed_queries(["jornada", query])
    await made.embed_documents(["jornada", passage])
    await made.close()
    assert [request.body["input"] for request in server.requests] == [[query] * 2, [passage] * 2]
    assert all("input_type" not in request.body for request in server.requests)


async def test_a_server_that_writes_the_prefixes_is_told_the_kind_of_text(server):
    model = "multilingual-e5-small-q4"
    server.native_dimensions[model] = 4
    made = embedder(ModelSettings(provider="compatible", model=model, base_url=server.url, dimensions=4))
    await made.embed_queries(["jornada"])
    await made.embed_documents(["jornada"])
    await made.close()
    assert [request.body["input_type"] for request in server.requests] == ["query", "passage"]
    assert [request.body["input"] for request in server.requests] == [["jornada"]] * 2


def test_prefixes_are_part_of_the_fingerprint(server):
    def fingerprint(model: str, **options: str) -> str:
        settings = ModelSettings(provider="compatible", model=model, base_url=server.url, dimensions=4, **options)
        return embedder(settings).fingerprint

    assert fingerprint("bge-m3") == "compatible:bge-m3:4"
    variants = [
        fingerprint("bge-m3"),
        fingerprint("bge-m3", query_prefix="q: "),
        fingerprint("bge-m3", passage_prefix="q: "),
        fingerprint("bge-m3", query_prefix="q: ", passage_prefix="q: "),
        fingerprint("bge-m3", query_prefix="q:"),
    ]
    assert len(set(variants)) == len(variants)
    assert fingerprint("multilingual-e5-small", query_prefix="query: ") == fingerprint("multilingual-e5-small")
