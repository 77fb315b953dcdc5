"""Write a generation of the index from its entries: fit or call the embedder, encode what is new, write, describe."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from ingestion.indexing.encoding import Encode, VectorJournal, encode_batches, offline_encoder, provider_encoder
from ingestion.indexing.entries import Entry
from services.case.matching.guides import asked_in, general_matters
from services.container import IngestServices
from services.domain.lexicon import Lexicon
from services.domain.registry import domain_of
from services.domain.spanish_law import SPANISH_LAW
from services.factory import CHUNKER, expected_fingerprints
from services.offline.encoder.encoder import DualEncoder, TrainingPairs, packaged_encoder
from services.offline.encoder.training import BATCH, EPOCHS
from services.profile.outside import load_outside
from services.profile.profile import Profile
from services.protocols import Progress
from services.settings import Settings
from services.store.builder import IndexBuilder, digest
from services.store.manifest import Description, Index
from state.articles import details_of
from state.chunks import indexed_text

STEP = "Indexando fragmentos"

MIN_STEPS = 10
"""Steps of training for however few questions. Of 191 on 16 articles, a third kept back, fewer leave many of those that
were shown with a wrong article, and more lose those that were not."""


@dataclass(frozen=True)
class WriteCounts:
    """How many points of an index a build has written, and how many it has deleted."""

    written: int
    deleted: int


async def write_entries(
    builder: IndexBuilder,
    entries: Sequence[Entry],
    services: IngestServices,
    *,
    base: Index | None = None,
    progress: Progress = lambda step, done, total: None,
) -> WriteCounts:
    """Write the entries of a generation. With ``base``, only what differs from it; its models are kept.

    Raises:
        ModelError: the provider of the embedder failed for good; vectors that it has computed are kept for next time.
        StoreUnavailable: the disk has no room for what is to be written.
    """
    indexed = await builder.continue_from(base) if base else {}
    new = [entry for entry in entries if indexed.get(entry.chunk["id"]) != digest(entry.chunk)]
    gone = set(indexed).difference(entry.chunk["id"] for entry in entries)
    await builder.remove(gone)
    async with AsyncExitStack() as stack:
        embedder = services.embedder() if services.embedder else None
        dimensions = embedder.dimensions if embedder else services.settings.offline_dimensions
        await builder.require_room([entry.chunk for entry in new], dimensions)
        encode = await _encoder(builder, entries, new, services, stack, fit=base is None, progress=progress)
        done = 0
        async for batch in encode_batches(new, encode, services.settings.ingest_workers):
            await builder.add([entry.chunk for entry in batch.entries], batch.dense, batch.sparse)
            done += len(batch.entries)
            progress(STEP, done, len(new))
    return WriteCounts(len(new), len(gone))


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
    """Return the encoder of the new entries; where ``fit``, the models of the index are made from all entries first."""
    settings, profile, domain = services.settings, services.profile, services.domain
    # Before there is anything to fit: a key may be missing.
    embedder = services.embedder() if services.embedder else None
    if fit:
        progress("Analizando el vocabulario", 0, 0)
        # What is searched for cases alone does not tell how rare a word is in what questions are answered from.
        left_out = set(profile.names) - set(profile.for_questions or profile.names)
        texts = (entry.sparse for entry in entries if entry.sparse and entry.chunk["collection"] not in left_out)
        Lexicon.build(texts, domain.stems).save(builder.models)
        # With a provider's embedder, too: the reranker asks it how near a question and a provision are.
        await asyncio.to_thread(_save_encoder, entries, profile, settings.offline_dimensions, builder.models)
    if embedder is None:
        return await offline_encoder(builder.models, domain, len(new), settings.ingest_workers, stack)
    journal = stack.enter_context(VectorJournal(settings.home / "vectors.sqlite"))
    return provider_encoder(embedder, domain, journal)


def _save_encoder(entries: Sequence[Entry], profile: Profile, dimensions: int, models: Path) -> None:
    """Write the encoder of an index: a copy of the packaged one, or one that is trained on its texts."""
    domain = domain_of(profile)
    if domain is SPANISH_LAW:
        # A copy, so that an index goes on being searched by the encoder that it was made with.
        packaged_encoder(dimensions).save(models)
    else:
        DualEncoder.fit(training_pairs_of(entries, profile), dimensions, domain).save(models)


def training_pairs_of(entries: Iterable[Entry], profile: Profile) -> TrainingPairs:
    """Return what an encoder is trained on: each parent, together those of an article, and matters of elsewhere.

    A question leads to what it was written for: where that is an article of several chunks, to all of it, so that no
    chunk of the right article is taken for a wrong answer. What the profile does not handle, and what people ask any
    desk, teach what everyday words stand for, and what is asked of nothing here.
    """
    parents = [entry for entry in entries if entry.sparse]
    documents = [indexed_text(entry.chunk) for entry in parents]
    by_phrasing: dict[tuple[str, str], list[str]] = {}
    asked: dict[str, list[str]] = {}
    for entry, text in zip(parents, documents, strict=True):
        if entry.lay_phrasings:
            by_phrasing.setdefault((entry.chunk["law_id"], entry.lay_phrasings), []).append(text)
            asked.setdefault(entry.chunk["law_id"], []).extend(asked_in(details_of(entry.chunk)))
    questions = []
    for (law_id, phrasings), texts in by_phrasing.items():
        lines = [*(line for line in phrasings.splitlines() if line), *asked[law_id]]
        questions += [(line, len(documents)) for line in lines]
        documents.append("\n".join(texts))
    for matter in (*load_outside(profile), *general_matters(profile.language)):
        questions += [(inquiry, len(documents)) for inquiry in matter.inquiries]
        documents.append("\n".join((matter.name, *(matter.texts or matter.inquiries))))
    batches = max(1, -(-len(questions) // BATCH))
    return TrainingPairs(documents, questions, max(EPOCHS, -(-MIN_STEPS // batches)))


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
