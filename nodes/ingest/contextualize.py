"""Write a context sentence for each child chunk (Anthropic, "Introducing Contextual Retrieval", 2024)."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from articulado.config.settings import ModelSettings
from articulado.ingestion.chunking.chunks import children_of
from articulado.ingestion.context.paid_cache import (
    NO_COST,
    ContextCache,
    ContextCost,
    ContextPrompt,
    ParentChild,
    estimate,
    explain,
    sentence_of,
)
from articulado.ingestion.incremental.base import IndexBase, context_cache
from articulado.ingestion.incremental.catalog import GONE
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.indexing.parents import DocumentReader
from articulado.ingestion.worker import in_thread
from articulado.language.formats import written
from articulado.language.translation import translate
from articulado.values.answers import Message
from articulado.values.chunks import Chunk
from articulado.values.documents import Copy, Replaced
from articulado.values.errors import ArticuladoError, ConfigurationError, ContentFiltered
from articulado.values.protocols import ChatModel, TokenCounter
from nodes.stage import progress_of
from state.ingest import IngestState

if TYPE_CHECKING:
    from articulado.values.protocols import Progress


YES = ("true", "sí", "si", "s", "yes", "y")
"""Answers typed in Studio that count as a yes."""


PAIRS = 10_000
"""Children per batch, which bounds memory."""


class ContextualizeUpdate(TypedDict, total=False):
    """Warnings; after a declined cost, an update that leaves the index as it is."""

    warnings: list[str]
    changed: bool
    added: list[str]
    updated: list[str]
    removed: list[str]
    replaced: list[Replaced]
    copies: list[Copy]


async def contextualize(
    state: IngestState,
    runtime: Runtime[None],
    *,
    base: IndexBase,
    reader: Callable[[], ChatModel],
    counter: Callable[[], TokenCounter],
) -> ContextualizeUpdate:
    """Request the sentences missing in the cache; unless ``confirmed``, interrupt the run first with their cost.

    Any answer but a yes (``true``, "sí") leaves the index as it is. Reads ``request``, ``draft``, ``with_packaged``
    and ``warnings``.
    """
    settings = base.settings
    check_reader(settings.reader)
    prompt = await asyncio.to_thread(ContextPrompt.of, base.profile)
    pairs = partial(_pairs, state, base)
    async with AsyncExitStack() as stack:
        cache = await asyncio.to_thread(context_cache, settings)
        stack.push_async_callback(asyncio.to_thread, cache.close)
        tokens = await asyncio.to_thread(counter)

        def estimated() -> ContextCost:
            costs = (estimate(batch, cache, settings.reader.name, tokens, prompt) for batch in pairs())
            return sum(costs, start=NO_COST)

        cost = await asyncio.to_thread(estimated)
        if cost.requests and not state["request"].get("confirmed"):
            asked = {
                "type": "cost",
                "message": explain(cost, settings.reader),
                "answer": translate("ingest.cost_answer"),
            }
            if not _is_yes(interrupt(asked)):
                return _unchanged(state)
        model = await asyncio.to_thread(reader)
        without = 0
        async for batch in in_thread(pairs()):
            sentences = await situate(
                batch, model, cache, prompt, concurrency=settings.ingest_workers, progress=progress_of(runtime)
            )
            without += len(batch) - len(sentences)
    warnings = list(state["warnings"])
    if without:
        warnings.append(translate("ingest.without_sentence", without=without))
    return {"warnings": warnings}


def _is_yes(answer: object) -> bool:
    return answer is True or (isinstance(answer, str) and answer.strip().lower() in YES)


def _unchanged(state: IngestState) -> ContextualizeUpdate:
    return {
        "changed": False,
        "added": [],
        "updated": [],
        "removed": [],
        "replaced": [],
        "copies": [],
        "warnings": [*state["warnings"], translate("ingest.cost_declined")],
    }


def _pairs(state: IngestState, base: IndexBase) -> Iterator[list[ParentChild]]:
    batch: list[ParentChild] = []
    with Draft(base.drafts / state["draft"]) as draft:
        reader = DocumentReader(draft, base.workspace, base.profile, packaged=state["with_packaged"])
        for row in draft.to_write():
            parents = reader.parents(row).chunks if row.kind != GONE else []
            batch += [(parent, child) for parent in parents for child in children_of(parent)]
            if len(batch) >= PAIRS:
                yield batch
                batch = []
    if batch:
        yield batch


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
    """Return the sentences by child id, requesting only those that the cache lacks, ``concurrency`` at once.

    A child whose reply is refused, cut or empty is left out and requested again by the next run.

    Raises:
        ArticuladoError: a request failed, and no new one was started; the message counts the sentences kept.
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
    """Raise ``ConfigurationError`` if the reader model cannot write sentences, as the offline one."""
    from articulado.models.openai import check_settings

    if reader.provider == "offline":
        raise ConfigurationError(translate("ingest.reader_needed"))
    check_settings("reader", reader)


async def _ask(reader: ChatModel, prompt: ContextPrompt, parent: Chunk, child: Chunk) -> str:
    try:
        sent: Message = {"role": "user", "content": prompt.message(parent, child)}
        completion = await reader.complete(prompt.instructions, [sent])
    except ContentFiltered:
        # No reason to stop: it may be stopped again in every run, for the law speaks of violence and abuse.
        return ""
    return "" if completion.cut else sentence_of(completion.text)


def _with_progress(error: ArticuladoError, done: int, total: int) -> ArticuladoError:
    counts = {"total": written(total), "done": written(done), "missing": written(total - done)}
    return type(error)(translate("ingest.sentences_kept", error=error, **counts))
