"""Stream the answer of a turn as one chat message, in both protocols of LangGraph: message chunks and content blocks.

``Recital`` is a chat model that replays the pieces of an answer, so LangChain serves both. The principal's own stream
cannot be used: it contains the self-evaluation below the answer. A message keeps its id up to the state of the thread.
A superseded text is withdrawn: as chunks by a message of type ``remove`` with that id, as events by another
``message-start`` with that id.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Literal
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, get_callback_manager_for_config


class Withdrawn(AIMessageChunk):
    """Piece that removes the message of its id; later pieces begin it anew."""

    type: Literal["remove"] = "remove"  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        first, *rest = other if isinstance(other, list) else [other]
        return first + rest if rest else first

    def __radd__(self, other: Any) -> AIMessageChunk:
        return AIMessageChunk(content="", id=self.id)


class Recital(BaseChatModel):
    """Chat model that replays one text from a queue of pieces, ended by the whole message or ``None``.

    ``before`` is the part that an earlier run streamed. ``supersedes`` is set if the text replaces another with its
    id.
    """

    pieces: Any
    message_id: str
    before: str = ""
    supersedes: bool = False
    cache: bool | None = False

    @property
    def _llm_type(self) -> str:
        return "answer"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("stages run on an event loop")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = self.before
        async for piece in self._received():
            if isinstance(piece, AIMessage):
                return ChatResult(generations=[ChatGeneration(message=piece)])
            text += piece
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, id=self.message_id))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        if self.supersedes:
            yield ChatGenerationChunk(message=Withdrawn(content="", id=self.message_id))
        said, last = self.before, self._chunk("", chunk_position="last")
        async for piece in self._received():
            if isinstance(piece, AIMessage):
                last = self._chunk(
                    str(piece.text)[len(said) :],
                    additional_kwargs=piece.additional_kwargs,
                    response_metadata=_of_text(piece.response_metadata),
                    usage_metadata=piece.usage_metadata,
                    chunk_position="last",
                )
            else:
                said += piece
                yield self._chunk(piece)
        yield last

    async def _astream_chat_model_events(self, messages: list[BaseMessage], **kwargs: Any) -> AsyncIterator[Any]:
        """Yield content-block events: LangChain calls this for listeners of protocol v3."""
        yield {"event": "message-start", "role": "ai", "id": self.message_id}
        yield _block_start(0, {"type": "text"})
        if self.before:
            yield _text_delta(0, self.before)
        said, whole = self.before, None
        async for piece in self._received():
            if isinstance(piece, AIMessage):
                whole = piece
            else:
                said += piece
                yield _text_delta(0, piece)
        blocks = blocks_of(whole) if whole else [{"type": "text", "text": said}]
        for index, block in enumerate(blocks):
            if index:
                yield _block_start(index, block)
            if rest := block.get("text", "")[0 if index else len(said) :]:
                yield _text_delta(index, rest)
            yield {"event": "content-block-finish", "index": index, "content": block}
        yield {"event": "message-finish", **(_metadata_of(whole) if whole else {})}

    async def _received(self) -> AsyncIterator[str | AIMessage]:
        while (piece := await self.pieces.get()) is not None:
            yield piece
            if isinstance(piece, AIMessage):
                return

    def _chunk(self, text: str, **options: Any) -> ChatGenerationChunk:
        return ChatGenerationChunk(message=AIMessageChunk(content=text, id=self.message_id, **options))


def blocks_of(message: AIMessage) -> list[dict[str, Any]]:
    if isinstance(message.content, str):
        return [{"type": "text", "text": message.content}]
    return [block if isinstance(block, dict) else {"type": "text", "text": block} for block in message.content] or [
        {"type": "text", "text": ""}
    ]


def _of_text(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if name != "output_version"}


def _block_start(index: int, block: Mapping[str, Any]) -> dict[str, Any]:
    skeleton = {"type": "text", "text": ""} if block["type"] == "text" else dict(block)
    return {"event": "content-block-start", "index": index, "content": skeleton}


def _text_delta(index: int, text: str) -> dict[str, Any]:
    return {"event": "content-block-delta", "index": index, "delta": {"type": "text-delta", "text": text}}


def _metadata_of(message: AIMessage) -> dict[str, Any]:
    kept = {
        "usage": message.usage_metadata,
        "metadata": message.response_metadata,
        "additional_kwargs": message.additional_kwargs,
    }
    return {name: dict(value) for name, value in kept.items() if value}


class Speaker:
    """Streams the answer of one turn as one message; ``message_id`` is empty until something was streamed."""

    def __init__(self, config: RunnableConfig, *, said: str = "", message_id: str = "") -> None:
        self._config = config
        self._is_heard = bool(get_callback_manager_for_config(config).handlers)
        self._id = message_id or f"answer-{uuid4()}"
        self._said = said
        self._held = ""
        self._supersedes = False
        self._pieces: asyncio.Queue[str | AIMessage | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.message_id = message_id

    def say(self, text: str) -> None:
        """Stream a piece of the answer."""
        text = self._held + text
        spoken = text.rstrip()
        self._held = text[len(spoken) :]
        if spoken and not self._said:
            spoken = spoken.lstrip()
        if spoken:
            self._opened().put_nowait(spoken)
            self._said += spoken

    def supersede(self) -> None:
        """Withdraw the text streamed so far as soon as another one begins."""
        self._end()
        self._supersedes |= bool(self._said)
        self._said = self._held = ""

    async def finish(self, message: AIMessage) -> AIMessage:
        """Stream the rest of a message, or all of it if it differs, and return it with the id of the stream."""
        message = message.model_copy(update={"id": self.message_id or message.id or self._id})
        if not str(message.text).startswith(self._said):
            self.supersede()
        if self._pieces or str(message.text) != self._said:
            self._id = str(message.id)
            self._opened().put_nowait(message)
        self._pieces = None
        await self.close()
        return message

    async def close(self) -> None:
        """End an unfinished text, and wait until all of it is streamed."""
        self._end()
        task, self._task = self._task, None
        if task is not None:
            await task

    def _opened(self) -> "asyncio.Queue[str | AIMessage | None]":
        if self._pieces is None:
            self._pieces = asyncio.Queue()
            self.message_id = self._id
            if self._is_heard:
                recital = Recital(
                    pieces=self._pieces, message_id=self._id, before=self._said, supersedes=self._supersedes
                )
                self._task = asyncio.create_task(self._recite(recital, self._task))
            self._supersedes = False
        return self._pieces

    def _end(self) -> None:
        if self._pieces is not None:
            self._pieces.put_nowait(None)
        self._pieces = None

    async def _recite(self, recital: Recital, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await before
        await recital.ainvoke([], {**self._config, "run_name": "answer"})


_SPEAKER: ContextVar[Speaker | None] = ContextVar("speaker", default=None)  # Of a graph that runs the answering graph


@asynccontextmanager
async def one_message(config: RunnableConfig) -> AsyncIterator[None]:
    """Stream the answer of the turn that runs in the block as one message of the run of ``config``."""
    speaker = Speaker(config)
    token = _SPEAKER.set(speaker)
    try:
        yield
    finally:
        _SPEAKER.reset(token)
        await speaker.close()


@asynccontextmanager
async def speaking(state: Mapping[str, Any]) -> AsyncIterator[Speaker]:
    """Yield the speaker of the calling graph, or else one for this stage that continues the message ``spoken``.

    Reads ``spoken`` and ``draft``.
    """
    if (speaker := _SPEAKER.get()) is not None:
        yield speaker
        return
    spoken = state.get("spoken", "")
    speaker = Speaker(ensure_config(), said=state.get("draft", "").strip() if spoken else "", message_id=spoken)
    try:
        yield speaker
    finally:
        await speaker.close()


def spoken_by(speaker: Speaker, write: Callable[[Any], None]) -> Callable[[Mapping[str, Any]], None]:
    """Return a writer that forwards every event, streams the text of a ``token``, and withdraws it at a ``retry``."""

    def spoken(event: Mapping[str, Any]) -> None:
        write(event)
        if event["type"] == "token":
            speaker.say(event["text"])
        elif event["type"] == "retry":
            speaker.supersede()

    return spoken
