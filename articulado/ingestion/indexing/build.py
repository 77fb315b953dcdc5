"""Write a generation of the index: fit or call the embedder, encode new entries, write, describe.

``write_entries`` writes a small index from memory. ``write_changes`` streams the changes of an ingest.
``fit`` trains the encoder on the texts of the index if its domain has no packaged encoder. Both writers
raise ``ModelError`` and ``StoreUnavailable``; vectors that a provider has computed are kept.
"""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
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
from articulado.store.builder import IndexBuilder, digest
from articulado.store.generations import Description, Index, MeaningSpace
from articulado.values.cases import details_of
from articulado.values.chunks import indexed_text
from articulado.values.protocols import Progress

STEP = "Indexando fragmentos"

MIN_STEPS = 10
"""Steps of training for however few questions. Of 191 on 16 articles, a third kept back, fewer leave many of those that
were shown with a wrong article, and more lose those that were not."""


MAX_FITTED = 20_000
"""Parents without questions that an encoder is fitted to at most: what it learns from more is no longer much."""


@dataclass(frozen=True)
class WriteCounts:
    """How many points of an index a build has written, and how many it has deleted."""

    written: int
    deleted: int


async def write_entries(
    builder: IndexBuilder,
    entries: Sequence[Entry],
    models: IndexModels,
    *,
    base: Index | None = None,
    progress: Progress = lambda step, done, total: None,
) -> WriteCounts:
    """Write an index of a few entries, all of which are at hand. With ``base``, only what differs; its models are kept.

    Raises:
        ModelError: the provider of the embedder failed for good; vectors that it has computed are kept for next time.
        StoreUnavailable: the disk has no room for what is to be written.
    """
    indexed: Mapping[int, int] = await builder.continue_from(base) if base else {}
    new = [entry for entry in entries if indexed.get(entry.chunk["id"]) != digest(entry.chunk)]
    gone = list(set(indexed).difference(entry.chunk["id"] for entry in entries))
    if base is None:
        await fit(builder, lambda: entries, models, progress=progress)
    counts = await write_changes(builder, iter([Change(new, gone)]), models, expected=len(new), progress=progress)
    save_words(WordStatistics(models.profile, models.domain).of(entries), models.profile, builder.models)
    return counts


def save_words(count: WordCount, profile: Profile, folder: Path) -> None:
    """Write the stems and the words of an index into its ``models`` folder.

    Words are written if the spelling of questions in the language of the profile is read (``typing_of``).
    """
    domain = domain_of(profile)
    Lexicon.of(count).save(folder)
    if typing := typing_of(domain.language.code):
        asked = _asked(domain.language.code, profile.features.records)
        KnownWords.build(count.words, asked, typing, domain.language).save(folder)


@lru_cache(maxsize=1)
def _asked(code: str, records: bool) -> Asked:
    """Return the words of a language and, with ``records``, of the known questions of the package."""
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
    """Encode and write what has changed, as it comes; about ``expected`` points will be written.

    Raises:
        ModelError: the provider of the embedder failed for good; vectors that it has computed are kept for next time.
        StoreUnavailable: the disk has no room for what is to be written.
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
    """Make what is fitted to the texts of an index, from all of its entries.

    With a provider's embedder, too: the reranker asks it how near a question and a provision are.
    """
    if models.embedder:
        models.embedder()  # Before there is anything to fit: a key may be missing.
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
    """Return ``encode`` with the dense vectors of the collections by meaning made by a sentence encoder.

    The space of these vectors is measured before the first of them; vectors are kept by text and encoder.
    """
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
    """Tell whether the encoder of an index is fitted to its texts, and none that comes with the package."""
    return domain_of(profile) is not SPANISH_LAW


def _save_encoder(entries: Callable[[], Iterable[Entry]], profile: Profile, dimensions: int, models: Path) -> None:
    """Write the encoder of an index: a copy of the packaged one, or one that is trained on its texts."""
    if not is_fitted(profile):
        # A copy, so that an index goes on being searched by the encoder that it was made with.
        packaged_encoder(dimensions).save(models)
    else:
        sample = _sampled(entries())
        DualEncoder.fit(training_pairs_of(sample, profile), dimensions, domain_of(profile)).save(models)


def _sampled(entries: Iterable[Entry]) -> list[Entry]:
    """Return the parents that an encoder is fitted to: those that questions lead to, and ``MAX_FITTED`` others.

    Ids are hashes, so that the smallest are a sample, and the same one each time.
    """
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
