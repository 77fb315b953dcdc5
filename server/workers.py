"""Worker processes that share one port.

Each worker has its own graphs and models, and maps the index into its own memory. A worker that dies is
started again.
"""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.language.translation import translate, use_locale
from articulado.values.errors import ArticuladoError, ConfigurationError
from graph.open_graphs import OpenGraphs
from nodes.stage import wait_for
from server.app import app_over
from server.conversations.store import MEMORY, open_conversations
from server.guards import http_options
from server.operations.requests import SHARED_FIGURES, log_to_stderr
from server.settings import ServerSettings

_HEALTH_SECONDS = 120
"""How long a worker may not answer its supervisor before it is taken for hung: reading an index holds it up."""

_PAUSE = 0.005
"""Seconds after a connection: a process that waits for a core comes to have one."""

_PAUSE_AFTER_ERROR = 1.0
"""Seconds after one that could not be taken, as where no more files may be open."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerPlan:
    """What a worker is started with; it is pickled. ``public`` as in ``app_over``."""

    settings: Settings
    limits: ServerSettings
    public: bool


class SharedPortLoop(asyncio.SelectorEventLoop):
    """An event loop that takes connections from a port at which other processes listen, too, and leaves some to them.

    asyncio takes all that wait at once: those of a client with several would all end up with one process, which then
    answers them while the others are idle. This one takes one, and pauses for as long as another process may need to
    take the next.
    """

    async def create_server(  # type: ignore[override]
        self, factory: Callable[[], asyncio.Protocol], *, sock: socket.socket, backlog: int, **options: Any
    ) -> "_SharedPort":
        """Serve a socket; ``backlog`` connections may wait at it."""
        sock.setblocking(False)
        sock.listen(backlog)
        return _SharedPort(self.create_task(self._take(factory, sock)))

    async def _take(self, factory: Callable[[], asyncio.Protocol], port: socket.socket) -> None:
        while True:
            try:
                connection, _ = await self.sock_accept(port)
                await self.connect_accepted_socket(factory, connection)
            except OSError as error:
                logger.warning("a connection could not be taken: %s", error)
                await asyncio.sleep(_PAUSE_AFTER_ERROR)
            await asyncio.sleep(_PAUSE)


class _SharedPort:
    """What uvicorn knows of a server: it takes connections until it is closed, and those that it has taken go on."""

    def __init__(self, taking: asyncio.Task[None]) -> None:
        self._taking = taking

    def close(self) -> None:
        self._taking.cancel()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._taking])


def serve_with_workers(number: int, plan: WorkerPlan, listening: socket.socket) -> None:
    """Serve a port with so many processes until interrupted; one that dies is started anew.

    What a key may begin in a minute and at once is counted for all of them where ``rate_storage`` is Redis; without it,
    each worker allows its share.

    Raises:
        ConfigurationError: conversations would be kept in one of them alone, or a worker could not start.
    """
    if plan.limits.conversations == MEMORY:
        raise ConfigurationError(translate("server.workers_memory"))
    # Its tables are made before several ask for them.
    wait_for(_made(plan))
    with _shared_figures():
        app = partial(worker_app, plan if plan.limits.rate_storage != "memory://" else _share_of(plan, number))
        config = uvicorn.Config(
            app,
            factory=True,
            workers=number,
            loop=f"{__name__}:{SharedPortLoop.__name__}",
            timeout_worker_healthcheck=_HEALTH_SECONDS,
            **http_options(),
        )
        supervisor = Multiprocess(config, sockets=[listening])
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise ConfigurationError(translate("server.worker_failed"))


def worker_app(plan: WorkerPlan) -> FastAPI:
    """Build the application of a worker, which takes connections only when it is warm; what fails ends the process."""
    log_to_stderr()
    profile = load_profile(plan.settings.profile)
    with use_locale(profile.language):
        try:
            return app_over(OpenGraphs(plan.settings, profile), plan.limits, public=plan.public, worker=True)
        except ArticuladoError as error:
            print(error, file=sys.stderr)
            sys.exit(STARTUP_FAILURE)


async def _made(plan: WorkerPlan) -> None:
    async with open_conversations(plan.limits.conversations, plan.settings.home):
        pass


def _share_of(plan: WorkerPlan, number: int) -> WorkerPlan:
    """Return a plan whose limits of a key, for so many workers, add up to those of the whole."""
    limits = plan.limits
    share = {"per_minute": -(-limits.per_minute // number), "at_once": -(-limits.at_once // number)}
    return WorkerPlan(plan.settings, limits.model_copy(update=share), plan.public)


@contextmanager
def _shared_figures() -> Iterator[None]:
    """Let the workers keep their figures in one folder, so that each tells those of all."""
    with TemporaryDirectory(prefix="articulado-figures-") as folder:
        os.environ[SHARED_FIGURES] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FIGURES]
