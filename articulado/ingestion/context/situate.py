"""Contextual retrieval: ask the reader model for a sentence that situates each child chunk.

Source: Anthropic, "Introducing Contextual Retrieval" (2024). ``situate`` requests only the sentences
missing in the cache and stores each at once. A child without a usable reply is left out and requested again
by the next run.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from articulado.config.settings import ModelSettings
from articulado.ingestion.context.paid_cache import ContextCache, ContextPrompt, ParentChild, sentence_of
from articulado.language.formats import written
from articulado.language.translation import translate
from articulado.values.answers import Message
from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError, ConfigurationError, ContentFiltered
from articulado.values.protocols import ChatModel

if TYPE_CHECKING:
    from articulado.values.protocols import Progress

STEP = "Situando fragmentos"


async def situate(
    children: Sequence[ParentChild],
    reader: ChatModel,
    cache: ContextCache,
    prompt: ContextPrompt,
    *,
    concurrency: int,
    progress: "Progress" = lambda step, done, total: None,
) -> dict[int, str]:
    """Return the sentence of each child, by its id, asking only for those that the cache lacks.

    At most ``concurrency`` requests run at once, and each sentence is kept as soon as it is there. A child whose reply
    is refused, cut or holds no sentence is left out: it is asked for again by the next run. The first request that
    fails for good stops new ones; those that run are waited for and kept.

    Raises:
        ArticuladoError: (the type of the failure) a request failed; the message says how much is done.
    """
    keys = await asyncio.to_thread(prompt.keyed, children, reader.name)
    requests = dict(keys)
    sentences = await asyncio.to_thread(cache.get_many, list(requests))
    waiting = iter([key for key in requests if key not in sentences])
    failures: list[ArticuladoError] = []
    progress(STEP, len(sentences), len(requests))

    async def work() -> None:
        for key in waiting:
            try:
                sentence = await _ask(reader, prompt, *requests[key])
                if sentence:
                    await asyncio.to_thread(cache.put, key, sentence)
            except ArticuladoError as error:
                failures.append(error)
            else:
                sentences[key] = sentence
                progress(STEP, len(sentences), len(requests))
            if failures:
                return

    async with asyncio.TaskGroup() as workers:
        for _ in range(min(concurrency, len(requests) - len(sentences))):
            workers.create_task(work())
    if failures:
        raise _with_progress(failures[0], len(sentences), len(requests)) from failures[0]
    return {child["id"]: sentences[key] for key, (_, child) in keys if sentences[key]}


def check_reader(reader: ModelSettings) -> None:
    """Check that the reader model can write sentences.

    Raises:
        ConfigurationError: it is the offline one, which knows keywords only, or it lacks a setting.
    """
    from articulado.models.openai import check_settings

    if reader.provider == "offline":
        raise ConfigurationError(translate("ingest.reader_needed"))
    check_settings("reader", reader)


async def _ask(reader: ChatModel, prompt: ContextPrompt, parent: Chunk, child: Chunk) -> str:
    """Return the sentence of a child, empty where the reader does not give one, or not all of it."""
    try:
        sent: Message = {"role": "user", "content": prompt.message(parent, child)}
        completion = await reader.complete(prompt.instructions, [sent])
    except ContentFiltered:
        # No reason to stop: it may be stopped again in every run, for the law speaks of violence and abuse.
        return ""
    return "" if completion.cut else sentence_of(completion.text)


def _with_progress(error: ArticuladoError, done: int, total: int) -> ArticuladoError:
    """Return an error of the same type whose message says how many sentences are kept."""
    counts = {"total": written(total), "done": written(done), "missing": written(total - done)}
    return type(error)(translate("ingest.sentences_kept", error=error, **counts))
