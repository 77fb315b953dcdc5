"""A server in a thread and clients for it."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from fastapi import FastAPI
from langserve import RemoteRunnable
from support.waiting import PATIENCE

from server.settings import listen


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
