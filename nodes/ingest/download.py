"""Download laws from the official gazette (BOE): named laws, results of a query, and updates."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import date

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.ingestion.boe.cache import Shrinkage
from articulado.ingestion.boe.client import BoeClient, RawLaw
from articulado.ingestion.incremental.base import IndexBase
from articulado.ingestion.sources import BOE, source_file
from articulado.language.translation import translate
from articulado.values.documents import Failure, IngestRequest, Listing, ShrunkLaw, SourceFile
from articulado.values.errors import InvalidInput, SourceUnavailable, UnreadableAnswer
from nodes.stage import progress_of
from state.ingest import IngestState

STEP = "Descargando del BOE"


class DownloadUpdate(TypedDict):
    """The files of the laws, the failures, and the counts of the update check."""

    downloaded: list[SourceFile]
    undelivered: list[Failure]
    checked: int
    unchecked: list[str]
    shrunk: list[ShrunkLaw]
    warnings: list[str]


async def download(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, boe: Callable[[], BoeClient]
) -> DownloadUpdate:
    """Download each law that has changed since its stored copy; copies stay in use if the gazette cannot be reached.

    A text that has lost much of its law is reported and not taken, unless the request accepts it. Reads ``request``
    and ``warnings``.

    Raises:
        InvalidInput: the query finds nothing or is invalid.
        SourceUnavailable: the gazette cannot be reached, no copy exists, and the request asks for nothing else.
    """
    request = state["request"]
    progress = progress_of(runtime)
    await base.bring_up_to_date(rebuild=bool(state["request"].get("rebuild")))
    delivery = _Delivery(await asyncio.to_thread(_indexed_laws, base, request))
    async with boe() as gazette:
        wanted = await _due(gazette, delivery) if request.get("refresh") else {}
        if listing := request.get("listing"):
            wanted |= await _listed(gazette, listing)
        wanted |= dict.fromkeys((name.strip() for name in request.get("boe", [])), "")
        accept_shrunk = bool(request.get("accept_shrunk"))
        for done, (law_id, published) in enumerate(wanted.items(), start=1):
            try:
                delivery.take(await gazette.law(law_id, published=published, accept_shrunk=accept_shrunk))
            except InvalidInput as error:
                delivery.failures.append({"source": law_id, "reason": str(error)})
            except SourceUnavailable as error:
                delivery.miss(law_id, error, await gazette.copy(law_id))
            progress(STEP, done, len(wanted))
    nothing_else = not (delivery.laws or delivery.unchecked or request.get("paths") or request.get("remove"))
    if delivery.unavailable and nothing_else:
        raise SourceUnavailable(delivery.unavailable)
    laws = delivery.laws.values()
    return {
        "downloaded": [await asyncio.to_thread(source_file, law.path, f"{BOE}:{law.id}") for law in laws],
        "undelivered": delivery.failures,
        "checked": len(delivery.checked),
        "unchecked": list(delivery.unchecked),
        "shrunk": [_shrunk_law(law.id, law.shrunk) for law in laws if law.shrunk],
        # One reason holds for all that were left: thousands of it are no news.
        "warnings": list(dict.fromkeys([*state["warnings"], *delivery.warnings])),
    }


@dataclass
class _Delivery:
    indexed: Collection[str]
    laws: dict[str, RawLaw] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    unchecked: dict[str, None] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unavailable: str = ""

    def take(self, law: RawLaw) -> None:
        """Add an answered law; a shrunk one keeps its status."""
        self.laws[law.id] = law
        self.unchecked.pop(law.id, None)
        if not law.shrunk:
            self.checked.add(law.id)

    def miss(self, law_id: str, error: SourceUnavailable, copy: RawLaw | None) -> None:
        """Record a law without a readable answer; its ``copy`` is used instead."""
        self.unavailable = str(error)
        if copy:
            self.laws[law_id] = copy
        if not copy and law_id not in self.indexed:
            self.failures.append({"source": law_id, "reason": self.unavailable})
            return
        self.unchecked[law_id] = None
        of_this_law = isinstance(error, UnreadableAnswer)
        self.warnings.append(
            translate("ingest.law_unchecked", law_id=law_id, reason=error) if of_this_law else self.unavailable
        )


async def _due(boe: BoeClient, delivery: _Delivery) -> dict[str, str]:
    """Return the indexed laws to download, none if the list of updates is unavailable; the others are delivered."""
    try:
        due = await boe.due(delivery.indexed)
    except SourceUnavailable as error:
        for law_id in delivery.indexed:
            delivery.miss(law_id, error, await boe.copy(law_id))
        return {}
    for law in due.current:
        delivery.take(law)
    return due.laws


async def _listed(boe: BoeClient, listing: Listing) -> dict[str, str]:
    laws = await boe.search(
        materia=listing.get("materia", ""),
        query=listing.get("query", ""),
        since=_day(listing.get("since")),
        until=_day(listing.get("until")),
        limit=listing.get("limit"),
    )
    if not laws:
        raise InvalidInput(translate("ingest.no_law_listed"))
    return {law.id: law.updated for law in laws}


def _shrunk_law(law_id: str, shrinkage: Shrinkage) -> ShrunkLaw:
    before, after = shrinkage.before, shrinkage.after
    return {
        "law_id": law_id,
        "provisions": before.provisions,
        "provisions_left": after.provisions,
        "wordings": before.wordings,
        "wordings_left": after.wordings,
    }


def _day(written: str | None) -> date | None:
    try:
        return date.fromisoformat(written) if written else None
    except ValueError as error:
        raise InvalidInput(translate("ingest.no_date", written=written)) from error


def _indexed_laws(base: IndexBase, request: IngestRequest) -> Collection[str]:
    with base.catalog(request) as catalog:
        return dict.fromkeys(
            source["law_id"]
            for source in catalog.sources()
            if any(file["root"].startswith(BOE + ":") for file in source["files"])
        )
