"""A way into async code for callers without an event loop: one loop for the whole process, in a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on the portal's loop, and return its result or raise its error.

    One loop for all such calls keeps connections alive from one to the next; a loop that runs in the calling thread
    is blocked meanwhile, so async code must await instead.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the portal's event loop, running in its thread from the first call on."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="articulado-portal", daemon=True).start()
    return loop
