"""Read one document from its files, and cut it into parents: the one place that knows which reader a file needs."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ingestion.articles.chunks import article_collection, cut_article
from ingestion.chunking.law_chunks import law_chunks
from ingestion.files.formats.source import is_article
from ingestion.incremental.workspace import Staged
from ingestion.model import Document, Law
from language.current import say
from legal.laws.registry import known_laws
from services.container import IngestServices
from services.profile.profile import Profile
from services.protocols import Vector
from state.errors import InvalidInput
from state.ingest import Failure, Source

BY_KIND = ("normativa", "sentencias", "criterios_inss", "documentos")
"""The collections of documents by their kind; where a profile lacks one, its documents go with its articles."""


async def read_source(source: Source, services: IngestServices) -> Staged:
    """Read a document: a law from the gazette's own data where there are any, else from its dated texts.

    Raises:
        InvalidInput: none of its files can be read, or its collection is never searched; the message says why.
        ModelError: a provider's embedder, which finds where a running text may be cut, has failed.
    """
    skipped: list[Failure] = []
    files = [Path(file["path"]) for file in source["files"]]
    profile = services.profile
    if is_article(files[0]):
        return await asyncio.to_thread(_read_article, files[0], profile)
    if source["identity"] == source["files"][0]["path"]:
        from ingestion.files.reader import read_document

        document: Law | Document = await asyncio.to_thread(read_document, files[0])
    else:
        document = await asyncio.to_thread(_read_law, files, skipped)
    if document.collection not in profile.names and document.collection in BY_KIND:
        document = replace(document, collection=article_collection(profile))
    if document.collection not in profile.names:
        raise InvalidInput(
            say(
                "ingest.unknown_collection",
                collection=document.collection,
                name=profile.name,
                names=", ".join(profile.names),
            )
        )
    if isinstance(document, Law):
        known = known_laws().get(document.id)
        return Staged(
            collection=document.collection,
            law_id=document.id,
            title=known.short if known else document.title,
            provisions=len({provision.key for provision in document.provisions}),
            parents=await asyncio.to_thread(law_chunks, document),
            interprets=[],
            skipped=skipped,
        )

    from ingestion.chunking.document_chunks import document_chunks

    return Staged(
        collection=document.collection,
        law_id=document.id,
        title=document.title,
        provisions=0,
        parents=await document_chunks(document, _SentenceEmbedder(services), profile.language),
        interprets=list(document.interprets),
        skipped=skipped,
    )


def _read_article(file: Path, profile: Profile) -> Staged:
    article = cut_article(file, profile)
    return Staged(
        collection=article.collection,
        law_id=article.id,
        title=article.title,
        provisions=0,
        parents=article.chunks,
        interprets=[],
        skipped=[],
        spoken=article.lay_phrasings,
    )


def _read_law(files: Sequence[Path], skipped: list[Failure]) -> Law:
    """Read a law; a file that cannot be read, or has the text of a day again, is skipped while another can."""
    official = [file for file in files if file.suffix.lower() == ".xml"]
    if official:
        from ingestion.boe.reader import read_boe

        return read_boe(official[-1])

    from ingestion.history.reforms import read_reforms
    from ingestion.history.snapshots import Snapshot, merge_snapshots, read_snapshot

    by_day: dict[str, tuple[Path, Snapshot]] = {}
    errors: list[InvalidInput] = []
    for file in files:
        try:
            snapshot = read_snapshot(file)
        except InvalidInput as error:
            errors.append(error)
            skipped.append({"source": str(file), "reason": str(error)})
            continue
        first, kept = by_day.setdefault(snapshot.day, (file, snapshot))
        if kept is not snapshot:
            reason = say("ingest.same_law", id=snapshot.law.id, first=first)
            skipped.append({"source": str(file), "reason": reason})
    if not by_day:
        raise errors[0]
    tables = [table for file in files if (table := file.with_name("reforms.tsv")).is_file()]
    reforms = read_reforms(tables[0]) if tables else None
    return merge_snapshots([snapshot for _, snapshot in by_day.values()], reforms)


class _SentenceEmbedder:
    """Embeds the sentences of one document: offline with axes of its own, so that its cuts depend on nothing else."""

    def __init__(self, services: IngestServices) -> None:
        self._services = services

    async def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self._services.embedder is None:
            from ingestion.chunking.semantic import lsa_of

            return await lsa_of(texts, self._services.domain)
        return (await self._services.embedder().embed_documents(texts)).vectors
