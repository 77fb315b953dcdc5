"""The index as the desk reads it: what a text names, which wordings there are, how sure they are."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from articulado.language.translation import translate
from articulado.legal.validity import in_force
from articulado.legal.wordings import Certainty, certainty, tracked_laws
from articulado.retrieval.named import is_tracked
from articulado.retrieval.references import ProvisionRequest, Wording, read_reference, wordings_of
from articulado.values.chunks import Chunk
from articulado.values.errors import InvalidInput, NoResultsFound
from articulado.values.protocols import ChunkStore
from graph.open_graphs import Graph, OpenGraphs

if TYPE_CHECKING:
    from articulado.ingestion.incremental.indexed_laws import IndexedLaw
    from articulado.values.findings import Finding
    from graph.services import Services

_BARE_NUMBER = re.compile(r"\d")
_KEY = re.compile(r"[a-z]+:\S+(?: \S+)*")


@dataclass(frozen=True)
class DeskIndex:
    """The index for one piece of work; ``today`` is the day on which it is asked."""

    opened: OpenGraphs
    services: "Services"
    graphs: Mapping[str, Graph]
    today: date

    @classmethod
    @asynccontextmanager
    async def held(cls, opened: OpenGraphs, today: Callable[[], date]) -> AsyncIterator["DeskIndex"]:
        """Hold the index and the graphs over it for one piece of work.

        Raises:
            ArticuladoError: a setting or a provider is not usable.
        """
        async with opened.holding() as current:
            yield cls(opened, current.services, current.graphs, today())

    @property
    def store(self) -> ChunkStore:
        """What answers questions: the index, or the packaged records where retrieval is switched off."""
        return self.services.store if self.opened.settings.rag_enabled else self.services.records

    @property
    def day(self) -> str | None:
        """The day on which it was built (ISO 8601)."""
        return iso(self.services.index_day)

    def day_of(self, day: date | None) -> str:
        """Return the day that is asked for, today without one (ISO 8601)."""
        return (day or self.today).isoformat()

    async def asked(self, law: str, label: str) -> ProvisionRequest:
        """Return the provision that a law and a label name; a law that is not known is no law by default.

        Raises:
            InvalidInput: no law or provision is named.
        """
        # As citations name them: documents that are no norms have identifiers and keys that nobody would read.
        if await self.services.store.find(law, label):
            return ProvisionRequest(law, label)
        try:
            named = await self.read(law)
        except InvalidInput as error:
            raise InvalidInput(translate("desk.no_law", written=law)) from error
        if named.provision_key:
            raise InvalidInput(translate("desk.no_law", written=law))
        if _KEY.fullmatch(label):
            return ProvisionRequest(named.law_id, label)
        written = f"art. {label}" if _BARE_NUMBER.match(label) else label
        asked = await self.read(f"{written} {named.law_id}")
        if not asked.provision_key:
            raise InvalidInput(translate("desk.no_provision", written=label))
        return asked

    async def read(self, text: str) -> ProvisionRequest:
        """Return the first provision, or the law, that a text names.

        Raises:
            InvalidInput: it names neither.
        """
        profile = self.opened.profile
        reference = await asyncio.to_thread(
            partial(
                read_reference,
                text,
                profile.default_law,
                self.today,
                spanish_law=profile.features.spanish_law,
                indexed=self.services.laws,
            )
        )
        return reference.provisions[0]

    async def wordings(self, asked: ProvisionRequest) -> list[Wording]:
        """Return the wordings of a provision, the oldest first; none where the index does not have it."""
        return wordings_of(await self.services.store.find(asked.law_id, asked.provision_key))

    async def certainties(self, chunks: Iterable[Chunk], day: date | None) -> list[Certainty]:
        """Return how sure each wording is that of a day; of today it is what the index has."""
        wordings = list(chunks)
        if day is None:
            return ["sure" if chunk["source"] == "official" else "unknown" for chunk in wordings]
        told = tracked_laws(wordings)
        others = {chunk["law_id"] for chunk in wordings if chunk["source"] == "official"} - told
        tracked = told | {law_id for law_id in others if await is_tracked(self.store, law_id)}
        return [certainty(chunk, day, tracked) for chunk in wordings]

    async def certainty(self, chunk: Chunk, day: date | None) -> Certainty:
        """Return how sure a wording is that of a day, as ``certainties`` does."""
        [only] = await self.certainties([chunk], day)
        return only

    def in_force(self, chunk: Chunk, day: date | None) -> bool:
        """Tell whether a wording is law on a day; without one, whether it still is."""
        return in_force(chunk, day, self.today)

    async def law(self, law_id: str) -> "IndexedLaw | None":
        """Return what the index has of a law; ``None`` where it does not have it."""
        from articulado.ingestion.incremental.base import IndexBase
        from articulado.ingestion.incremental.indexed_laws import indexed_law

        base = IndexBase(self.opened.settings, self.opened.profile)
        return await asyncio.to_thread(indexed_law, base, law_id)

    async def law_count(self) -> int:
        """Return how many laws the index has."""
        from articulado.ingestion.incremental.base import IndexBase
        from articulado.ingestion.incremental.indexed_laws import indexed_laws

        base = IndexBase(self.opened.settings, self.opened.profile)
        return len(await asyncio.to_thread(indexed_laws, base))

    async def missing(self, asked: ProvisionRequest) -> NoResultsFound:
        """Return the error that says why a provision is not in the index, and what is."""
        from articulado.ingestion.incremental.base import IndexBase
        from articulado.ingestion.incremental.indexed_laws import why_missing

        base = IndexBase(self.opened.settings, self.opened.profile)
        return NoResultsFound(await asyncio.to_thread(why_missing, base, asked))

    async def findings(self, item: Mapping[str, Any], day: date | None) -> "list[Finding]":
        """Return what is wrong with an answer by the texts that it was written from.

        Raises:
            InvalidInput: a field is missing or of another type.
        """
        from articulado.verification.checks import findings_of, read_item
        from articulado.verification.citations import look_up

        answer = read_item(1, translate("desk.item"), item).answer
        known = await look_up(answer, self.services.store, day, self.today)
        return await asyncio.to_thread(partial(findings_of, answer, known, self.opened.profile.language))


def iso(day: date | None) -> str | None:
    """Return a day in ISO 8601; ``None`` where there is none."""
    return day.isoformat() if day else None
