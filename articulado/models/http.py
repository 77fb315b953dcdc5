"""HTTP client of the SDKs that keeps the connections of each event loop apart.

Importing this module loads the OpenAI SDK: import it where a client is built.
"""

import asyncio
from typing import Any

import httpx2
import openai


class PerLoopClient(openai.DefaultAsyncHttpxClient):
    """Keeps connections for each event loop apart.

    A connection dies with its loop, and the next request over it fails with "Event loop is closed": a program that
    calls ``asyncio.run(graph.ainvoke(…))`` twice would meet it. ``aclose`` closes the connections of the running loop;
    later requests open new ones.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(transport=httpx2.AsyncBaseTransport(), **options)  # never used: see send
        # Certificates are read from disk once, here, and not while a loop runs.
        self._options = {"verify": httpx2.create_ssl_context(), **options}
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request over a connection of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            open_clients = {other: client for other, client in self._clients.items() if not other.is_closed()}
            self._clients = {**open_clients, loop: openai.DefaultAsyncHttpxClient(**self._options)}
        return await self._clients[loop].send(request, **options)

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()
