"""Determine the documents of the new index, from the present documents and the request."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.ingestion.bundled import article_named
from articulado.ingestion.files.header import is_article
from articulado.ingestion.first_index import how_to_remove, nothing_to_renew
from articulado.ingestion.incremental.base import IndexBase, code_digest, key_of, profile_digest
from articulado.ingestion.incremental.catalog import Catalog
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.index_models import CHUNKER
from articulado.ingestion.sources import absolute, by_age, is_loose, source_files
from articulado.language.translation import translate
from articulado.legal.laws.mentions import find_law
from articulado.values.documents import Failure, IngestRequest, SkippedFiles, Source, SourceFile
from articulado.values.errors import InvalidInput
from state.ingest import IngestState

MAX_NAMED = 8


class Discovered(TypedDict):
    """The draft of the index, and the generation that it is compared with."""

    base: str
    with_packaged: bool
    draft: str
    removed: list[str]
    skipped: list[SkippedFiles]
    failures: list[Failure]


class DiscoverUpdate(Discovered):
    """The same, with ``rebuild`` added to the request if the server has lost collections."""

    request: IngestRequest
    warnings: list[str]


async def discover(state: IngestState, runtime: Runtime[None], *, base: IndexBase) -> DiscoverUpdate:
    """Group the requested files and those of the indexed documents by document.

    A document is removed on request, or if all its files have vanished from the requested folders. Reads ``request``,
    ``downloaded``, ``undelivered`` and ``warnings``.
    """
    await base.bring_up_to_date(rebuild=bool(state["request"].get("rebuild")))
    request, warnings = state["request"], list(state["warnings"])
    if lost := await base.lost_collections():
        request = {**request, "rebuild": True}
        warnings.append(translate("ingest.collections_lost", names=", ".join(lost)))
    discovered = await asyncio.to_thread(_discover, state, request, base)
    return {**discovered, "request": request, "warnings": warnings}


def _discover(state: IngestState, request: IngestRequest, base: IndexBase) -> Discovered:
    packaged = request.get("packaged")
    renewal = not set(request) - {"confirmed", "rebuild", "refresh", "packaged", "accept_shrunk"}
    if renewal and not base.is_ingested():
        raise InvalidInput(nothing_to_renew(base))
    served = base.generation()
    file = base.begin_draft(request)
    try:
        with Draft(file) as draft:
            gone = _to_remove(request.get("remove", []), draft, base)
            files, failures, skipped = source_files(request.get("paths", []))
            draft.drop_files(_unwanted(draft, gone, request, failures))
            draft.put_files([*files, *state["downloaded"]])
            made_with = code_digest(), _cutting(base), profile_digest(base.profile)
            draft.plan(_source(_in_order(group), draft, made_with) for group in draft.groups())
            removed = _removed(draft)
            failures = [*state["undelivered"], *failures]
            # What is left of an index when all its documents are out is what the profile brings along.
            nothing_came = bool(request.get("paths")) and not (files or state["downloaded"] or gone)
            if not renewal and not removed and (nothing_came or not draft.planned_count()):
                _refuse(failures)
            with_packaged = draft.packaged if packaged is None else packaged
    except BaseException:
        base.discard_draft(file.name)
        raise
    return {
        "base": served.name if served else "",
        "with_packaged": with_packaged,
        "draft": file.name,
        "removed": removed,
        "skipped": skipped,
        "failures": failures,
    }


def _unwanted(draft: Draft, gone: set[str], request: IngestRequest, failures: Sequence[Failure]) -> Iterator[str]:
    """Yield indexed files that were removed by request or have vanished from a readable folder of the request."""
    folders = tuple(_as_prefix(absolute(path)) for path in request.get("paths", []))
    unreadable = tuple(_as_prefix(absolute(failure["source"])) for failure in failures)
    for path, identity in draft.paths():
        below = _as_prefix(path).startswith(folders) and not _as_prefix(path).startswith(unreadable)
        if below or identity in gone or path in gone:
            yield path


def _as_prefix(path: str) -> str:
    return path.rstrip(os.sep) + os.sep


def _removed(draft: Draft) -> list[str]:
    planned = {identity for _, source in draft.planned() for identity in [source["identity"]]}
    return [
        source["title"]
        for source in draft.sources()
        if source["identity"] not in planned
        and not any(draft.has_file(file["path"]) for file in source["files"] if is_loose(file))
    ]


def _cutting(base: IndexBase) -> str:
    """Return the fingerprint on which cuts of running text depend: a provider's embedder, or none offline."""
    return base.fingerprints.embedder if base.settings.embedder.provider != "offline" else "offline"


def _in_order(files: list[SourceFile]) -> list[SourceFile]:
    return sorted(files, key=lambda file: is_loose(file) and not os.path.exists(file["path"]))


def _source(files: list[SourceFile], draft: Draft, made_with: tuple[str, str, str]) -> Source:
    code, cutting, profile = made_with
    first, identity = files[0], files[0]["identity"]
    # What is no law is cut by meaning, and leads to its file, by its path; a law is the same wherever it lies.
    own = [(first["path"], profile if is_article(first["path"]) else cutting)] if is_loose(first) else []
    staged = key_of(CHUNKER, code, identity, own, _digests(files))
    before = draft.source_named(identity)
    if before is not None and before["identity"] == identity and before["staged"] == staged:
        return {**before, "files": files}
    return {
        "identity": identity,
        "collection": "",
        "law_id": "",
        "title": "",
        "files": files,
        "staged": staged,
        "provisions": 0,
        "parents": 0,
        "skipped": [],
    }


def _digests(files: Sequence[SourceFile]) -> list[str]:
    if is_loose(files[0]):
        return [files[0]["digest"]]
    digests = {file["path"]: file["digest"] for file in files}
    return list(dict.fromkeys(digests[str(path)] for path in reversed(by_age([Path(path) for path in digests]))))


def _to_remove(names: Iterable[str], catalog: Catalog, base: IndexBase) -> set[str]:
    gone: set[str] = set()
    for name in names:
        spellings = dict.fromkeys([name.strip(), name.strip().upper(), absolute(name)])
        sources = [catalog.source_named(spelling) or catalog.source_of(spelling) for spelling in spellings]
        # A name inside a path ("guia del Estatuto.txt") is none.
        if not any(sources) and (law := find_law(name)) and not Path(name).suffix and os.sep not in name:
            sources = [catalog.source_of(law.id)]
        if not any(sources) and (article := article_named(base.profile, name)):
            raise InvalidInput(how_to_remove(article, base))
        if not any(sources):
            documents = sorted(source["law_id"] for source in catalog.sources())
            known = ", ".join(documents[:MAX_NAMED]) or translate("system.none")
            more = "…" if len(documents) > MAX_NAMED else ""
            raise InvalidInput(translate("ingest.not_indexed", name=name, known=known, more=more))
        for source in filter(None, sources):
            gone.update((source["identity"], *(file["path"] for file in source["files"])))
    return gone


def _refuse(failures: list[Failure]) -> None:
    reasons = "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures) or translate(
        "ingest.no_documents"
    )
    raise InvalidInput(translate("ingest.nothing_read", reasons=reasons))
