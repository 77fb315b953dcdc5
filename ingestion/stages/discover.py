"""Tell which documents the index is to hold, and begin from what it holds already."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path

from typing_extensions import TypedDict

from ingestion.base import open_base
from ingestion.catalog import read_catalog
from ingestion.sources import source_files
from ingestion.workspace import key_of
from legal.laws import find_law
from services.errors import InvalidInput
from services.factory import CHUNKER, expected_fingerprints
from services.settings import Settings
from state.ingest import Failure, IngestState, Source, SourceFile

READING = "1"
"""Changes when the same files would be read in another way."""


class DiscoverUpdate(TypedDict):
    """The documents, and what they are compared with."""

    base: str
    sources: list[Source]
    removed: list[str]
    failures: list[Failure]


async def discover(state: IngestState, *, settings: Settings) -> DiscoverUpdate:
    """Group the files that were named, and those of the index's other documents, by document.

    A document stays as it is while none of its files has changed. It goes where it is to be removed, or where all of
    its files have vanished from the folders named. What cannot be read now keeps its place.

    Raises:
        InvalidInput: a document to remove is not in the index.
        IndexMismatch: the catalogue of the index cannot be read.
    """
    return await asyncio.to_thread(_discover, state, settings)


def _discover(state: IngestState, settings: Settings) -> DiscoverUpdate:
    request = state["request"]
    served = open_base(settings)
    known = {source["identity"]: source for source in read_catalog(served.folder).sources} if served else {}
    found, failures = source_files(request.get("paths", []))
    found += state["downloaded"]
    gone = _to_remove(request.get("remove", []), known.values())
    roots = {file["root"] for file in found} | {_absolute(path) for path in request.get("paths", [])}
    failed = tuple(_absolute(failure["source"]) for failure in failures)
    kept = [
        file
        for source in known.values()
        if source["identity"] not in gone
        for file in source["files"]
        if file["root"] not in roots or any(Path(file["path"]).is_relative_to(path) for path in failed)
    ]
    groups: dict[str, dict[str, SourceFile]] = {}
    for file in [*kept, *found]:
        groups.setdefault(file["identity"], {})[file["path"]] = file
    cutting = _cutting(settings)
    sources = [_source(identity, list(files.values()), known, cutting) for identity, files in groups.items()]
    removed = [source["title"] for source in known.values() if source["identity"] not in groups]
    if not sources and not removed:
        _refuse([*state["failures"], *failures])
    return {
        "base": served.folder.name if served else "",
        "sources": sources,
        "removed": removed,
        "failures": [*state["failures"], *failures],
    }


def _cutting(settings: Settings) -> str:
    """Return what decides where running text is cut: a provider's embedder, or offline the text alone."""
    return expected_fingerprints(settings).embedder if settings.embedder.provider != "offline" else "offline"


def _source(identity: str, files: list[SourceFile], known: Mapping[str, Source], cutting: str) -> Source:
    """Return a document; one that is known and unchanged as it is."""
    # What is no law is cut by meaning, and leads to its file, by its path; a law is the same wherever it lies.
    own = [(file["path"], cutting) for file in files if file["identity"] == file["path"]]
    staged = key_of(READING, CHUNKER, identity, own, sorted(file["digest"] for file in files))
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


def _to_remove(names: Iterable[str], known: Iterable[Source]) -> set[str]:
    """Return the identities of the documents that are to go, each named by its identifier, a name or its file."""
    documents = list(known)
    gone = set()
    for name in names:
        law = find_law(name)
        wanted = {name.strip(), law.id if law else "", _absolute(name)}
        matches = [one["identity"] for one in documents if {one["identity"], one["law_id"]} & wanted]
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


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
