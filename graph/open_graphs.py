"""Graphs of one process over one set of services, opened on demand and again after an ingest.

A run keeps the generation of the index with which it began.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from langgraph.graph.state import CompiledStateGraph

from articulado.config.profile import Profile, load_profile
from articulado.config.settings import Settings
from articulado.language.translation import use_locale
from articulado.store.generations import Generations
from articulado.store.replica import bring_up_to_date
from articulado.store.supplementary import MissingIndex, PortableStore
from articulado.values.errors import ArticuladoError, IndexMismatch, IndexMissing, StoreUnavailable
from nodes.stage import wait_for
from state.context import RunContext

if TYPE_CHECKING:
    from graph.services import Services

logger = logging.getLogger(__name__)

LOOK_INTERVAL = 1.0  # Seconds between two queries for a new generation on a server

Graph: TypeAlias = CompiledStateGraph[Any, RunContext, Any, Any]
RAG, CHAT, REQUIRED_DATA, GENERATE_RESPONSE = "rag", "chat", "required_data", "generate_response"


@dataclass
class Opened:
    """Services and graphs of one generation of the index; ``users`` counts the running ones."""

    services: "Services"
    generation: str
    users: int = 0

    @cached_property
    def graphs(self) -> Mapping[str, Graph]:
        # Imported here: whoever names a graph need not build one.
        from graph.case import build_generate_response, build_required_data
        from graph.rag import build_chat, build_rag

        return {
            RAG: build_rag(self.services),
            CHAT: build_chat(self.services),
            REQUIRED_DATA: build_required_data(self.services),
            GENERATE_RESPONSE: build_generate_response(self.services),
        }

    @property
    def missing(self) -> MissingIndex | None:
        """Store of graphs without an index."""
        return self.services.store if isinstance(self.services.store, MissingIndex) else None


class OpenGraphs:
    """Graphs of a process, shared by the event loops of several threads.

    Without a usable index the graphs exist and report the error, until an index is there.
    """

    def __init__(
        self,
        settings: Settings,
        profile: Profile,
        services: "Services | None" = None,
        *,
        portable: bool = True,
        follows: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._follows = follows
        """Unset: the services given stay, whatever is written into the folder of the settings."""
        self.settings = settings
        self.profile = profile
        self._lock = Lock()
        """Held while graphs are opened, which is slow: an event loop never waits for it."""
        self._counting = Lock()
        self._portable = portable
        self._clock = clock
        # What services are over is what this machine has: it was looked at when they were opened.
        self._looked = clock() if services else -math.inf
        self._opened = self._over(services, self._generation()) if services else None
        self._old: list[Opened] = []

    @classmethod
    def over(cls, services: "Services", *, portable: bool = True) -> "OpenGraphs":
        """Return the graphs over open services, which stay; ``portable``: they reveal no paths of this machine."""
        return cls(services.settings, services.profile, services, portable=portable, follows=False)

    @property
    def services(self) -> "Services":
        """Current services, opened if necessary (blocking)."""
        self._look()
        with self._lock:
            return self._current().services

    def now(self, name: str) -> Graph:
        """Return the current graph without holding it: an ingest may close its services."""
        self._look()
        with self._lock:
            return self._current().graphs[name]

    @asynccontextmanager
    async def using(self, name: str) -> AsyncIterator[Graph]:
        """Yield a graph for one run; its services stay open until the block ends."""
        async with self.holding() as opened:
            yield opened.graphs[name]

    @asynccontextmanager
    async def holding(self) -> AsyncIterator[Opened]:
        """Yield the current services and graphs; they stay open until the block ends."""
        opened = await asyncio.to_thread(self._take)
        try:
            yield opened
        finally:
            for idle in self._released(opened):
                await idle.services.close()

    @contextmanager
    def running(self, name: str) -> Iterator[Graph]:
        """Yield a graph for one run, as ``using`` does, but blocking."""
        opened = self._take()
        try:
            yield opened.graphs[name]
        finally:
            for idle in self._released(opened):
                wait_for(idle.services.close())

    async def warm_up(self) -> None:
        """Prepare the first question (``graph.compose.warm_up``)."""
        from graph.compose import warm_up

        services = await asyncio.to_thread(lambda: self.services)
        if isinstance(services.store, MissingIndex):
            raise services.store.error
        await warm_up(services)

    async def close(self) -> None:
        """Close files and connections; the next run opens them again."""
        with self._lock, self._counting:
            closing = [*self._old, *([self._opened] if self._opened else [])]
            self._old, self._opened = [], None
        for opened in closing:
            await opened.services.close()

    def _take(self) -> Opened:
        self._look()
        with self._lock:
            opened = self._current()
            with self._counting:
                opened.users += 1
            return opened

    def _released(self, opened: Opened) -> list[Opened]:
        with self._counting:
            opened.users -= 1
            idle = [old for old in self._old if not old.users]
            self._old = [old for old in self._old if old.users]
            return idle

    def _over(self, services: "Services", generation: str) -> Opened:
        if self._portable and not isinstance(services.store, MissingIndex):
            services = replace(services, store=PortableStore(services.store))
        opened = Opened(services, generation)
        if self._follows:
            _ = opened.graphs  # An event loop would wait for them later.
        return opened

    def _current(self) -> Opened:
        opened, generation = self._opened, self._generation()
        if opened is None or opened.missing or generation != opened.generation:
            opened = self._opened = self._open(opened, generation)
        return opened

    def _open(self, before: Opened | None, generation: str) -> Opened:
        from graph.compose import open_services

        try:
            services = wait_for(open_services(self.settings, self.profile))
        except (IndexMissing, IndexMismatch, StoreUnavailable) as error:
            return self._without_index(before, generation, error)
        if before is not None:
            with self._counting:
                self._old.append(before)
        # Where it was the first one, opening it has built it.
        return self._over(services, generation or self._generation())

    def _without_index(self, before: Opened | None, generation: str, error: ArticuladoError) -> Opened:
        if before is None:
            from graph.factory import build_services

            with use_locale(self.profile.language):
                services = build_services(self.settings, self.profile, None)
            missing = MissingIndex(error)
            return self._over(replace(services, store=missing, embedder=missing), generation)
        if before.missing:
            before.missing.error = error
        else:
            # What is open goes on serving; the new generation is not tried again.
            logger.error("the new generation of the index cannot be opened: %s", error)
        before.generation = generation
        return before

    def _generation(self) -> str:
        if not (self._follows and self.settings.rag_enabled):
            return ""
        try:
            folder = Generations(self.settings.index_folder).current()
        except ArticuladoError:
            return ""
        return folder.name if folder else ""

    def _look(self) -> None:
        """Copy a new generation from the server, at most once a ``LOOK_INTERVAL``; keep the open one on failure."""
        now = self._clock()
        if (
            not self._follows
            or self.settings.store == "embedded"
            or not self.settings.rag_enabled
            or now - self._looked < LOOK_INTERVAL
        ):
            return
        self._looked = now
        if self._opened is None:
            return  # opening it looks
        try:
            wait_for(bring_up_to_date(self.settings, self.profile.name))
        except ArticuladoError as error:
            logger.warning("the server cannot be asked for a new generation of the index: %s", error)


@cache
def configured_graphs() -> OpenGraphs:
    settings = Settings.read()
    return OpenGraphs(settings, load_profile(settings.profile))
