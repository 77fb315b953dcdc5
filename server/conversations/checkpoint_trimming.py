"""Checkpointer that stores only the channels of finished turns that later turns and readers need."""

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

SECONDS = 15.0  # time limit of one call to the wrapped checkpointer: a database lost in the network never answers

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
"""Channels needed by the next turn or by readers; the messages of chat clients repeat the transcript."""


class LeanSaver(BaseCheckpointSaver[str]):
    """Store only the ``KEPT`` channels of finished turns, in another checkpointer, or raise ``StoreUnavailable``.

    The next run continues from the checkpoint ``since``: an id, "" for no earlier turns, ``None`` for the last one.
    """

    def __init__(self, saver: BaseCheckpointSaver[str], *, seconds: float = SECONDS, since: str | None = None) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._seconds = seconds
        self._since = since

    async def after(self, thread_id: str, turns: int) -> "LeanSaver":
        """Return a checkpointer whose next run replaces all turns after the first ``turns`` of a thread."""
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
        """Return the last checkpoint of a thread and its ancestors, the newest first; replaced turns are left out."""
        found = {each.checkpoint["id"]: each async for each in self.alist(config)}
        line: list[CheckpointTuple] = []
        each = next(iter(found.values()), None)
        while each is not None:
            line.append(each)
            parent = (each.parent_config or {}).get("configurable", {}).get("checkpoint_id", "")
            each = found.get(parent)
        return line

    def get_next_version(self, current: str | None, channel: None) -> str:
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
        """Store the checkpoint of a finished turn, which has written its messages."""
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
        pass

    async def adelete_thread(self, thread_id: str) -> None:
        with _as_unavailable():
            async with asyncio.timeout(self._seconds):
                await self._saver.adelete_thread(thread_id)


@contextmanager
def _as_unavailable() -> Iterator[None]:
    """Turn every exception of a checkpointer into ``StoreUnavailable``: its databases share no base class."""
    try:
        yield
    except Exception as error:
        logger.error("%s", type(error).__qualname__)
        raise StoreUnavailable(translate("conversations.failing")) from error
