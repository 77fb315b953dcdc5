"""Run the ingestion graph in a test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.ingestion.boe.client import BoeClient
from graph.factory import build_ingest_services
from graph.ingest import Ingest, build_ingest
from state.ingest import IngestReport


@asynccontextmanager
async def opened_ingest(settings: Settings) -> AsyncIterator[Ingest]:
    """Build the graph, and close its services in the end; a gazette on loopback is asked without pauses."""
    boe = partial(BoeClient, settings.boe_url, settings.home / "boe", pause=0.0)
    async with build_ingest_services(settings, load_profile(settings.profile)) as services:
        yield build_ingest(replace(services, boe=boe))


async def ingest(paths: Sequence[Path | str], settings: Settings, **request: Any) -> IngestReport:
    """Ingest files and folders, with what else the request says, and return the report."""
    async with opened_ingest(settings) as graph:
        state = await graph.ainvoke({"paths": [str(path) for path in paths], **request})
    return state["report"]
