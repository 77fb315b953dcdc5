"""When a failed call is made again, on a clock that only moves when somebody sleeps."""

import asyncio
import time

import httpx2
import pytest
from support.fake_time import FakeTime

from articulado.models.retry import Backoff, DeadlinePassedError


class FailingCall:
    """Raises the failures that it is given, in turn, then answers; ``times`` are the moments of the calls."""

    def __init__(self, time: FakeTime, *failures: Exception) -> None:
        self.time = time
        self.failures = list(failures)
        self.times: list[float] = []

    async def __call__(self) -> str:
        self.times.append(self.time.now)
        if self.failures:
            raise self.failures.pop(0)
        return "respuesta"


def backoff(time: FakeTime, **options: float) -> Backoff:
    return Backoff(clock=time.clock, sleep=time.sleep, jitter=lambda: 0.5, **options)  # type: ignore[arg-type]


def passing(error: BaseException) -> bool:
    return isinstance(error, ConnectionError | httpx2.HTTPStatusError)


def busy(seconds: int) -> httpx2.HTTPStatusError:
    request = httpx2.Request("GET", "http://127.0.0.1/")
    response = httpx2.Response(503, headers={"Retry-After": str(seconds)}, request=request)
    return httpx2.HTTPStatusError("", request=request, response=response)


async def test_pauses_double_up_to_the_last_attempt():
    time = FakeTime(0.0)
    call = FailingCall(time, *[ConnectionError(str(number)) for number in range(5)])
    with pytest.raises(ConnectionError, match=r"^3$"):
        await backoff(time, max_attempts=4, first_pause=2.0).repeat(call, passing)
    assert call.times == [0.0, 2.0, 6.0, 14.0]


async def test_a_failure_that_does_not_pass_is_the_last():
    time = FakeTime(0.0)
    call = FailingCall(time, ConnectionError(), ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await backoff(time).repeat(call, passing)
    assert call.times == [0.0, 0.5]


@pytest.mark.parametrize(("requested", "times"), [(7, [0.0, 7.0]), (10, [0.0, 10.0]), (11, [0.0])])
async def test_a_server_is_waited_for_as_it_asks_up_to_the_longest_pause(requested, times):
    time = FakeTime(0.0)
    call = FailingCall(time, busy(requested))
    result = backoff(time, longest_pause=10.0).repeat(call, passing)
    if len(times) == 1:
        with pytest.raises(httpx2.HTTPStatusError):
            await result
    else:
        assert await result == "respuesta"
    assert call.times == times


@pytest.mark.parametrize(("deadline", "times"), [(7.5, [0.0, 7.0]), (7.0, [0.0]), (3.0, [0.0])])
async def test_a_pause_that_would_outlast_the_deadline_is_not_begun(deadline, times):
    time = FakeTime(0.0)
    call = FailingCall(time, busy(7), busy(7))
    with pytest.raises(httpx2.HTTPStatusError):
        await backoff(time).repeat(call, passing, deadline)
    assert call.times == times


async def test_a_pause_that_leaves_no_time_for_the_call_is_not_begun():
    for least, times in ((2.0, [0.0]), (1.9, [0.0, 7.0])):
        time = FakeTime(0.0)
        call = FailingCall(time, busy(7), busy(7))
        with pytest.raises(httpx2.HTTPStatusError):
            await backoff(time).repeat(call, passing, 9.0, least)
        assert call.times == times


async def test_nothing_is_called_once_the_deadline_has_passed():
    class Late(FakeTime):
        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds + 5)

    time = Late(0.0)
    call = FailingCall(time, ConnectionError())
    with pytest.raises(DeadlinePassedError):
        await backoff(time).repeat(call, passing, 5.0)
    assert call.times == [0.0]


async def test_an_attempt_that_hangs_ends_at_the_deadline_and_is_the_last():
    calls = []

    async def hanging() -> None:
        calls.append(time.time())
        await asyncio.Event().wait()

    with pytest.raises(DeadlinePassedError):
        await asyncio.wait_for(Backoff().repeat(hanging, passing, time.time() + 0.05), 5)
    assert len(calls) == 1


async def test_a_cancelled_caller_is_not_tried_again():
    begun = asyncio.Event()

    async def hanging() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(Backoff().repeat(hanging, passing))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
