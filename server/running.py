"""Run an application on its own address until it is interrupted."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import uvicorn
from fastapi import FastAPI

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError
from server.access import KeyRing
from server.operations.traces import Traces
from server.settings import BACKLOG, HOST, is_loopback, listen

SHUTDOWN_SECONDS = 5


@contextmanager
def taken(host: str, port: int, keys: Path | None) -> Iterator[socket]:
    """Take a port for the length of a block, before anything is opened.

    ``keys`` is the file of the API keys, without which only this machine is served.

    Raises:
        ConfigurationError: the address cannot be used, or a public one has no keys.
    """
    if not is_loopback(host) and (keys is None or not KeyRing(keys).keys):
        raise ConfigurationError(translate("server.public_without_keys", host=host, loopback=HOST))
    Traces.read()  # What it lacks is said before the index is opened.
    with closing(listen(host, port)) as listening:
        yield listening


def run(app: FastAPI, listening: socket) -> None:
    """Serve an application until interrupted."""
    uvicorn.Server(uvicorn.Config(app, **http_options())).run(sockets=[listening])


def http_options() -> dict[str, Any]:
    """Return the options of uvicorn with which every process serves."""
    return {"ws": "none", "timeout_graceful_shutdown": SHUTDOWN_SECONDS, "access_log": False, "backlog": BACKLOG}
