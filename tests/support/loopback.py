"""A server in a thread and clients for it."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from unittest.mock import patch

import httpx
import langserve.client
import uvicorn
from fastapi import FastAPI
from langserve import RemoteRunnable
from support.waiting import PATIENCE

from server.settings import listen


def _left_open(sync_client: httpx.Client, async_client: httpx.AsyncClient) -> None:
    """Stand for LangServe's clean-up of a client that is garbage: ``remote`` and ``aremote`` close what they open.

    Its own submits a task to an executor in whichever thread collects garbage. If that thread is a server's and submits
    one itself just then, it waits for a lock that it holds, and so does every executor of the process.
    """


patch.object(langserve.client, "_close_clients", _left_open).start()  # for good; fails if LangServe renames it


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free loopback port; yields its base URL. Connections wait until it is up."""
    with listen("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(app, ws="none", log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=PATIENCE)
            assert not thread.is_alive()


@contextmanager
def remote(url: str, path: str = "/rag") -> Iterator[RemoteRunnable]:
    """Open LangServe's own client for a graph."""
    client = RemoteRunnable(url + path, timeout=PATIENCE)
    with client.sync_client:
        yield client


@asynccontextmanager
async def aremote(url: str, path: str = "/rag") -> AsyncIterator[RemoteRunnable]:
    """Open the client for a coroutine: its connections must be closed in the loop that opened them."""
    with remote(url, path) as client:
        async with client.async_client:
            yield client
