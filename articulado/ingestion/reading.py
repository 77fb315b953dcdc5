"""Read one document from its files, and cut it into parent chunks, in a worker process.

This module selects the reader of a file. ``read_files`` runs in the worker process, so imports are local to
each function. ``read_source`` runs in the main process and embeds running text if a provider's embedder is
configured. Both raise ``InvalidInput``.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from articulado.config.profile import Profile
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.files.header import is_article
from articulado.ingestion.incremental.base import Staged
from articulado.ingestion.index_models import IndexModels
from articulado.ingestion.model import Document, Law
from articulado.ingestion.sources import is_loose, text_files
from articulado.ingestion.worker import workers
from articulado.language.translation import translate
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk
from articulado.values.documents import Failure, Source
from articulado.values.errors import InvalidInput
from articulado.values.protocols import Vector

BY_KIND = ("normativa", "sentencias", "criterios_inss", "documentos")
"""The collections of documents by their kind; where a profile lacks one, its documents go with its articles."""


def read_files(files: Sequence[Path], profile: Profile, law: bool, cut: bool) -> Staged | Document:
    """Read the files of one document, and cut it into parents; running text stays whole unless ``cut``.

    ``law`` tells whether the files are texts of one law, read from its newest text and its dated ones; any other
    document is read from the first of equal files.

    Raises:
        InvalidInput: none of the files can be read, or its collection is never searched; the message says why.
    """
    if is_article(files[0]):
        return _read_article(files[0], profile)
    skipped: list[Failure] = []
    if law:
        document: Law | Document = _read_law(files, skipped)
    else:
        from articulado.ingestion.files.reader import read_document

        document = read_document(files[0])
    if document.collection not in profile.names and document.collection in BY_KIND:
        document = replace(document, collection=_article_collection(profile))
    if document.collection not in profile.names:
        raise InvalidInput(
            translate(
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
            parents=law_chunks(document),
            interprets=[],
            skipped=skipped,
            warnings=list(document.warnings),
        )
    return asyncio.run(_cut_offline(document, profile)) if cut else document


def staged_document(document: Document, parents: list[Chunk]) -> Staged:
    """Return running text with the parents that it was cut into, as it is kept."""
    return Staged(
        collection=document.collection,
        law_id=document.id,
        title=document.title,
        provisions=0,
        parents=parents,
        interprets=list(document.interprets),
        skipped=[],
        warnings=list(document.warnings),
    )


async def _cut_offline(document: Document, profile: Profile) -> Staged:
    """Cut running text without a provider, so that its cuts depend on nothing else that is ingested."""
    from articulado.config.profile import domain_of
    from articulado.ingestion.chunking.chunks import document_chunks
    from articulado.ingestion.chunking.semantic import offline_vectors

    embed = partial(offline_vectors, domain=domain_of(profile))
    return staged_document(document, await document_chunks(document, embed, profile.language))


def _article_collection(profile: Profile) -> str:
    from articulado.guides.chunks import article_collection

    return article_collection(profile)


def _read_article(file: Path, profile: Profile) -> Staged:
    from articulado.guides.chunks import cut_article

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
    """Read a law from its newest text; a file that cannot be read is skipped while another can."""
    from articulado.ingestion.boe.reader import read_boe
    from articulado.ingestion.history.wordings import Snapshot, merge_snapshots, read_reforms, read_snapshot

    left, errors = list(files), list[InvalidInput]()
    while left:
        texts = text_files(left)
        snapshots: list[Snapshot] = []
        for file in texts:
            try:
                if file.suffix.lower() == ".xml":  # it stands alone
                    return read_boe(file)
                snapshots.append(read_snapshot(file))
            except InvalidInput as error:
                errors.append(error)
                skipped.append({"source": str(file), "reason": str(error)})
                left.remove(file)
        if len(snapshots) == len(texts):
            tables = [table for file in texts if (table := file.with_name("reforms.tsv")).is_file()]
            return merge_snapshots(snapshots, read_reforms(tables[0]) if tables else None)
    raise errors[0]


async def read_source(source: Source, models: IndexModels) -> Staged:
    """Read a document, and cut it into parents; only what asks a provider for vectors is done here.

    Raises:
        InvalidInput: none of its files can be read, or not within the limits (``ARTICULADO_READ_…``), or its
            collection is never searched; the message says why.
        ModelError: a provider's embedder, which finds where a running text may be cut, has failed.
    """
    files = [Path(file["path"]) for file in source["files"]]
    law = not is_loose(source["files"][0])
    processes = workers(models.settings.read_limits)
    read = await processes.call(read_files, files, models.profile, law, models.embedder is None)
    if isinstance(read, Staged):
        return read

    from articulado.ingestion.chunking.chunks import document_chunks
    from articulado.ingestion.indexing.changes import VectorJournal, vectors_kept

    assert models.embedder is not None
    embedder = models.embedder()

    with VectorJournal(models.settings.home / "vectors.sqlite") as journal:

        async def embed(texts: Sequence[str]) -> Sequence[Vector]:
            kept = await vectors_kept(embedder, journal, texts)
            zero = np.zeros(embedder.dimensions, np.float32)
            return [zero if vector is None else vector for vector in map(kept.get, texts)]

        return staged_document(read, await document_chunks(read, embed, models.profile.language))
