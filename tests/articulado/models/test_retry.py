import asyncio
import traceback
from collections.abc import Awaitable, Callable
from email.utils import formatdate

import httpx2
import openai
import pytest
from support.fake_time import FakeTime
from support.waiting import PATIENCE, Limits

from articulado.models.failures import Endpoint, MalformedReplyError, TruncatedReplyError
from articulado.models.retry import Retrier
from articulado.values.errors import (
    ArticuladoError,
    ConfigurationError,
    ContentFiltered,
    ModelError,
    ModelRateLimited,
    ModelTimeout,
)

ENDPOINT = Endpoint("gpt-5.2 (openai)", "principal")


class Provider:
    """Fails as told, then answers."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return "respuesta"


def status(code: int, body: dict[str, object] | None = None, **headers: str) -> openai.APIStatusError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
    return openai.APIStatusError(
        "provider says no", response=httpx2.Response(code, headers=named, request=request), body=body
    )


def connection() -> openai.APIConnectionError:
    return openai.APIConnectionError(request=httpx2.Request("POST", "http://127.0.0.1/v1"))


def retrier(fake: FakeTime, jitter: Callable[[], float] = lambda: 0.5, **options: float) -> Retrier:
    return Retrier(ENDPOINT, clock=fake.clock, sleep=fake.sleep, jitter=jitter, **options)  # type: ignore[arg-type]


async def test_success_costs_one_attempt_and_no_pause():
    fake = FakeTime()
    assert await retrier(fake).run(Provider()) == ("respuesta", 1)
    assert fake.pauses == []


TRANSIENT = [*map(status, (408, 409, 429, 500, 503)), connection(), TruncatedReplyError()]


@pytest.mark.parametrize("failure", TRANSIENT, ids=repr)
async def test_transient_failures_are_tried_again_with_doubling_pauses(failure):
    fake = FakeTime()
    assert await retrier(fake).run(Provider(failure, failure)) == ("respuesta", 3)
    assert fake.pauses == [0.5, 1.0]


async def test_jitter_spreads_the_pause_by_half():
    low, high = FakeTime(), FakeTime()
    await retrier(low, jitter=lambda: 0.0).run(Provider(status(500)))
    await retrier(high, jitter=lambda: 1.0).run(Provider(status(500)))
    assert (low.pauses, high.pauses) == ([0.25], [0.75])


async def test_third_failure_is_the_last_and_says_how_often_it_was_asked():
    provider = Provider(*[status(503)] * 3)
    with pytest.raises(ModelError, match="HTTP 503") as caught:
        await retrier(FakeTime()).run(provider)
    assert provider.calls == caught.value.attempts == 3
    assert str(caught.value.__cause__) == "APIStatusError, HTTP 503"
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": formatdate(1_000_012, usegmt=True)}, 12.0),
        ({"retry_after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry_after": "pronto"}, 0.5),
    ],
)
async def test_retry_after_is_honoured(headers, pause):
    fake = FakeTime()
    await retrier(fake).run(Provider(status(429, **headers)))
    assert fake.pauses == [pause]


async def test_pause_beyond_the_deadline_is_not_begun():
    fake = FakeTime()
    provider = Provider(status(429, retry_after="30"))
    with pytest.raises(ModelRateLimited) as caught:
        await retrier(fake).run(provider, deadline=fake.now + 20)
    assert (provider.calls, caught.value.attempts, fake.pauses) == (1, 1, [])


SECONDS = [("principal", 5.0), ("reader", 1.0), ("embedder", 0.5), ("rerank", 0.5), ("checker", 2.0)]


@pytest.mark.parametrize(("role", "seconds"), SECONDS)
async def test_a_pause_that_leaves_no_time_for_a_reply_is_not_begun(role, seconds):
    for left, pauses in ((seconds, []), (seconds + 0.25, [30.0])):
        fake = FakeTime()
        busy = Provider(status(429, retry_after="30"))
        result = Retrier(Endpoint("m", role), clock=fake.clock, sleep=fake.sleep).run(busy, fake.now + 30 + left)
        if pauses:
            assert await result == ("respuesta", 2)
        else:
            with pytest.raises(ModelRateLimited):
                await result
        assert fake.pauses == pauses


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("reader", "La búsqueda de términos (lector) no ha llegado a tiempo (m)"),
        ("principal", "La respuesta (principal) no ha llegado a tiempo (m)"),
        ("embedder", "Los vectores no han llegado a tiempo (m)"),
        ("rerank", "La reordenación no ha llegado a tiempo (m)"),
        ("checker", "La comprobación de la respuesta no ha llegado a tiempo (m)"),
    ],
)
async def test_what_is_late_is_told_by_name(role, told):
    fake = FakeTime()
    with pytest.raises(ModelTimeout) as caught:
        await Retrier(Endpoint("m", role), clock=fake.clock).run(Provider(), deadline=fake.now)
    assert str(caught.value).startswith(told)


async def test_nothing_is_asked_after_the_deadline():
    fake, provider = FakeTime(), Provider()
    with pytest.raises(ModelTimeout, match="ARTICULADO_QUESTION_TIMEOUT") as caught:
        await retrier(fake).run(provider, deadline=fake.now)
    assert (provider.calls, caught.value.attempts) == (0, 0)


def hanging() -> Callable[[], Awaitable[str]]:
    async def attempt() -> str:
        await asyncio.Event().wait()
        return "nunca"

    return attempt


async def test_an_attempt_that_hangs_ends_at_the_deadline():
    fake, limits = FakeTime(), Limits()
    task = asyncio.create_task(
        Retrier(ENDPOINT, clock=fake.clock, time_limit=limits).run(hanging(), deadline=fake.now + 7)
    )
    await asyncio.sleep(0)
    assert limits.seconds == [7]
    limits.end()
    with pytest.raises(ModelTimeout) as caught:
        await task
    assert caught.value.attempts == 1


async def test_a_call_without_deadline_has_a_limit_all_the_same():
    fake = FakeTime()
    with pytest.raises(ModelTimeout, match="no ha respondido en 0 segundos"):
        await asyncio.wait_for(Retrier(ENDPOINT, timeout=0.05, clock=fake.clock).run(hanging()), PATIENCE)


async def test_a_time_out_of_the_attempt_itself_is_not_the_deadline():
    with pytest.raises(TimeoutError):
        await retrier(FakeTime()).run(Provider(TimeoutError()))


async def test_cancelling_the_caller_cancels():
    task = asyncio.create_task(Retrier(ENDPOINT).run(hanging()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("failure", "expected", "says"),
    [
        (status(401), ConfigurationError, "ARTICULADO_PRINCIPAL_API_KEY"),
        (status(403), ConfigurationError, "ARTICULADO_PRINCIPAL_API_KEY"),
        (status(404), ConfigurationError, "ARTICULADO_PRINCIPAL_MODEL"),
        (status(429, {"code": "insufficient_quota"}), ModelRateLimited, "cuota"),
        (status(429, {"code": None, "type": "insufficient_quota"}), ModelRateLimited, "cuota"),
        (status(400, {"code": "content_filter"}), ContentFiltered, "filtro de contenido"),
        (status(400), ModelError, r"\(HTTP 400\)"),
        (
            status(400, {"code": "unsupported_value", "param": "temperature"}),
            ModelError,
            "unsupported_value, «temperature»",
        ),
        (MalformedReplyError("x"), ModelError, "no se puede leer"),
        (status(301), ConfigurationError, "redirige"),
    ],
    ids=str,
)
async def test_final_failures_are_not_tried_again(failure, expected, says):
    provider = Provider(failure)
    with pytest.raises(expected, match=says):
        await retrier(FakeTime()).run(provider)
    assert provider.calls == 1


QUOTING = {"code": "sk-geheim", "type": "sk-geheim", "param": "sk-geheim", "message": "sk-geheim"}


@pytest.mark.parametrize("code", [400, 401, 404, 422, 429, 503])
async def test_nothing_that_a_provider_says_is_repeated_in_an_error_nor_in_its_traceback(code):
    with pytest.raises(ArticuladoError) as caught:
        await retrier(FakeTime()).run(Provider(*[status(code, QUOTING)] * 3))
    told = "".join(traceback.format_exception(caught.value))
    assert "provider says no" not in told
    assert "sk-geheim" not in told


async def test_bugs_are_not_taken_for_failures_of_the_provider():
    provider = Provider(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await retrier(FakeTime()).run(provider)
    assert provider.calls == 1
