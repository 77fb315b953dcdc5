"""A ruling, a guide, an article or any other text without provisions as ``articulado show`` shows it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from typing_extensions import TypedDict

from articulado.legal.labels import provision_key
from articulado.prompting.notes import whole_note
from articulado.values.articles import details_of
from articulado.values.chunks import Agreement
from articulado.values.protocols import ChunkStore
from cli.render import clean, print_indented
from cli.show.scope import print_scope

if TYPE_CHECKING:
    from articulado.ingestion.incremental.base import IndexBase


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
    agreement: Agreement | None
    chunk_ids: list[int]


def find_documents(base: "IndexBase", text: str) -> list[str]:
    """Return the ids of what goes by its id (an ECLI), title, path or file name, or by the name of an agreement.

    Those are documents of the index, or an article that the profile brings along, which may not be in the index yet.
    """
    from articulado.ingestion.bundled import article_named

    named = [law_id for name, law_id in _document_names(base) if name == text.strip().casefold()]
    if named:
        return list(dict.fromkeys(named))
    article = article_named(base.profile, text)
    return [article.id] if article else []


def find_provision(base: "IndexBase", text: str) -> tuple[list[str], str]:
    """Return the documents that "art. 5 convenio.txt" or "art. 5 del convenio del metal" names, and the provision.

    So too the norm of "Preámbulo BOE-A-2019-1", where it has a provision of that very name.

    The key of the provision is empty where none is named.
    """
    from articulado.ingestion.incremental.indexed_laws import indexed_law
    from articulado.language.folding import fold
    from articulado.legal.ids import BOE_ID_TYPED, boe_id
    from articulado.retrieval.agreements import applicable, without_agreement_names
    from articulado.store.layout import load_agreements

    written = text.strip()
    endings = [(name, law_id) for name, law_id in _document_names(base) if written.casefold().endswith(f" {name}")]
    longest = max((len(name) for name, _ in endings), default=0)
    if endings:
        ids = [law_id for name, law_id in endings if len(name) == longest]
        return list(dict.fromkeys(ids)), provision_key(written[:-longest].strip(" ,").removesuffix(" de")) or ""
    if (identifier := BOE_ID_TYPED.search(written)) and (law := indexed_law(base, boe_id(identifier[0]))):
        # What has no number goes by its name: "Preámbulo BOE-A-2019-1".
        label = fold(BOE_ID_TYPED.sub(" ", written)).strip(" ,")
        if keys := [key for key, own in law.labels.items() if fold(own) == label]:
            return [law.law_id], keys[0]
    index = base.open() if base.settings.rag_enabled else None
    applying = applicable(text, [], load_agreements(index.folder), None) if index else None
    if applying is None or not applying.named:
        return [], ""
    rest = without_agreement_names(text, applying.names)
    return list(applying.named), provision_key(rest) or ""


def _document_names(base: "IndexBase") -> list[tuple[str, str]]:
    """Return the names of the documents of the index that came from files of their own, in small letters, with ids."""
    from articulado.ingestion.incremental.catalog import Catalog, read_catalog
    from articulado.store.layout import load_agreements

    index = base.open() if base.settings.rag_enabled else None
    names: list[tuple[str, str]] = []
    with read_catalog(index.folder) if index else Catalog.empty() as catalog:
        for source in catalog.sources():
            files = [file["path"] for file in source["files"]]
            # What goes by its path is no law: those have provisions, and are read as references.
            if source["identity"] in files:
                own = (source["law_id"], source["title"], *files, *(Path(file).name for file in files))
                names += [(name.casefold(), source["law_id"]) for name in own]
    if index:
        names += [(agreement.name.casefold(), agreement.law_id) for agreement in load_agreements(index.folder)]
    return names


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
        "status_note": whole_note(head),
        "text": "\n\n".join(f"{part['title']}\n{part['text']}" if article else part["text"] for part in parts),
        "url": head["url"].partition("#page=")[0],
        "agreement": head.get("agreement"),
        "chunk_ids": [part["id"] for part in parts],
    }


def print_document(out: Console, detail: DocumentDetail) -> None:
    """Print a document: heading, date, text, link."""
    out.print(clean(f"{detail['name']} ({detail['law_id']})"), style="bold", markup=False)
    if detail["title"] not in ("", detail["name"]):
        out.print(clean(detail["title"]), style="bold", markup=False)
    if detail["agreement"]:
        print_scope(out, detail["agreement"])
    if detail["published"]:
        out.print(f"Publicado el {detail['published']}.", style="dim")
    if detail["status_note"]:
        out.print(clean(f"Nota: {detail['status_note']}"), style="yellow", markup=False)
    out.print()
    print_indented(out, detail["text"], indent=2)
    if detail["url"]:
        out.print(Text(f"\n{clean(detail['url'])}", style="cyan"), soft_wrap=True)
