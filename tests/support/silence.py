"""A server that never answers, and time limits that end at once."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent_server() -> Iterator[str]:
    """Accept every connection on loopback and say nothing; yields the base URL of an API."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


class ImpatientLimits:
    """Stands for ``asyncio.timeout``: every limit ends at the first wait; ``seconds`` are those that were asked for."""

    def __init__(self) -> None:
        self.seconds: list[float | None] = []

    def __call__(self, seconds: float | None) -> asyncio.Timeout:
        self.seconds.append(seconds)
        return asyncio.timeout(0)
