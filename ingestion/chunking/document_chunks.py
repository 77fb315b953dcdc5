"""Turn a document into chunks: one for each part of its text that is about one subject."""

from hashlib import blake2b

from articulado.language.languages import Language, language
from articulado.language.table_text import with_heads
from articulado.legal.agreements.names import agreement_name
from articulado.legal.ids import chunk_id
from articulado.store.records.chunks import DECISION_RANK
from articulado.values.chunks import Chunk
from ingestion.chunking.semantic import Embed, semantic_spans
from ingestion.files.running_text import running_text
from ingestion.model import Document

_DOCTRINE = ("sentencia", "criterio")


async def document_chunks(document: Document, embed: Embed, code: str = "es") -> list[Chunk]:
    """Return the chunks of a document in order, parts named in a language (ISO 639-1); ``refs`` are still empty.

    A part is named by the number of the ruling or criterion, else by the pages on which it stands, else by its own
    number. Each has a provision key of its own: a part that is found does not bring all the others with it.
    """
    running = running_text(document.pages)
    spans = await semantic_spans(running.text, embed)
    chunks: list[Chunk] = []
    locale = language(code)
    texts = with_heads(running.text, spans)
    for number, ((start, end), text) in enumerate(zip(spans, texts, strict=True), 1):
        page = running.page_at(start)
        pages = _pages(page, running.page_at(end - 1), locale)
        key = f"{document.id}#{number}"
        name = document.number or pages or locale.translate("part_number", number=number)
        attributes = {"ecli": document.ecli, "page": "" if page is None else str(page)}
        chunks.append(
            {
                "id": chunk_id(document.collection, document.id, key, document.published, number),
                "collection": document.collection,
                "law_id": document.id,
                "law_name": document.author or _name(document),
                "rank": DECISION_RANK,
                "kind": document.kind,
                "provision": name,
                "provision_key": key,
                "title": document.title,
                "breadcrumb": document.title,
                "summary": "",
                "text": text,
                "part": number,
                "parts": len(spans),
                "parent_id": None,
                "parent_content": "",
                "strategy": "semantic",
                "refs": [],
                "valid_from": document.published,
                "valid_to": None,
                "status": "vigente",
                "status_note": document.status_note,
                "wording": {},
                "notes": [],
                "territory_ccaa": document.territory,
                "territory_municipio": document.municipality,
                "chunk_type": "doctrine" if document.kind in _DOCTRINE else "document",
                "tier": "",
                "topic": "",
                "attributes": {field: value for field, value in attributes.items() if value},
                "url": f"{document.url}#page={page}" if document.url and page is not None else document.url,
                "content_hash": _content_hash(document, name, text),
                "source": "official",
            }
        )
        if document.agreement:
            chunks[-1]["agreement"] = document.agreement
    return chunks


def _name(document: Document) -> str:
    return agreement_name(document.agreement, document.title) if document.agreement else document.title


def _pages(first: int | None, last: int | None, locale: Language) -> str:
    """Return the pages on which a part stands; empty where the document has none."""
    if first is None:
        return ""
    if last in (None, first):
        return locale.translate("part_page", page=first)
    return locale.translate("part_pages", first=first, last=last)


def _content_hash(document: Document, name: str, text: str) -> str:
    content = "\x1f".join((name, document.title, document.author, text))
    return blake2b(content.encode(), digest_size=16).hexdigest()
