"""A checkpointer that keeps of a turn what the next one reads, and not the law that it was answered from."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

KEPT = frozenset(
    (
        "question",
        "answer",
        "outcome",
        "citations",
        "unread",
        "findings",
        "provisions",
        "remissions",
        "precedence",
        "freshness",
        "certificate",
        "as_of",
        "warnings",
        "transcript",
        "context_chunk_ids",
        "turn",
        "usage",
        "analysis",
    )
)
"""The channels that the next turn, or who reads the conversation, has a use for.

The messages of chat clients are not among them: they say once more what the transcript does.
"""


class LeanSaver(BaseCheckpointSaver[str]):
    """Keep only ``KEPT`` of each checkpoint, in another checkpointer; tasks that are under way are not kept.

    A run that is cut off is asked again: nothing of it is resumed, and the turn before it is as it was.
    """

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel, as the checkpointer below counts them."""
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the last checkpoint of a thread, or the one that ``config`` names."""
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
        return await self._saver.aput(config, lean, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep nothing of a task that is under way."""

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        await self._saver.adelete_thread(thread_id)
