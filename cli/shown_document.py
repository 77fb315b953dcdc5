"""A ruling, a guide or any other running text as ``articulado show`` shows it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from typing_extensions import TypedDict

from cli.render import clean, print_indented
from services.protocols import ChunkStore

if TYPE_CHECKING:
    from services.settings import Settings


class ShownDocument(TypedDict):
    """A document whole. ``published`` is ISO 8601; ``text`` joins its parts, in order, with blank lines."""

    law_id: str
    name: str
    title: str
    collection: str
    published: str | None
    status_note: str
    text: str
    url: str
    chunk_ids: list[int]


def document_named(settings: "Settings", text: str) -> str:
    """Return the id of the document of the index that goes by its id (an ECLI), title, path or file name; else ""."""
    from ingestion.base import open_base
    from ingestion.catalog import read_catalog

    if not (settings.rag_enabled and (served := open_base(settings))):
        return ""
    wanted = text.strip().casefold()
    for source in read_catalog(served.folder).sources:
        files = [file["path"] for file in source["files"]]
        # What goes by its path is no law: those have provisions, and are read as references.
        if source["identity"] in files:
            names = (source["law_id"], source["title"], *files, *(Path(file).name for file in files))
            if wanted in map(str.casefold, names):
                return source["law_id"]
    return ""


async def shown_document(store: ChunkStore, document: str) -> ShownDocument | None:
    """Put a document together from its parts; ``None`` where the store has none of this id."""
    # Each part has a key of its own (``document_chunks``).
    first = await store.find(document, f"{document}#1")
    if not first:
        return None
    numbers = range(2, first[0]["parts"] + 1)
    others = await asyncio.gather(*(store.find(document, f"{document}#{number}") for number in numbers))
    parts = [first[0], *(part for found in others for part in found[:1])]
    head = first[0]
    return {
        "law_id": document,
        "name": head["law_name"],
        "title": head["title"],
        "collection": head["collection"],
        "published": head["valid_from"],
        "status_note": head["status_note"],
        "text": "\n\n".join(part["text"] for part in parts),
        "url": head["url"].partition("#page=")[0],
        "chunk_ids": [part["id"] for part in parts],
    }


def print_document(out: Console, found: ShownDocument) -> None:
    """Print a document: heading, date, text, link."""
    out.print(clean(f"{found['name']} ({found['law_id']})"), style="bold", markup=False)
    if found["title"] != found["name"]:
        out.print(clean(found["title"]), style="bold", markup=False)
    if found["published"]:
        out.print(f"Publicado el {found['published']}.", style="dim")
    if found["status_note"]:
        out.print(clean(f"Nota: {found['status_note']}"), style="yellow", markup=False)
    out.print()
    print_indented(out, found["text"], indent=2)
    if found["url"]:
        out.print(Text(f"\n{clean(found['url'])}", style="cyan"), soft_wrap=True)
