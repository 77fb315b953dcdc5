"""Read documents in processes with limits: no file can stop the ingest of the others."""

from collections.abc import Sequence
from pathlib import Path

from articulado.values.documents import Source
from articulado.values.protocols import Vector
from ingestion.editions import is_loose
from ingestion.incremental.workspace import Staged
from ingestion.indexing.models import IndexModels
from ingestion.reading import read_files, staged_document
from services.bounded.worker import workers


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

    from ingestion.chunking.document_chunks import document_chunks

    assert models.embedder is not None
    embedder = models.embedder()

    async def embed(texts: Sequence[str]) -> Sequence[Vector]:
        return (await embedder.embed_documents(texts)).vectors

    return staged_document(read, await document_chunks(read, embed, models.profile.language))
