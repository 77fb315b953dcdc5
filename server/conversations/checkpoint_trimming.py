"""Checkpointer that stores only the channels needed by later turns and readers.

The legal texts on which an answer was based are not stored. An interrupted run is not resumed: its question
has to be asked again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from articulado.language.translation import translate
from articulado.values.errors import StoreUnavailable

logger = logging.getLogger(__name__)

SECONDS = 15.0
"""That one call of the checkpointer below may take: a database that is lost in the network answers nothing at all."""

KEPT = frozenset(
    (
        "question",
        "answer",
        "outcome",
        "citations",
        "choices",
        "unread",
        "findings",
        "provisions",
        "remissions",
        "precedence",
        "freshness",
        "certificate",
        "calculations",
        "guides",
        "as_of",
        "warnings",
        "transcript",
        "context_chunk_ids",
        "turn",
        "usage",
        "turn_question",
    )
)
"""The channels that the next turn, or who reads the conversation, has a use for.

The messages of chat clients are not among them: they say once more what the transcript does.
"""


class LeanSaver(BaseCheckpointSaver[str]):
    """Keep only ``KEPT`` of each checkpoint, in another checkpointer; tasks that are under way are not kept.

    A run that is cut off is asked again: nothing of it is resumed, and the turn before it is as it was.

    Raises (from every coroutine): StoreUnavailable, where the checkpointer below fails, or hangs for ``seconds``.
    """

    def __init__(self, saver: BaseCheckpointSaver[str], *, seconds: float = SECONDS) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._seconds = seconds

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel, as the checkpointer below counts them."""
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the last checkpoint of a thread, or the one that ``config`` names."""
        with _as_unavailable():
            async with asyncio.timeout(self._seconds):
                return await self._saver.aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        with _as_unavailable():
            async for found in self._saver.alist(config, filter=filter, before=before, limit=limit):
                yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        values = {name: value for name, value in checkpoint["channel_values"].items() if name in KEPT}
        lean: Checkpoint = {**checkpoint, "channel_values": values}
        with _as_unavailable():
            async with asyncio.timeout(self._seconds):
                return await self._saver.aput(config, lean, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep nothing of a task that is under way."""

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        with _as_unavailable():
            async with asyncio.timeout(self._seconds):
                await self._saver.adelete_thread(thread_id)


@contextmanager
def _as_unavailable() -> Iterator[None]:
    """Turn what a checkpointer raises in a block into an error of this project: its databases share no base."""
    try:
        yield
    except Exception as error:
        logger.error("%s", type(error).__qualname__)
        raise StoreUnavailable(translate("conversations.failing")) from error
