"""Waiting for events instead of for a time."""

import asyncio

PATIENCE = 600.0
"""Seconds after which a wait for what never comes is given up, on the slowest machine; no test depends on it."""


class Limits:
    """Stands for ``asyncio.timeout``: limits that end when a test says so, whatever they were asked for."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._open: list[asyncio.Timeout] = []

    def __call__(self, seconds: float) -> asyncio.Timeout:
        self.seconds.append(seconds)
        self._open.append(asyncio.timeout(None))
        return self._open[-1]

    def end(self) -> None:
        """End the limit that was asked for last."""
        self._open[-1].reschedule(asyncio.get_running_loop().time())
