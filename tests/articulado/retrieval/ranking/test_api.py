"""Rerank endpoints over real HTTP, to a scripted server."""

import asyncio
import time

import pytest
from support.doubles import make_chunk
from support.fake_time import FakeTime
from support.rerank_server import Answer, running_rerank_server
from support.waiting import PATIENCE

from articulado.config.settings import RerankSettings, endpoint_of
from articulado.models.retry import Retrier
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.api import MAX_CONCURRENT, rerank_api
from articulado.retrieval.ranking.model_reranker import ModelReranker
from articulado.values.answers import question_of
from articulado.values.errors import ConfigurationError, ModelError, ModelRateLimited, ModelTimeout

SCORED = [{"index": 0, "relevance_score": 0.5}]


@pytest.fixture
def server():
    with running_rerank_server() as running:
        yield running


class CountingRetrier(Retrier):
    """Keeps how many calls were under way at once, at most."""

    under_way = 0
    most_at_once = 0

    async def run(self, attempt, deadline=None):
        CountingRetrier.under_way += 1
        CountingRetrier.most_at_once = max(self.most_at_once, self.under_way)
        try:
            return await super().run(attempt, deadline)
        finally:
            CountingRetrier.under_way -= 1


class Maker:
    """Builds endpoints whose pauses take no time, and closes them."""

    def __init__(self, server):
        self.server = server
        self.time = FakeTime()
        self.made = []

    def __call__(self, retrier=Retrier, clock=None, **options):
        settings = RerankSettings(**{"model": "modelo", "base_url": f"{self.server.root}/v1", **options})
        clock = clock or self.time.clock
        made = rerank_api(settings, lambda endpoint: retrier(endpoint, sleep=self.time.sleep, clock=clock))
        self.made.append(made)
        return made

    async def score(self, *passages, **options):
        return await self(**options).score("¿plazo?", passages, deadline=self.time.now + 60)


@pytest.fixture
async def make(server):
    maker = Maker(server)
    yield maker
    for made in maker.made:
        await made.close()


async def test_all_passages_go_in_one_request_and_scores_come_back_in_their_order(server, make):
    result = await make.score("a 20", "b 90", "c 5", api_key="clave")
    assert list(result.scores) == [0.2, 0.9, 0.05]
    assert (result.requests, result.input_tokens, result.output_tokens) == (1, 21, 0)
    (request,) = server.requests
    assert request.path == "/v1/rerank"
    assert request.headers["authorization"] == "Bearer clave"
    assert request.body == {
        "model": "modelo",
        "query": "¿plazo?",
        "documents": ["a 20", "b 90", "c 5"],
        "top_n": 3,
    }


async def test_tei_field_names_are_used(server, make):
    result = await make.score("a 20", "b 90", provider="tei", model="")
    assert list(result.scores) == [0.2, 0.9]
    assert server.requests[0].body["texts"] == ["a 20", "b 90"]


async def test_no_openai_account_headers_are_sent(server, make, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "secreto")
    await make.score("a 20")
    assert "secreto" not in str(server.requests[0].headers)


async def test_an_endpoint_with_small_batches_is_asked_five_times_at_once(server, make):
    CountingRetrier.most_at_once = 0
    result = await make.score(*(f"texto {n}" for n in range(12)), batch=1, retrier=CountingRetrier)
    assert list(result.scores) == [n / 100 for n in range(12)]
    assert (result.requests, result.input_tokens) == (12, 84)
    assert CountingRetrier.most_at_once == MAX_CONCURRENT == 5
    assert all(len(request.body["documents"]) == 1 for request in server.requests)


async def test_batches_are_as_large_as_allowed(server, make):
    assert (await make.score(*(f"texto {n}" for n in range(7)), batch=3)).requests == 3
    assert sorted(len(request.body["documents"]) for request in server.requests) == [1, 3, 3]


@pytest.mark.parametrize(
    ("rows", "scores"),
    [
        # Missing ones stay unjudged; what is no result is passed over.
        ([{"index": 2, "relevance_score": 0.7}], [None, None, 0.7]),
        ([{"index": 1, "relevance_score": 0.7}, {"index": 3, "relevance_score": 0.9}], [None, 0.7, None]),
        ([{"index": -1, "relevance_score": 0.9}, *SCORED], [0.5, None, None]),
        ([{"index": "1", "relevance_score": 0.9}, *SCORED], [0.5, None, None]),
        ([{"index": True, "relevance_score": 0.9}, *SCORED], [0.5, None, None]),
        ([{"index": 1, "relevance_score": "0.9"}, *SCORED], [0.5, None, None]),
        ([{"index": 1}, "x", None, *SCORED], [0.5, None, None]),
        ([{"index": 1, "relevance_score": 10**400}, *SCORED], [0.5, None, None]),
        # Out of range: all are logits. 1/(1 + e^-2), 1/(1 + e^3) and 1/(1 + e^-0.5).
        (
            [{"index": n, "relevance_score": logit} for n, logit in enumerate((2.0, -3, 0.5))],
            [pytest.approx(0.880797, abs=1e-6), pytest.approx(0.047426, abs=1e-6), pytest.approx(0.622459, abs=1e-6)],
        ),
        ([{"index": 0, "relevance_score": -1e300}, {"index": 1, "relevance_score": 1e300}], [0.0, 1.0, None]),
        ([{"index": 0, "relevance_score": float("inf")}, {"index": 1, "relevance_score": 1}], [None, 1.0, None]),
    ],
)
async def test_missing_and_surplus_results_are_handled(server, make, rows, scores):
    server.script(Answer(body={"results": rows}))
    assert list((await make.score("a", "b", "c")).scores) == scores


async def test_logits_are_squashed_and_reported(server, make):
    assert not (await make.score("a 20", "b 90")).squashed
    server.script(Answer(body={"results": [{"index": 0, "relevance_score": 4.2}]}))
    assert (await make.score("a")).squashed


async def test_one_reply_out_of_range_shows_what_those_to_the_other_batches_are(server, make):
    replies = [Answer(body={"results": [{"index": 0, "relevance_score": logit}]}) for logit in (0.0, -2.0)]
    server.script(*replies)
    result = await make.score("a", "b", batch=1)
    assert sorted(result.scores) == [pytest.approx(0.119203, abs=1e-6), 0.5]


async def test_a_busy_endpoint_is_asked_again_when_it_says(server, make):
    server.script(Answer(429, {}, {"Retry-After": "2"}), Answer(500, {}))
    result = await make.score("a 20")
    assert (list(result.scores), result.requests) == ([0.2], 3)
    assert make.time.pauses[0] == 2.0


async def test_one_that_stays_busy_has_failed_and_its_requests_count(server, make):
    server.script(*[Answer(429, {}, {"Retry-After": "1"})] * 3)
    with pytest.raises(ModelRateLimited) as raised:
        await make.score("a 20")
    assert raised.value.attempts == 3


async def test_a_batch_that_fails_fails_all_and_every_request_counts(server, make):
    server.script(Answer(400, {"error": {"message": "no"}}))
    with pytest.raises(ModelError) as raised:
        await make.score("a 1", "b 2", batch=1)
    assert raised.value.attempts == 2


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(body="<html>"), "no es JSON"),
        (Answer(body=""), "no es JSON"),
        (Answer(body={}), "no trae puntuaciones"),
        (Answer(body=[]), "no trae puntuaciones"),
        (Answer(body="3"), "no trae puntuaciones"),
        (Answer(body={"results": {"0": 1}}), "no trae puntuaciones"),
    ],
)
async def test_unreadable_replies_raise_with_instructions(server, make, answer, says):
    server.script(answer)
    with pytest.raises(ModelError, match=says) as raised:
        await make.score("a 20")
    assert "ARTICULADO_RERANK_BASE_URL" in str(raised.value)
    assert (raised.value.attempts, len(server.requests)) == (1, 1)


async def test_a_reply_that_breaks_off_is_asked_for_again(server, make):
    cut = Answer(body={"results": SCORED}, cut=True)
    server.script(cut)
    assert list((await make.score("a 20")).scores) == [0.2]
    server.script(*[cut] * 3)
    with pytest.raises(ModelError, match="ARTICULADO_RERANK_BASE_URL") as raised:
        await make.score("a 20")
    assert raised.value.attempts == 3


@pytest.mark.parametrize(("status", "variable"), [(401, "API_KEY"), (403, "API_KEY"), (404, "MODEL")])
async def test_refused_requests_name_the_setting_to_mend(server, make, status, variable):
    server.script(Answer(status, {"message": "no"}))
    with pytest.raises(ModelError, match=f"ARTICULADO_RERANK_{variable}") as raised:
        await make.score("a", "b", batch=2)
    assert (raised.value.attempts, len(server.requests)) == (1, 1)


async def test_silence_ends_with_the_deadline(server, make):
    server.script(Answer(silent=True))
    with pytest.raises(ModelTimeout, match="amplíe ARTICULADO_RERANK_TIMEOUT"):
        await make().score(question_of("q"), ["a"], deadline=make.time.now + 0.2)
    server.script(*[Answer(silent=True)] * 3)
    with pytest.raises(ModelTimeout):
        await make(batch=1).score(question_of("q"), ["a", "b", "c"], deadline=make.time.now + 0.2)


async def test_an_unreachable_server_raises(make):
    with pytest.raises(ModelError, match="No se puede conectar con modelo"):
        await make.score("a", base_url="http://127.0.0.1:1/v1")


async def test_when_one_request_fails_the_others_are_given_up(server, make):
    server.script(Answer(400, {"error": {"message": "no"}}), Answer(silent=True))
    with pytest.raises(ModelError):
        async with asyncio.timeout(PATIENCE):
            await make.score("a", "b", batch=1)
    assert [task for task in asyncio.all_tasks() if not task.done()] == [asyncio.current_task()]


async def test_a_question_that_is_given_up_gives_up_its_requests(server, make):
    server.script(*[Answer(silent=True)] * 2)
    made = make(clock=time.time, batch=1)
    asking = asyncio.ensure_future(made.score(question_of("q"), ["a", "b"], deadline=time.time() + PATIENCE))
    for _ in range(2):
        await asyncio.to_thread(server.silences.acquire)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


def texts(*numbers):
    return [candidate(make_chunk(n, text=f"texto {n}"), 0.5, "hybrid") for n in numbers]


async def test_the_same_question_has_the_same_scores_though_the_endpoint_left_one_out(server, make):
    reranker = ModelReranker(make(), tokens=512, timeout=2.0, clock=make.time.clock)
    server.script(Answer(body={"results": SCORED}))
    first = await reranker.score(question_of("q"), [], texts(10, 20))
    again = await reranker.score(question_of("q"), [], texts(10, 20))
    assert list(first.scores) == list(again.scores) == [0.5, None]
    assert (first.requests, again.requests, len(server.requests)) == (1, 0, 1)
    # Other candidates are another request, whole.
    assert list((await reranker.score(question_of("q"), [], texts(10, 20, 30))).scores) == [0.1, 0.2, 0.3]
    (_, later) = server.requests
    assert later.body["documents"][0].startswith("Estatuto de los Trabajadores > Artículo 1. Título\ntexto")


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, "BASE_URL"),
        ({"base_url": "http://x/v1"}, "MODEL"),
        ({"provider": "cohere"}, "API_KEY"),
        ({"provider": "jina"}, "API_KEY"),
        ({"provider": "tei"}, "BASE_URL"),
    ],
)
def test_a_setting_that_is_missing_is_named(settings, missing):
    with pytest.raises(ConfigurationError, match=f"Falta ARTICULADO_RERANK_{missing}"):
        endpoint_of(RerankSettings(**settings))


def test_known_providers_need_only_their_key():
    assert endpoint_of(RerankSettings(provider="cohere", api_key="k")).url == "https://api.cohere.com/v2"
    assert endpoint_of(RerankSettings(provider="jina", api_key="k", model="m")).model == "m"
    assert endpoint_of(RerankSettings(provider="tei", base_url="http://x")).texts == "texts"
