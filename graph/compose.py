"""Composition: settings to services to a compiled graph."""

from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.rag import Rag, build_rag
from ingestion.demo import open_configured
from services.container import Services
from services.factory import build_services
from services.portal import wait_for
from services.settings import Settings


def open_services(settings: Settings | None = None) -> Services:
    """Open the configured index and bind every service to it; with retrieval switched off, none is opened.

    Raises:
        ArticuladoError: the settings, the index or a provider are not usable; the message says what to do.
    """
    settings = settings or Settings.read()
    return build_services(settings, wait_for(open_configured(settings)) if settings.rag_enabled else None)


def open_rag(settings: Settings | None = None, checkpointer: BaseCheckpointSaver[str] | None = None) -> Rag:
    """Build the answering graph for these settings, those of the environment by default."""
    return build_rag(open_services(settings), checkpointer)
