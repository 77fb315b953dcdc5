"""Several processes behind one port: each has the graphs, the models and the index mapped for itself."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from graph.opened import OpenGraphs
from language.current import say, speaking
from server.app import app_over
from server.operations.metrics import SHARED_FIGURES
from server.operations.requests import log_to_stderr
from server.running import http_options
from server.settings import ServerSettings
from services.conversations.kept import MEMORY, open_conversations
from services.portal import wait_for
from services.profile.profile import load_profile
from services.settings import Settings
from state.errors import ArticuladoError, ConfigurationError

_HEALTH_SECONDS = 120
"""How long a worker may not answer its supervisor before it is taken for hung: reading an index holds it up."""


@dataclass(frozen=True)
class WorkerPlan:
    """What a worker is started with; it is pickled. ``public`` as in ``app_over``."""

    settings: Settings
    limits: ServerSettings
    public: bool


def serve_with_workers(number: int, plan: WorkerPlan, listening: socket.socket) -> None:
    """Serve a port with so many processes until interrupted; one that dies is started anew.

    What a key may begin in a minute and at once is counted for all of them where ``rate_storage`` is Redis; without it,
    each worker allows its share.

    Raises:
        ConfigurationError: conversations would be kept in one of them alone, or a worker could not start.
    """
    if plan.limits.conversations == MEMORY:
        raise ConfigurationError(say("server.workers_memory"))
    # Its tables are made before several ask for them.
    wait_for(_made(plan))
    with _shared_figures():
        app = partial(worker_app, plan if plan.limits.rate_storage != "memory://" else _share_of(plan, number))
        config = uvicorn.Config(
            app, factory=True, workers=number, timeout_worker_healthcheck=_HEALTH_SECONDS, **http_options()
        )
        supervisor = Multiprocess(config, sockets=[listening])
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise ConfigurationError(say("server.worker_failed"))


def worker_app(plan: WorkerPlan) -> FastAPI:
    """Build the application of a worker, which takes connections only when it is warm; what fails ends the process."""
    log_to_stderr()
    profile = load_profile(plan.settings.profile)
    with speaking(profile.language):
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
