"""Streams whose run ends when their reader leaves."""

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

T = TypeVar("T")


async def detached(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Iterate in a task of its own; closing this iterator, or cancelling its reader, cancels that task once.

    When a client leaves, the server cancels the reader again and again until it has returned. That would cut short
    LangGraph's own clean-up and leave its nodes, and the model calls in them, running.
    """
    queue: asyncio.Queue[T | None] = asyncio.Queue()
    task = asyncio.create_task(_drain(items, queue))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (item := await queue.get()) is not None:
            yield item
        await task
    finally:
        task.cancel()


async def _drain(items: AsyncIterator[T], queue: asyncio.Queue[T | None]) -> None:
    async for item in items:
        queue.put_nowait(item)
