"""Composition: from settings to services to a compiled graph."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from articulado.config.profile import Profile, load_profile
from articulado.config.settings import Settings
from articulado.ingestion.first_index import find_configured
from articulado.ingestion.incremental.catalog import changes_in, titles_in
from articulado.ingestion.index_models import IndexModels
from articulado.language.translation import use_locale
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.store.generations import Index
from articulado.store.opening import check_points
from articulado.store.replica import bring_up_to_date
from graph.factory import build_ingest_services, build_services, without_providers
from graph.services import Services
from nodes.stage import wait_for

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from graph.rag import Rag
    from state.rag import RagInput


Announce = Callable[[Settings, Profile], AbstractContextManager[object]]
"""Context manager around the building of a first index, which tells the user to wait."""


async def open_services(
    settings: Settings | None = None, profile: Profile | None = None, *, announce: Announce | None = None
) -> Services:
    """Open the configured index and bind every service to it; no index is opened if retrieval is switched off.

    ``settings`` default to the environment, ``profile`` to that of the settings. ``announce`` is entered while the
    first index of the profile is built. Raises ``ArticuladoError``; its message says what to do.
    """
    settings = settings or Settings.read()
    profile = profile or load_profile(settings.profile)
    with use_locale(profile.language):
        index = await open_configured(settings, profile, announce=announce) if settings.rag_enabled else None
        laws = IndexedLaws(lambda: titles_in(index.folder)) if index else NO_LAWS
        last_changes = cache(lambda: changes_in(index.folder)) if index else dict[str, str]
        services = await asyncio.to_thread(build_services, settings, profile, index, laws, last_changes)
        if index is not None:
            async with AsyncExitStack() as stack:
                stack.push_async_callback(services.close)
                await check_points(index, services.store, embedded=settings.store == "embedded")
                stack.pop_all()
        return services


async def open_configured(settings: Settings, profile: Profile, *, announce: Announce | None = None) -> Index:
    """Open the index that the settings name, or that of the profile, which is built on first use.

    Only a first index in the default folder is rebuilt if version, settings, corpus or articles have changed. Raise
    ``IndexMissing`` if the named folder has no index or the profile no documents, ``IndexMismatch`` if the index has
    other settings or another profile, ``StoreUnavailable`` or ``ConfigurationError`` if its server cannot be reached.
    """
    await bring_up_to_date(settings, profile.name, or_go_on=True)
    index = await asyncio.to_thread(find_configured, settings, profile)
    if index is not None:
        return index
    with announce(settings, profile) if announce else nullcontext():
        # Imported here: a question asked of an index that is there needs nothing of what builds one.
        from articulado.ingestion.first_index import build_first

        async with build_ingest_services(settings, profile) as services:
            return await build_first(IndexModels(settings, profile, services.embedder), services.writer)


WARM_UP_QUESTIONS = 8  # Titles of provisions asked as questions: enough to load all tables


async def warm_up(services: Services) -> None:
    """Load index, tables and local models by answering questions, without any provider."""
    from graph.rag import build_context, build_rag

    services = without_providers(services)
    asked: RagInput = {"question": services.profile.title}
    candidates = (await build_context(services).ainvoke(asked, output_keys=["candidates"]))["candidates"]
    titles = dict.fromkeys(title for candidate in candidates if (title := candidate["chunk"]["title"].strip()))
    rag = build_rag(services)
    for title in islice(titles, WARM_UP_QUESTIONS):
        await rag.ainvoke({"question": title})


def open_rag(settings: Settings | None = None, checkpointer: "BaseCheckpointSaver[str] | None" = None) -> "Rag":
    """Build the answering graph for ``settings``, by default those of the environment."""
    # Imported here: what only looks a provision up opens services too, and does without the graph.
    from graph.rag import build_rag

    return build_rag(wait_for(open_services(settings)), checkpointer)
