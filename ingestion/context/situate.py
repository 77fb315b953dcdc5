"""Ask the reader for the sentence that situates each child in its parent, as contextual retrieval does.

Source: Anthropic, "Introducing Contextual Retrieval" (2024).
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.context.paid_cache import ContextCache
from ingestion.context.request import ParentChild, keyed_requests, message, sentence_of, system_prompt
from language.formats import figure
from services.protocols import ChatModel
from services.settings import ModelSettings
from state.chunks import Chunk
from state.errors import ArticuladoError, ConfigurationError, ContentFiltered

if TYPE_CHECKING:
    from services.protocols import Progress

STEP = "Situando fragmentos"


async def situate(
    children: Sequence[ParentChild],
    reader: ChatModel,
    cache: ContextCache,
    *,
    concurrency: int,
    progress: "Progress" = lambda step, done, total: None,
) -> dict[int, str]:
    """Return the sentence of each child, by its id, asking only for those that the cache lacks.

    At most ``concurrency`` requests run at once, and each sentence is kept as soon as it is there. A child whose reply
    holds no sentence is left out, now and in later runs. The first request that fails for good stops new ones; those
    that run are waited for and kept.

    Raises:
        ArticuladoError: (the type of the failure) a request failed; the message says how much is done.
    """
    keys = await asyncio.to_thread(keyed_requests, children, reader.name)
    requests = dict(keys)
    sentences = await asyncio.to_thread(cache.get_many, list(requests))
    waiting = iter([key for key in requests if key not in sentences])
    failures: list[ArticuladoError] = []
    progress(STEP, len(sentences), len(requests))

    async def work() -> None:
        for key in waiting:
            try:
                sentence = await _ask(reader, *requests[key])
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
    from services.models.openai import check_settings

    if reader.provider == "offline":
        raise ConfigurationError(
            "ARTICULADO_CHUNK_CONTEXT=reader necesita un modelo que redacte, y el lector sin conexión no lo es. Defina "
            "ARTICULADO_READER_PROVIDER y la clave (véase .env.example), o use ARTICULADO_CHUNK_CONTEXT=breadcrumb."
        )
    check_settings("reader", reader)


async def _ask(reader: ChatModel, parent: Chunk, child: Chunk) -> str:
    try:
        completion = await reader.complete(system_prompt(), [{"role": "user", "content": message(parent, child)}])
    except ContentFiltered:
        # It would be stopped again in every run, and no run would ever end: the law speaks of violence and abuse.
        return ""
    return sentence_of(completion.text)


def _with_progress(error: ArticuladoError, done: int, total: int) -> ArticuladoError:
    """Return an error of the same type whose message says how many sentences are kept."""
    return type(error)(
        f"{error} De las {figure(total)} frases de contexto, {figure(done)} están guardadas: repita la orden y se "
        f"pedirán solo las que faltan ({figure(total - done)})."
    )
