"""Let the reader model situate each child in its parent, where the settings ask for it."""

import asyncio
from contextlib import AsyncExitStack

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from ingestion.chunking.children import children_of
from ingestion.context.cost import estimate, explain
from ingestion.context.request import ContextPrompt, ParentChild
from ingestion.context.situate import check_reader, situate
from ingestion.incremental.base import IndexBase, context_cache
from ingestion.indexing.parents import parents_of
from language.current import say
from nodes.stage import progress_of
from services.container import IngestServices
from state.ingest import Copy, IngestState, Replaced, Source

YES = ("true", "sí", "si", "s", "yes", "y")
"""What counts as a yes where an answer is a text, as a person types it in Studio."""


class ContextualizeUpdate(TypedDict, total=False):
    """What the user should know; the sentences are in their cache. After a no, the index is to stay as it is."""

    warnings: list[str]
    changed: bool
    sources: list[Source]
    added: list[str]
    updated: list[str]
    removed: list[str]
    replaced: list[Replaced]
    copies: list[Copy]


async def contextualize(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, services: IngestServices
) -> ContextualizeUpdate:
    """Ask for the sentences that are not in the cache, once the cost of them is allowed.

    Without ``confirmed`` the run stops before the first request and tells the cost; it goes on when it is resumed with
    a yes (``true``, "sí"). Any other answer leaves the index as it is, and the report says so.

    Raises:
        ConfigurationError: the reader cannot write.
        ModelError: the provider failed for good; what it has written is kept.
    """
    settings = services.settings
    check_reader(settings.reader)
    pairs = await asyncio.to_thread(_pairs, state, base)
    prompt = await asyncio.to_thread(ContextPrompt.of, base.profile)
    async with AsyncExitStack() as stack:
        cache = await asyncio.to_thread(context_cache, settings)
        stack.push_async_callback(asyncio.to_thread, cache.close)
        counter = await asyncio.to_thread(services.counter)
        cost = await asyncio.to_thread(estimate, pairs, cache, settings.reader.name, counter, prompt)
        if cost.requests and not state["request"].get("confirmed"):
            asked = {"type": "cost", "message": explain(cost, settings.reader), "answer": say("ingest.cost_answer")}
            if not _is_yes(interrupt(asked)):
                return await asyncio.to_thread(_unchanged, state, base)
        reader = await asyncio.to_thread(services.reader)
        sentences = await situate(
            pairs, reader, cache, prompt, concurrency=settings.ingest_workers, progress=progress_of(runtime)
        )
    warnings = list(state["warnings"])
    if without := len(pairs) - len(sentences):
        warnings.append(say("ingest.without_sentence", without=without))
    return {"warnings": warnings}


def _is_yes(answer: object) -> bool:
    return answer is True or (isinstance(answer, str) and answer.strip().lower() in YES)


def _unchanged(state: IngestState, base: IndexBase) -> ContextualizeUpdate:
    """Return an update by which nothing is written, and the report is of the index as it is."""
    return {
        "changed": False,
        "sources": base.catalog({}).sources,
        "added": [],
        "updated": [],
        "removed": [],
        "replaced": [],
        "copies": [],
        "warnings": [*state["warnings"], say("ingest.cost_declined")],
    }


def _pairs(state: IngestState, base: IndexBase) -> list[ParentChild]:
    parents = parents_of(state, base.workspace, base.profile).chunks
    return [(parent, child) for parent in parents for child in children_of(parent)]
