"""A ruling, a guide, an article or any other text without provisions as ``articulado show`` shows it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from typing_extensions import TypedDict

from cli.render import clean, print_indented
from services.protocols import ChunkStore
from state.articles import details_of

if TYPE_CHECKING:
    from ingestion.incremental.base import IndexBase


class DocumentDetail(TypedDict):
    """A document whole. ``published`` is ISO 8601.

    ``text`` joins its parts, in order, with blank lines; those of an article each below its title.
    """

    law_id: str
    name: str
    title: str
    collection: str
    published: str | None
    status_note: str
    text: str
    url: str
    chunk_ids: list[int]


def find_document(base: "IndexBase", text: str) -> str:
    """Return the id of what goes by its id (an ECLI), title, path or file name; else "".

    That is a document of the index, or an article that the profile brings along, which may not be in the index yet.
    """
    from ingestion.bundled import article_named
    from ingestion.incremental.catalog import read_catalog

    if not base.settings.rag_enabled:
        return ""
    index, name = base.open(), text.strip().casefold()
    for source in read_catalog(index.folder).sources if index else ():
        files = [file["path"] for file in source["files"]]
        # What goes by its path is no law: those have provisions, and are read as references.
        if source["identity"] in files:
            names = (source["law_id"], source["title"], *files, *(Path(file).name for file in files))
            if name in map(str.casefold, names):
                return source["law_id"]
    article = article_named(base.profile, text)
    return article.id if article else ""


async def document_detail(store: ChunkStore, document: str) -> DocumentDetail | None:
    """Put a document together from its parts; ``None`` where the store has none of this id."""
    # Each part has a key of its own (``document_chunks``).
    first = await store.find(document, f"{document}#1")
    if not first:
        return None
    numbers = range(2, first[0]["parts"] + 1)
    others = await asyncio.gather(*(store.find(document, f"{document}#{number}") for number in numbers))
    parts = [first[0], *(part for chunks in others for part in chunks[:1])]
    head = first[0]
    # Each part of an article has a title of its own, and that of the article is its name.
    article = "article_title" in details_of(head)
    return {
        "law_id": document,
        "name": head["law_name"],
        "title": head["law_name"] if article else head["title"],
        "collection": head["collection"],
        "published": head["valid_from"],
        "status_note": head["status_note"],
        "text": "\n\n".join(f"{part['title']}\n{part['text']}" if article else part["text"] for part in parts),
        "url": head["url"].partition("#page=")[0],
        "chunk_ids": [part["id"] for part in parts],
    }


def print_document(out: Console, detail: DocumentDetail) -> None:
    """Print a document: heading, date, text, link."""
    out.print(clean(f"{detail['name']} ({detail['law_id']})"), style="bold", markup=False)
    if detail["title"] != detail["name"]:
        out.print(clean(detail["title"]), style="bold", markup=False)
    if detail["published"]:
        out.print(f"Publicado el {detail['published']}.", style="dim")
    if detail["status_note"]:
        out.print(clean(f"Nota: {detail['status_note']}"), style="yellow", markup=False)
    out.print()
    print_indented(out, detail["text"], indent=2)
    if detail["url"]:
        out.print(Text(f"\n{clean(detail['url'])}", style="cyan"), soft_wrap=True)
