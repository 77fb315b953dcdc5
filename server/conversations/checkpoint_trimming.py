"""Checkpointer that stores only the channels needed by later turns and readers.

The legal texts on which an answer was based are not stored. An interrupted run leaves nothing: its question
has to be asked again. Turns that were replaced stay below the line of checkpoints that readers follow.
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
from articulado.values.errors import InvalidInput, StoreUnavailable

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
        "suggestions",
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

    A run that is cut off is asked again: nothing of it is kept, and the turn before it is as it was. ``since`` is the
    id of the checkpoint that the next run continues from instead of the last one; "" begins anew.

    Raises (from every coroutine): StoreUnavailable, where the checkpointer below fails, or hangs for ``seconds``.
    """

    def __init__(self, saver: BaseCheckpointSaver[str], *, seconds: float = SECONDS, since: str | None = None) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._seconds = seconds
        self._since = since

    async def after(self, thread_id: str, turns: int) -> "LeanSaver":
        """Return the same checkpointer for a run that follows the first ``turns`` of a thread, and replaces the others.

        Raises:
            InvalidInput: the thread has fewer turns.
        """
        config: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        ends = {"": 0}
        for found in await self.line(config):
            values = found.checkpoint["channel_values"]
            if values.get("answer"):
                ends.setdefault(found.checkpoint["id"], values["turn"])
        since = next((id_ for id_, turn in ends.items() if turn == turns), None)
        if since is None:
            raise InvalidInput(translate("conversations.fewer_turns", keep=turns, has=max(ends.values())))
        return LeanSaver(self._saver, seconds=self._seconds, since=since)

    async def line(self, config: RunnableConfig) -> list[CheckpointTuple]:
        """Return the last checkpoint of a thread and those that it goes back to, the newest first.

        Turns that were asked again in other words are not among them.
        """
        found = {each.checkpoint["id"]: each async for each in self.alist(config)}
        line: list[CheckpointTuple] = []
        each = next(iter(found.values()), None)
        while each is not None:
            line.append(each)
            parent = (each.parent_config or {}).get("configurable", {}).get("checkpoint_id", "")
            each = found.get(parent)
        return line

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel, as the checkpointer below counts them."""
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint to continue from, or the one that ``config`` names."""
        if self._since is not None and not config["configurable"].get("checkpoint_id"):
            if not self._since:
                return None
            config = {"configurable": {**config["configurable"], "checkpoint_id": self._since}}
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
        """Keep the checkpoint of a finished turn, which has written its messages."""
        if "transcript" not in new_versions:
            return config
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
