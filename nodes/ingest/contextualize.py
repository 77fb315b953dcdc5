"""Write a context sentence for each child chunk with the reader model, if the settings ask for it.

The run stops before the first request and asks for consent to the cost, unless the request is
``confirmed``. The sentences are stored in their cache.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from functools import partial

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from articulado.ingestion.chunking.chunks import children_of
from articulado.ingestion.context.paid_cache import NO_COST, ContextCost, ContextPrompt, ParentChild, estimate, explain
from articulado.ingestion.context.situate import check_reader, situate
from articulado.ingestion.incremental.base import IndexBase, context_cache
from articulado.ingestion.incremental.catalog import GONE
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.indexing.parents import DocumentReader
from articulado.ingestion.worker import in_thread
from articulado.language.translation import translate
from articulado.values.documents import Copy, Replaced
from articulado.values.protocols import ChatModel, TokenCounter
from nodes.stage import progress_of
from state.ingest import IngestState

YES = ("true", "sí", "si", "s", "yes", "y")
"""What counts as a yes where an answer is a text, as a person types it in Studio."""


PAIRS = 10_000
"""Children that are asked about together: what is held of them at once."""


class ContextualizeUpdate(TypedDict, total=False):
    """What the user should know; the sentences are in their cache. After a no, the index is to stay as it is."""

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
    """Ask for the sentences that are not in the cache, once the cost of them is allowed.

    Without ``confirmed`` the run stops before the first request and tells the cost; it goes on when it is resumed with
    a yes (``true``, "sí"). Any other answer leaves the index as it is, and the report says so.

    Raises:
        ConfigurationError: the reader cannot write.
        ModelError: the provider failed for good; what it has written is kept.
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
    """Return an update by which nothing is written, and the report is of the index as it is."""
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
    """Yield the children of the documents that are to be written, each with its parent, many at once."""
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
