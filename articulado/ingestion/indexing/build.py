"""Write a generation of the index: fit or call the embedder, encode new entries, write, describe."""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import cast

from articulado.cases.guides import asked_in, general_matters
from articulado.config.profile import Profile, domain_of
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder, TrainingPairs, packaged_encoder
from articulado.encoders.meaning import MeaningEmbedder, unrelated_cosines
from articulado.encoders.training import BATCH, EPOCHS
from articulado.guides.known_questions import known_questions
from articulado.guides.schema import load_outside
from articulado.ingestion.index_models import CHUNKER, IndexModels, expected_fingerprints, sentences_of
from articulado.ingestion.indexing.changes import (
    Change,
    Encode,
    Encoded,
    Entry,
    VectorJournal,
    WordStatistics,
    encode_batches,
    offline_encoder,
    provider_encoder,
    vectors_kept,
)
from articulado.ingestion.worker import in_thread
from articulado.language.known_words import Asked, KnownWords, Typing, typing_of
from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, WordCount
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.builder import IndexBuilder
from articulado.store.generations import Description, MeaningSpace
from articulado.values.cases import details_of
from articulado.values.chunks import indexed_text
from articulado.values.protocols import Progress

STEP = "Indexando fragmentos"

MIN_STEPS = 10
"""Minimum training steps. With 191 questions on 16 articles, a third held out, fewer steps leave training questions
at wrong articles, and more lose held-out ones.
"""


MAX_FITTED = 20_000  # maximum parents without questions in the training of an encoder: more add little


@dataclass(frozen=True)
class WriteCounts:
    """Numbers of points written and deleted."""

    written: int
    deleted: int


async def write_entries(builder: IndexBuilder, entries: list[Entry], models: IndexModels) -> None:
    """Write a small new index from memory."""
    await fit(builder, lambda: entries, models)
    await write_changes(builder, iter([Change(entries, [])]), models, expected=len(entries))
    save_words(WordStatistics(models.profile, models.domain).of(entries), models.profile, builder.models)


def save_words(count: WordCount, profile: Profile, folder: Path) -> None:
    """Write the stems of an index into its ``models`` folder, and words for spelling correction if supported."""
    domain = domain_of(profile)
    Lexicon.of(count).save(folder)
    if typing := typing_of(domain.language.code):
        asked = _asked(domain.language.code, profile.features.records)
        KnownWords.build(count.words, asked, typing, domain.language).save(folder)


@lru_cache(maxsize=1)
def _asked(code: str, records: bool) -> Asked:
    from spellchecker import SpellChecker

    typing = cast(Typing, typing_of(code))
    questions = [known.question for known in known_questions()] if records else []
    return Asked.of(questions, SpellChecker(language=code).word_frequency.words(), typing, language(code))


async def write_changes(
    builder: IndexBuilder,
    changes: Iterator[Change],
    models: IndexModels,
    *,
    expected: int,
    progress: Progress = lambda step, done, total: None,
) -> WriteCounts:
    """Encode and write a stream of changes; about ``expected`` points will be written.

    After a ``ModelError`` of the provider, the vectors already computed are kept.
    """
    settings = models.settings
    deleted = written = 0

    async def new_entries() -> AsyncIterator[Entry]:
        nonlocal deleted
        async for change in in_thread(changes):
            await builder.remove(change.gone)
            deleted += len(change.gone)
            for entry in change.new:
                yield entry

    async with AsyncExitStack() as stack:
        embedder = models.embedder() if models.embedder else None
        await builder.require_room(expected, embedder.dimensions if embedder else settings.offline_dimensions)
        encode = await _encoder(builder, models, stack, expected)
        async for batch in encode_batches(new_entries(), encode, settings.ingest_workers):
            await builder.add([entry.chunk for entry in batch.entries], batch.dense, batch.sparse)
            written += len(batch.entries)
            progress(STEP, written, max(written, expected))
        progress(STEP, written, written)
    return WriteCounts(written, deleted)


async def fit(
    builder: IndexBuilder,
    entries: Callable[[], Iterable[Entry]],
    models: IndexModels,
    *,
    progress: Progress = lambda step, done, total: None,
) -> None:
    """Train the encoder on all entries of an index, unless it is packaged; the reranker always needs it."""
    if models.embedder:
        models.embedder()  # Fail early if a key is missing.
    progress("Analizando el vocabulario", 0, 0)
    settings, profile = models.settings, models.profile
    await asyncio.to_thread(_save_encoder, entries, profile, settings.offline_dimensions, builder.models)


async def _encoder(builder: IndexBuilder, models: IndexModels, stack: AsyncExitStack, expected: int) -> Encode:
    settings, domain = models.settings, models.domain
    if models.embedder is not None:
        journal = stack.enter_context(VectorJournal(settings.home / "vectors.sqlite"))
        return provider_encoder(models.embedder(), domain, journal)
    encode = await offline_encoder(builder.models, domain, expected, settings.ingest_workers, stack)
    sentences = await asyncio.to_thread(sentences_of, settings, models.profile)
    return _with_meaning(encode, MeaningEmbedder(sentences), builder, models, stack) if sentences else encode


def _with_meaning(
    encode: Encode, embedder: MeaningEmbedder, builder: IndexBuilder, models: IndexModels, stack: AsyncExitStack
) -> Encode:
    """Return ``encode`` with dense vectors of a sentence encoder for the collections by meaning."""
    collections, journals = models.profile.by_meaning, list[VectorJournal]()

    def open_space() -> VectorJournal:
        if not journals:
            journals.append(stack.enter_context(VectorJournal(models.settings.home / "vectors.sqlite")))
        if builder.meaning is None:
            mean, deviation = unrelated_cosines(embedder, models.profile.language)
            dimensions = int(embedder.encode(["."]).shape[1])
            builder.meaning = MeaningSpace(
                fingerprint=embedder.fingerprint,
                dimensions=dimensions,
                collections=collections,
                mean=mean,
                deviation=deviation,
            )
        builder.meaning = builder.meaning.model_copy(update={"collections": collections})
        return journals[0]

    async def encode_by_meaning(entries: Sequence[Entry]) -> Encoded:
        own = [place for place, entry in enumerate(entries) if entry.chunk["collection"] in collections]
        if not own:
            return await encode(entries)
        journal = await asyncio.to_thread(open_space)
        rest = list(entries)
        for place in own:
            rest[place] = replace(entries[place], dense="")
        encoded = await encode(rest)
        texts = [entries[place].dense for place in own]
        vectors = await vectors_kept(embedder, journal, [text for text in texts if text])
        dense = list(encoded.dense)
        for place, text in zip(own, texts, strict=True):
            dense[place] = vectors.get(text)
        return Encoded(entries, dense, encoded.sparse)

    return encode_by_meaning


def is_fitted(profile: Profile) -> bool:
    """Tell if the encoder of an index is trained on its texts, instead of packaged."""
    return domain_of(profile) is not SPANISH_LAW


def _save_encoder(entries: Callable[[], Iterable[Entry]], profile: Profile, dimensions: int, models: Path) -> None:
    if not is_fitted(profile):
        # A copy: an index keeps the encoder that it was made with.
        packaged_encoder(dimensions).save(models)
    else:
        sample = _sampled(entries())
        DualEncoder.fit(training_pairs_of(sample, profile), dimensions, domain_of(profile)).save(models)


def _sampled(entries: Iterable[Entry]) -> list[Entry]:
    """Return the parents with questions, and a fixed sample of ``MAX_FITTED`` others: ids are hashes."""
    asked: list[tuple[int, Entry]] = []

    def others() -> Iterator[tuple[int, Entry]]:
        for place, entry in enumerate(entries):
            if entry.sparse and entry.lay_phrasings:
                asked.append((place, entry))
            elif entry.sparse:
                yield place, entry

    sample = heapq.nsmallest(MAX_FITTED, others(), key=lambda placed: placed[1].chunk["id"])
    return [entry for _, entry in sorted([*asked, *sample], key=lambda placed: placed[0])]


def training_pairs_of(entries: Iterable[Entry], profile: Profile) -> TrainingPairs:
    """Return training data: parents, articles as a whole (none of their chunks is wrong), and outside matters."""
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
    return Description(
        fingerprints=expected_fingerprints(settings, profile, chunker),
        profile=profile.name,
        language=profile.language,
        source=source,
        documents=documents,
        demo=demo,
    )
