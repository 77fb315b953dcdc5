"""Tell which documents the index is to hold, and begin from what it holds already."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.bundled import article_named
from ingestion.files.formats.source import is_article
from ingestion.first_index import brought_along, nothing_to_renew
from ingestion.incremental.base import IndexBase
from ingestion.incremental.digests import code_digest, profile_digest
from ingestion.incremental.workspace import key_of
from ingestion.sources import absolute, source_files
from legal.laws.mentions import find_law
from services.factory import CHUNKER
from state.errors import InvalidInput
from state.ingest import Failure, IngestState, Source, SourceFile


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
    known = {source["identity"]: source for source in base.catalog(request).sources}
    found, failures = source_files(request.get("paths", []))
    found += state["downloaded"]
    gone = _to_remove(request.get("remove", []), known.values(), base)
    named = [absolute(path) for path in request.get("paths", [])]
    failed = [absolute(failure["source"]) for failure in failures]
    kept = [
        file
        for source in known.values()
        if source["identity"] not in gone
        for file in source["files"]
        # What has vanished from a folder that can be read is not wanted any more.
        if not _below(file["path"], named) or _below(file["path"], failed)
    ]
    groups: dict[str, dict[str, SourceFile]] = {}
    for file in [*kept, *found]:
        groups.setdefault(file["identity"], {})[file["path"]] = file
    made = code_digest(), _cutting(base), profile_digest(base.profile)
    sources = [_source(identity, list(files.values()), known, made) for identity, files in groups.items()]
    removed = [source["title"] for source in known.values() if source["identity"] not in groups]
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


def _source(identity: str, files: list[SourceFile], known: Mapping[str, Source], made: tuple[str, str, str]) -> Source:
    """Return a document; one that is known and unchanged as it is.

    ``made`` is the code, what cuts running text, and the profile, which articles are read by.
    """
    code, cutting, profile = made
    # What is no law is cut by meaning, and leads to its file, by its path; a law is the same wherever it lies.
    loose = [file["path"] for file in files if file["identity"] == file["path"]]
    own = [(path, profile if is_article(path) else cutting) for path in loose]
    staged = key_of(CHUNKER, code, identity, own, sorted(file["digest"] for file in files))
    before = known.get(identity)
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


def _to_remove(names: Iterable[str], known: Iterable[Source], base: IndexBase) -> set[str]:
    """Return the identities of the documents that are to go, each named by its identifier, a name or its file."""
    documents = list(known)
    gone = set()
    for name in names:
        wanted = {name.strip(), name.strip().upper(), absolute(name)}
        matches = [one["identity"] for one in documents if {one["identity"], one["law_id"]} & wanted]
        # A name inside a path ("guia del Estatuto.txt") is none.
        if not matches and (law := find_law(name)) and not Path(name).suffix and os.sep not in name:
            matches = [one["identity"] for one in documents if one["law_id"] == law.id]
        if not matches and (article := article_named(base.profile, name)):
            raise InvalidInput(brought_along(article, base))
        if not matches:
            held = ", ".join(sorted(one["law_id"] for one in documents)[:8]) or "ninguno"
            raise InvalidInput(
                f"«{name}» no está entre los documentos del índice ({held}{'…' if len(documents) > 8 else ''}). "
                "No se ha quitado nada."
            )
        gone.update(matches)
    return gone


def _refuse(failures: list[Failure]) -> None:
    reasons = "; ".join(f"{one['source']}: {one['reason']}" for one in failures) or "no hay documentos"
    raise InvalidInput(
        f"No se ha podido leer ningún documento ({reasons}). El índice anterior, si lo hay, sigue en uso."
    )
