"""Entries in, a generation of the index out: fit or call the embedder, encode what is new, write, describe."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from ingestion.indexing.encoding import Encode, encoded, offline_encoder, provider_encoder
from ingestion.indexing.entries import Entry
from ingestion.indexing.lessons import lessons_of
from ingestion.indexing.vector_journal import VectorJournal
from services.container import IngestServices
from services.domain.base import Field
from services.domain.lexicon import Lexicon
from services.domain.spanish_law import SPANISH_LAW
from services.factory import CHUNKER, expected_fingerprints
from services.offline.encoder.encoder import DualEncoder, packaged_encoder
from services.profile.profile import Profile
from services.settings import Settings
from services.store.builder import IndexBuilder, digest
from services.store.manifest import Description, Index

STEP = "Indexando fragmentos"

Progress = Callable[[str, int, int], None]
"""Told the step ("vectores"), what is done and what there is to do: 0 where a step cannot count."""


@dataclass(frozen=True)
class Written:
    """Points of an index that a build has written, and those that it has deleted."""

    written: int
    deleted: int


async def write_entries(
    builder: IndexBuilder,
    entries: Sequence[Entry],
    services: IngestServices,
    *,
    base: Index | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Written:
    """Write the entries of a generation. With ``base``, only what differs from it; its models are kept.

    Raises:
        ModelError: the provider of the embedder failed for good; vectors that it has computed are kept for next time.
    """
    held = await builder.continue_from(base) if base else {}
    new = [entry for entry in entries if held.get(entry.chunk["id"]) != digest(entry.chunk)]
    gone = set(held).difference(entry.chunk["id"] for entry in entries)
    await builder.remove(gone)
    async with AsyncExitStack() as stack:
        encode = await _encoder(builder, entries, new, services, stack, fit=base is None, progress=progress)
        done = 0
        async for batch in encoded(new, encode, services.settings.ingest_workers):
            await builder.add([entry.chunk for entry in batch.entries], batch.dense, batch.sparse)
            done += len(batch.entries)
            progress(STEP, done, len(new))
    return Written(len(new), len(gone))


async def _encoder(
    builder: IndexBuilder,
    entries: Sequence[Entry],
    new: Sequence[Entry],
    services: IngestServices,
    stack: AsyncExitStack,
    *,
    fit: bool,
    progress: Progress,
) -> Encode:
    """Return what encodes the new entries; where the index begins anew, its models are made from all."""
    settings, profile, field = services.settings, services.profile, services.field
    # Before there is anything to fit: a key may be missing.
    embedder = services.embedder() if services.embedder else None
    if fit:
        progress("Analizando el vocabulario", 0, 0)
        # What is searched for cases alone does not tell how rare a word is in what questions are answered from.
        left_out = set(profile.names) - set(profile.for_questions or profile.names)
        texts = (entry.sparse for entry in entries if entry.sparse and entry.chunk["collection"] not in left_out)
        Lexicon.build(texts, field.stems).save(builder.models)
        # With a provider's embedder, too: the reranker asks it how near a question and a provision are.
        await asyncio.to_thread(_save_encoder, entries, field, settings.offline_dimensions, builder.models)
    if embedder is None:
        return await offline_encoder(builder.models, field, len(new), settings.ingest_workers, stack)
    journal = stack.enter_context(VectorJournal(settings.home / "vectors.sqlite"))
    return provider_encoder(embedder, field, journal)


def _save_encoder(entries: Sequence[Entry], field: Field, dimensions: int, models: Path) -> None:
    """Write the encoder of an index: a copy of the packaged one, or one that is taught its texts."""
    if field is SPANISH_LAW:
        # A copy, so that an index goes on being searched by the encoder that it was made with.
        packaged_encoder(dimensions).save(models)
    else:
        DualEncoder.fit(lessons_of(entries), dimensions, field).save(models)


def describe(
    settings: Settings,
    profile: Profile,
    *,
    source: str,
    documents: dict[str, int],
    chunker: str = CHUNKER,
    demo: bool = False,
) -> Description:
    """Return what the manifest of an index says of it."""
    return Description(
        fingerprints=expected_fingerprints(settings, profile, chunker),
        profile=profile.name,
        language=profile.language,
        source=source,
        documents=documents,
        demo=demo,
    )
