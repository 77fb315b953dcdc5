"""Processes that ingest a folder; each says when it begins, so that a test can kill it while it works."""

import asyncio
import multiprocessing
import os
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from unittest.mock import patch

from support.paths import REPOSITORY
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.factory import build_ingest_services
from graph.ingest import build_ingest

_FORKS = multiprocessing.get_context("forkserver")


def begun_ingest(folder: Path, settings: Settings) -> BaseProcess:
    """Start to ingest a folder into the index of the settings; return once the work begins."""
    _serve_forks()
    begins = _FORKS.Event()
    process = _FORKS.Process(target=_ingest, args=(folder, settings, begins))
    process.start()
    assert begins.wait(PATIENCE)
    return process


def _serve_forks() -> None:
    """Run the server that processes are forked from: it imports everything once, so that only ingests are killed."""
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "tests")])
    with patch.dict(os.environ, PYTHONPATH=paths):
        _FORKS.set_forkserver_preload([__name__])
        forkserver.ensure_running()


def _ingest(folder: Path, settings: Settings, begins: Event) -> None:
    graph = build_ingest(build_ingest_services(settings, load_profile(settings.profile)))
    begins.set()
    asyncio.run(graph.ainvoke({"paths": [str(folder)]}))
