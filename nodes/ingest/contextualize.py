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
from state.errors import InvalidInput
from state.ingest import IngestState


class ContextualizeUpdate(TypedDict):
    """What the user should know; the sentences are in their cache."""

    warnings: list[str]


async def contextualize(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, services: IngestServices
) -> ContextualizeUpdate:
    """Ask for the sentences that are not in the cache, once the cost of them is allowed.

    Without ``confirmed`` the run stops before the first request and tells the cost; it goes on when it is resumed with
    a yes.

    Raises:
        InvalidInput: the answer was no.
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
            allowed = interrupt({"type": "cost", "message": explain(cost, settings.reader)})
            if allowed is not True:
                raise InvalidInput(say("ingest.cost_declined"))
        reader = await asyncio.to_thread(services.reader)
        sentences = await situate(
            pairs, reader, cache, prompt, concurrency=settings.ingest_workers, progress=progress_of(runtime)
        )
    warnings = list(state["warnings"])
    if without := len(pairs) - len(sentences):
        warnings.append(say("ingest.without_sentence", without=without))
    return {"warnings": warnings}


def _pairs(state: IngestState, base: IndexBase) -> list[ParentChild]:
    parents = parents_of(state, base.workspace, base.profile).chunks
    return [(parent, child) for parent in parents for child in children_of(parent)]
