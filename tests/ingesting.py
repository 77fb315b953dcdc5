"""Run the ingestion graph in a test."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graph.ingest import build_ingest
from services.settings import Settings
from state.ingest import IngestReport


async def ingest(paths: Sequence[Path | str], settings: Settings, **request: Any) -> IngestReport:
    """Ingest files and folders, with what else the request says, and return the report."""
    state = await build_ingest(settings).ainvoke({"paths": [str(path) for path in paths], **request})
    return state["report"]
