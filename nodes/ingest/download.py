"""Bring laws from the official gazette: those named, those of a query, those that are indexed and may have changed."""

import asyncio
from collections.abc import Callable
from datetime import date
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.incremental.base import IndexBase
from ingestion.sources import BOE, source_file
from language.current import say
from nodes.stage import progress_of
from services.boe.client import BoeClient
from state.errors import InvalidInput, SourceUnavailable
from state.ingest import Failure, IngestState, Listing, SourceFile

STEP = "Descargando del BOE"


class DownloadUpdate(TypedDict):
    """The files of the laws, and what could not be brought."""

    downloaded: list[SourceFile]
    undelivered: list[Failure]
    warnings: list[str]


async def download(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, boe: Callable[[], BoeClient]
) -> DownloadUpdate:
    """Download each law that has changed since the copy that is kept, one after another.

    What the gazette does not have is left out and told. When it does not answer, what is left is not asked for.

    Raises:
        InvalidInput: the query finds nothing, or the gazette does not understand it.
        SourceUnavailable: the gazette cannot be asked, and nothing else is to be done.
    """
    request = state["request"]
    failures: list[Failure] = []
    warnings = list(state["warnings"])
    files: list[SourceFile] = []
    progress = progress_of(runtime)
    async with boe() as gazette:
        law_ids = dict.fromkeys(name.strip() for name in request.get("boe", []))
        if request.get("refresh"):
            law_ids |= dict.fromkeys(await asyncio.to_thread(_indexed_laws, base))
        if listing := request.get("listing"):
            law_ids |= dict.fromkeys(await _listed(gazette, listing))
        unreachable = ""
        for done, law_id in enumerate(law_ids, start=1):
            try:
                if unreachable:
                    raise SourceUnavailable(unreachable)
                law = await gazette.law(law_id)
            except InvalidInput as error:
                failures.append({"source": law_id, "reason": str(error)})
            except SourceUnavailable as error:
                unreachable = str(error)
                failures.append({"source": law_id, "reason": unreachable})
            else:
                files.append(await asyncio.to_thread(source_file, Path(law.path), f"{BOE}:{law_id}"))
                warnings += [law.warning] if law.warning else []
            progress(STEP, done, len(law_ids))
    if unreachable and not files and not (request.get("paths") or request.get("remove")):
        raise SourceUnavailable(unreachable)
    return {"downloaded": files, "undelivered": failures, "warnings": warnings}


async def _listed(boe: BoeClient, listing: Listing) -> list[str]:
    """Return the ids of the laws that a query finds."""
    laws = await boe.search(
        materia=listing.get("materia", ""),
        query=listing.get("query", ""),
        since=_day(listing.get("since")),
        until=_day(listing.get("until")),
        limit=listing.get("limit"),
    )
    if not laws:
        raise InvalidInput(say("ingest.no_law_listed"))
    return [law.id for law in laws]


def _day(written: str | None) -> date | None:
    try:
        return date.fromisoformat(written) if written else None
    except ValueError as error:
        raise InvalidInput(say("ingest.no_date", written=written)) from error


def _indexed_laws(base: IndexBase) -> list[str]:
    """Return the ids of the laws of the index that came from the gazette."""
    sources = base.catalog({}).sources
    return [
        source["law_id"] for source in sources if any(file["root"].startswith(BOE + ":") for file in source["files"])
    ]
