"""What the offline chat models share: a reply worked out in this process, handed over a few words at a time."""

import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

_FINISHED = {"finish_reason": "stop"}
_PIECE = re.compile(r"(?:\s*\S+){1,24}|\s+")
"""A sentence or so: the whole reply is there, and each piece goes through every callback."""


class OfflineChat(BaseChatModel):
    """A chat model without a model behind it: deterministic, no key, no request."""

    @abstractmethod
    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return the reply to a conversation, whose last message is the user's."""

    @property
    def _llm_type(self) -> str:
        return "articulado-offline"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = AIMessage(self.reply(messages), response_metadata=_FINISHED)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self.reply(messages)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # A few milliseconds of work: not worth a thread.
        return self._generate(messages)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self.reply(messages)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _chunks(text: str) -> Iterator[ChatGenerationChunk]:
    """Cut a reply into pieces; the last chunk, empty, says that it is whole."""
    for piece in _PIECE.findall(text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=_FINISHED, chunk_position="last"))
