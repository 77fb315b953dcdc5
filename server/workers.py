"""Worker processes that share one port; one that dies is restarted."""

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

_HEALTH_SECONDS = 120  # hung after this time without an answer; none comes while it reads an index

_PAUSE = 0.005  # seconds after a connection, in which another process gets a core

_PAUSE_AFTER_ERROR = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerPlan:
    """Pickled settings of a worker; ``public`` as in ``app_over``."""

    settings: Settings
    limits: ServerSettings
    public: bool


class SharedPortLoop(asyncio.SelectorEventLoop):
    """Event loop that accepts one connection at a time, then leaves the next to another process of the port."""

    async def create_server(  # type: ignore[override]
        self, factory: Callable[[], asyncio.Protocol], *, sock: socket.socket, backlog: int, **options: Any
    ) -> "_SharedPort":
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
    """Server object for uvicorn: closing it stops accepting; accepted connections go on."""

    def __init__(self, taking: asyncio.Task[None]) -> None:
        self._taking = taking

    def close(self) -> None:
        self._taking.cancel()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._taking])


def serve_with_workers(number: int, plan: WorkerPlan, listening: socket.socket) -> None:
    """Serve a port with ``number`` processes; without ``rate_storage`` in Redis, each allows its share."""
    if plan.limits.conversations == MEMORY:
        raise ConfigurationError(translate("server.workers_memory"))
    # Its tables are made before several ask for them.
    wait_for(_create_tables(plan))
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
    """Build the application of a worker, which takes connections only when it is warm; an error ends the process."""
    log_to_stderr()
    profile = load_profile(plan.settings.profile)
    with use_locale(profile.language):
        try:
            return app_over(OpenGraphs(plan.settings, profile), plan.limits, public=plan.public, worker=True)
        except ArticuladoError as error:
            print(error, file=sys.stderr)
            sys.exit(STARTUP_FAILURE)


async def _create_tables(plan: WorkerPlan) -> None:
    async with open_conversations(plan.limits.conversations, plan.settings.home):
        pass


def _share_of(plan: WorkerPlan, number: int) -> WorkerPlan:
    limits = plan.limits
    share = {"per_minute": -(-limits.per_minute // number), "at_once": -(-limits.at_once // number)}
    return WorkerPlan(plan.settings, limits.model_copy(update=share), plan.public)


@contextmanager
def _shared_figures() -> Iterator[None]:
    with TemporaryDirectory(prefix="articulado-figures-") as folder:
        os.environ[SHARED_FIGURES] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FIGURES]
