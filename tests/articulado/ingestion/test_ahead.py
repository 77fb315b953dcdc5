import asyncio
from contextlib import aclosing

import pytest

from articulado.ingestion.worker import in_order


async def test_results_come_in_the_order_of_the_items_whichever_is_done_first() -> None:
    begun: list[int] = []
    third_done = asyncio.Event()

    async def work(number: int) -> int:
        begun.append(number)
        if number == 2:
            await third_done.wait()
        if number == 3:
            third_done.set()
        return number * number

    results = [(item, future.result()) async for item, future in in_order([1, 2, 3, 4], work, 1)]
    assert results == [(1, 1), (2, 4), (3, 9), (4, 16)]
    assert begun == [1, 2, 3, 4]


async def test_the_first_item_goes_alone_and_what_goes_on_is_cancelled_with_the_caller() -> None:
    begun: list[int] = []
    ended: list[int] = []
    all_begun = asyncio.Event()

    async def work(number: int) -> None:
        begun.append(number)
        if number == 4:
            all_begun.set()
        if number == 1:
            raise LookupError("clave")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    async with aclosing(in_order([1, 2, 3, 4], work, 2)) as results:
        _, first = await anext(results)
        assert begun == [1]
        with pytest.raises(LookupError, match="clave"):
            first.result()
        waiting = asyncio.ensure_future(anext(results))
        await all_begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert ended == [2, 3, 4]
