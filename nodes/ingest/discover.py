"""Find out which documents the index is to have, beginning from those that it has already."""

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.bundled import article_named
from ingestion.editions import by_age, is_loose, names_of
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
from state.ingest import Failure, IngestState, SkippedFiles, Source, SourceFile

MAX_NAMED = 8
"""Documents that a message lists."""


class DiscoverUpdate(TypedDict):
    """The documents, and what they are compared with."""

    base: str
    with_packaged: bool
    sources: list[Source]
    removed: list[str]
    skipped: list[SkippedFiles]
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
    packaged = request.get("packaged")
    renewal = not set(request) - {"confirmed", "rebuild", "refresh", "packaged", "accept_shrunk"}
    if renewal and not base.is_ingested():
        raise InvalidInput(nothing_to_renew(base))
    served = base.generation()
    catalog = base.catalog(request)
    indexed = {source["identity"]: source for source in catalog.sources}
    files, failures, skipped = source_files(request.get("paths", []))
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
    groups = _grouped(kept, files)
    made_with = code_digest(), _cutting(base), profile_digest(base.profile)
    sources = [_source(group, indexed, made_with) for group in groups]
    names = {name for source in sources for name in names_of(source)}
    removed = [source["title"] for source in indexed.values() if not names.intersection(names_of(source))]
    failures = [*state["undelivered"], *failures]
    # What is left of an index when all its documents are out is what the profile brings along.
    if not (sources or removed or renewal):
        _refuse(failures)
    return {
        "base": served.name if served else "",
        "with_packaged": catalog.packaged if packaged is None else packaged,
        "sources": sources,
        "removed": removed,
        "skipped": skipped,
        "failures": failures,
    }


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _cutting(base: IndexBase) -> str:
    """Return what decides where running text is cut: a provider's embedder, or offline the text alone."""
    return base.fingerprints.embedder if base.settings.embedder.provider != "offline" else "offline"


def _grouped(kept: Sequence[SourceFile], given: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """Return the files of each document, those of a law in the order in which they were given.

    Loose files of equal content are one document, which is read from the first of them that is still there.
    """
    files = {file["path"]: file for file in (*kept, *given)}
    groups: dict[str, list[SourceFile]] = {}
    for file in files.values():
        groups.setdefault(file["digest"] if is_loose(file) else file["identity"], []).append(file)
    return [
        sorted(group, key=lambda file: is_loose(file) and not os.path.exists(file["path"])) for group in groups.values()
    ]


def _source(files: list[SourceFile], indexed: Mapping[str, Source], made_with: tuple[str, str, str]) -> Source:
    """Return a document; one that is indexed and unchanged as it is.

    ``made_with`` is the code, what cuts running text, and the profile, by which articles are read.
    """
    code, cutting, profile = made_with
    first, identity = files[0], files[0]["identity"]
    # What is no law is cut by meaning, and leads to its file, by its path; a law is the same wherever it lies.
    own = [(first["path"], profile if is_article(first["path"]) else cutting)] if is_loose(first) else []
    staged = key_of(CHUNKER, code, identity, own, _digests(files))
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


def _digests(files: Sequence[SourceFile]) -> list[str]:
    """Return the digests of what a document is read from, the one that counts most first; each once."""
    if is_loose(files[0]):
        return [files[0]["digest"]]
    digests = {file["path"]: file["digest"] for file in files}
    return list(dict.fromkeys(digests[str(path)] for path in reversed(by_age([Path(path) for path in digests]))))


def _to_remove(names: Iterable[str], indexed: Iterable[Source], base: IndexBase) -> set[str]:
    """Return the identities of the documents that are to go, each named by its identifier, a name or its file."""
    documents = list(indexed)
    gone = set()
    for name in names:
        spellings = {name.strip(), name.strip().upper(), absolute(name)}
        matches = [source["identity"] for source in documents if {source["law_id"], *names_of(source)} & spellings]
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
