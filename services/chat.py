"""A chat role over any LangChain chat model."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from services.model_failures import Endpoint, MalformedReplyError, TruncatedReplyError, content_filtered
from services.protocols import AsyncClose, Completion
from services.retry import Retrier
from services.thoughts import ThoughtFilter
from state.values import Message


@dataclass
class _Draft:
    """What one attempt has brought so far."""

    text: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    thoughts: ThoughtFilter = field(default_factory=ThoughtFilter)

    def add(self, message: BaseMessage) -> str:
        """Take in a message or a chunk of one, and return its text, without the model's thoughts.

        The largest token counts win, not their sum: servers that report usage with every chunk report totals.
        """
        text = self.thoughts.feed(str(message.text))
        self.text += text
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            self.input_tokens = max(self.input_tokens, message.usage_metadata["input_tokens"])
            self.output_tokens = max(self.output_tokens, message.usage_metadata["output_tokens"])
        return text

    def end(self) -> str:
        """Return the text that waited for the end of the reply."""
        text = self.thoughts.rest()
        self.text += text
        return text


class LangChainChat:
    """Satisfies ``ChatModel`` with a LangChain model, retries and a deadline.

    ``requests_per_attempt`` is what one call costs in HTTP requests: 0 for a model that runs in this process.
    """

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        *,
        requests_per_attempt: int = 1,
        retrier: Retrier | None = None,
        close: AsyncClose | None = None,
    ) -> None:
        self._model = model
        self._name = name
        self._requests_per_attempt = requests_per_attempt
        self._retrier = retrier or Retrier(Endpoint(name))
        self._close = close
        # Raw tokens stay out of LangGraph's "messages" stream: they show the protocol below the answer.
        self._config: RunnableConfig = {"tags": [TAG_NOSTREAM]}

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        return self._name

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        sent = _converted(system, messages)

        async def attempt() -> _Draft:
            draft = _Draft()
            draft.add(await self._ask(sent))
            draft.end()
            return self._accepted(draft)

        return self._completion(*await self._retrier.run(attempt, deadline))

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Hand over the reply as it is written, then return it whole (``ChatModel.stream``)."""
        sent = _converted(system, messages)
        shown = False

        async def attempt() -> _Draft:
            nonlocal shown
            if shown:
                on_restart()
                shown = False
            draft = _Draft()
            async with aclosing(self._chunks(sent)) as chunks:
                async for chunk in chunks:
                    if text := draft.add(chunk):
                        shown = True
                        on_text(text)
            if not draft.finish_reason:
                raise TruncatedReplyError
            if text := draft.end():
                on_text(text)
            return self._accepted(draft)

        return self._completion(*await self._retrier.run(attempt, deadline))

    async def close(self) -> None:
        """Close the model's connections."""
        if self._close:
            await self._close()

    async def _ask(self, sent: list[BaseMessage]) -> BaseMessage:
        try:
            # stream=False: a graph that streams would otherwise turn this into a streamed request.
            return await self._model.ainvoke(sent, self._config, stream=False)
        except (ValueError, LookupError, TypeError) as error:
            raise self._unreadable(error) from error

    async def _chunks(self, sent: list[BaseMessage]) -> AsyncGenerator[BaseMessage, None]:
        try:
            async for chunk in self._model.astream(sent, self._config):
                yield chunk
        except (ValueError, LookupError, TypeError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> Exception:
        """Tell what LangChain's own complaint about a reply stands for; Azure's filter is one of them."""
        if "content filter" in str(error):
            return content_filtered(self._retrier.endpoint)
        return MalformedReplyError(str(error))

    def _accepted(self, draft: _Draft) -> _Draft:
        if draft.finish_reason == "content_filter":
            raise content_filtered(self._retrier.endpoint)
        return draft

    def _completion(self, draft: _Draft, attempts: int) -> Completion:
        requests = attempts * self._requests_per_attempt
        cut = draft.finish_reason == "length"
        return Completion(draft.text, requests, draft.input_tokens, draft.output_tokens, cut)


def _converted(system: str, messages: Sequence[Message]) -> list[BaseMessage]:
    turns: list[BaseMessage] = [
        HumanMessage(message["content"]) if message["role"] == "user" else AIMessage(message["content"])
        for message in messages
    ]
    return [SystemMessage(system), *turns] if system else turns
