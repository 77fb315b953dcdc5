"""Run an application on an address of its own until it is interrupted."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from language.current import say
from server.access.keys import KeyRing
from server.address import BACKLOG, HOST, is_loopback, listen
from server.operations.traces import Traces
from state.errors import ConfigurationError

SHUTDOWN_SECONDS = 5


def run(build: Callable[[], FastAPI], host: str, port: int, keys: Path | None) -> None:
    """Serve until interrupted; the port is taken before the application is built.

    ``keys`` is the file of the API keys, without which only this machine is served.

    Raises:
        ConfigurationError: the address cannot be used, or a public one has no keys.
        ArticuladoError: the application cannot be built.
    """
    if not is_loopback(host) and (keys is None or not KeyRing(keys).keys):
        raise ConfigurationError(say("server.public_without_keys", host=host, loopback=HOST))
    Traces.read()  # What it lacks is said before the index is opened.
    with closing(listen(host, port)) as listening:
        config = uvicorn.Config(
            build(), ws="none", timeout_graceful_shutdown=SHUTDOWN_SECONDS, access_log=False, backlog=BACKLOG
        )
        uvicorn.Server(config).run(sockets=[listening])
