"""Asynchronous prefetch: process the next items concurrently, and yield results in item order.

``in_order`` starts up to ``ahead`` further items; the first item runs alone, so that a wrong key costs one
request. Pending work is cancelled if the caller stops. ``in_thread`` reads a blocking iterator off the
event loop.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def in_order(
    items: Iterable[T] | AsyncIterable[T], work: Callable[[T], Awaitable[R]], ahead: int
) -> AsyncGenerator[tuple[T, asyncio.Future[R]], None]:
    """Yield each item and the work on it once that is done, in order; ``ahead`` further ones are begun meanwhile.

    The first goes alone: where a provider's key is wrong, one request tells. What still goes on when the caller stops
    is cancelled.
    """
    running: deque[tuple[T, asyncio.Future[R]]] = deque()
    try:
        alone = True
        async for item in _each(items):
            running.append((item, asyncio.ensure_future(work(item))))
            if alone or len(running) > ahead:
                yield await _first_done(running)
            alone = False
        while running:
            yield await _first_done(running)
    finally:
        for _, future in running:
            future.cancel()
        await asyncio.gather(*(future for _, future in running), return_exceptions=True)


async def in_thread(items: Iterator[T]) -> AsyncIterator[T]:
    """Yield items that take work or reading to have: each is fetched off the event loop."""
    end = object()
    while (item := await asyncio.to_thread(next, items, end)) is not end:
        yield item  # type: ignore[misc]


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


async def _first_done(running: deque[tuple[T, asyncio.Future[R]]]) -> tuple[T, asyncio.Future[R]]:
    await asyncio.wait([running[0][1]])
    return running.popleft()
