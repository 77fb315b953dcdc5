"""Find out which documents the index is to have, beginning from those that it has already."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.bundled import article_named
from ingestion.files.formats.source import is_article
from ingestion.first_index import how_to_remove, nothing_to_renew
from ingestion.incremental.base import IndexBase
from ingestion.incremental.digests import code_digest, profile_digest
from ingestion.incremental.workspace import key_of
from ingestion.sources import absolute, source_files
from language.current import say
from legal.laws.mentions import find_law
from services.factory import CHUNKER
from state.errors import InvalidInput
from state.ingest import Failure, IngestState, Source, SourceFile

MAX_NAMED = 8
"""Documents that a message lists."""


class DiscoverUpdate(TypedDict):
    """The documents, and what they are compared with."""

    base: str
    sources: list[Source]
    removed: list[str]
    failures: list[Failure]


async def discover(state: IngestState, runtime: Runtime[None], *, base: IndexBase) -> DiscoverUpdate:
    """Group the files that were named, and those of the index's other documents, by document.

    Where nothing is named, the documents are those that the index has. A document stays as it is while none of its
    files has changed. It goes where it is to be removed, or where all of its files have vanished from the folders
    named. What cannot be read now keeps its place.

    Raises:
        InvalidInput: a document to remove is not in the index, or belongs to the profile; or nothing is named, and
            nothing was ever ingested.
        IndexMismatch: the catalogue of the index cannot be read.
    """
    return await asyncio.to_thread(_discover, state, base)


def _discover(state: IngestState, base: IndexBase) -> DiscoverUpdate:
    request = state["request"]
    renewal = not set(request) - {"confirmed", "rebuild", "refresh"}
    if renewal and not base.is_ingested():
        raise InvalidInput(nothing_to_renew(base))
    served = base.generation()
    indexed = {source["identity"]: source for source in base.catalog(request).sources}
    files, failures = source_files(request.get("paths", []))
    files += state["downloaded"]
    gone = _to_remove(request.get("remove", []), indexed.values(), base)
    folders = [absolute(path) for path in request.get("paths", [])]
    unreadable = [absolute(failure["source"]) for failure in failures]
    kept = [
        file
        for source in indexed.values()
        if source["identity"] not in gone
        for file in source["files"]
        # What has vanished from a folder that can be read is not wanted any more.
        if not _below(file["path"], folders) or _below(file["path"], unreadable)
    ]
    groups: dict[str, dict[str, SourceFile]] = {}
    for file in [*kept, *files]:
        groups.setdefault(file["identity"], {})[file["path"]] = file
    made_with = code_digest(), _cutting(base), profile_digest(base.profile)
    sources = [_source(identity, list(group.values()), indexed, made_with) for identity, group in groups.items()]
    removed = [source["title"] for source in indexed.values() if source["identity"] not in groups]
    failures = [*state["undelivered"], *failures]
    # What is left of an index when all its documents are out is what the profile brings along.
    if not (sources or removed or renewal):
        _refuse(failures)
    return {"base": served.name if served else "", "sources": sources, "removed": removed, "failures": failures}


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _cutting(base: IndexBase) -> str:
    """Return what decides where running text is cut: a provider's embedder, or offline the text alone."""
    return base.fingerprints.embedder if base.settings.embedder.provider != "offline" else "offline"


def _source(
    identity: str, files: list[SourceFile], indexed: Mapping[str, Source], made_with: tuple[str, str, str]
) -> Source:
    """Return a document; one that is indexed and unchanged as it is.

    ``made_with`` is the code, what cuts running text, and the profile, by which articles are read.
    """
    code, cutting, profile = made_with
    # What is no law is cut by meaning, and leads to its file, by its path; a law is the same wherever it lies.
    loose = [file["path"] for file in files if file["identity"] == file["path"]]
    own = [(path, profile if is_article(path) else cutting) for path in loose]
    staged = key_of(CHUNKER, code, identity, own, sorted(file["digest"] for file in files))
    before = indexed.get(identity)
    if before is not None and before["staged"] == staged:
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


def _to_remove(names: Iterable[str], indexed: Iterable[Source], base: IndexBase) -> set[str]:
    """Return the identities of the documents that are to go, each named by its identifier, a name or its file."""
    documents = list(indexed)
    gone = set()
    for name in names:
        spellings = {name.strip(), name.strip().upper(), absolute(name)}
        matches = [source["identity"] for source in documents if {source["identity"], source["law_id"]} & spellings]
        # A name inside a path ("guia del Estatuto.txt") is none.
        if not matches and (law := find_law(name)) and not Path(name).suffix and os.sep not in name:
            matches = [source["identity"] for source in documents if source["law_id"] == law.id]
        if not matches and (article := article_named(base.profile, name)):
            raise InvalidInput(how_to_remove(article, base))
        if not matches:
            known = ", ".join(sorted(source["law_id"] for source in documents)[:MAX_NAMED]) or say("system.none")
            more = "…" if len(documents) > MAX_NAMED else ""
            raise InvalidInput(say("ingest.not_indexed", name=name, known=known, more=more))
        gone.update(matches)
    return gone


def _refuse(failures: list[Failure]) -> None:
    reasons = "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures) or say(
        "ingest.no_documents"
    )
    raise InvalidInput(say("ingest.nothing_read", reasons=reasons))
