"""A chat role over any LangChain chat model."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel

from services.models.failures import (
    Endpoint,
    MalformedReplyError,
    TruncatedReplyError,
    cannot_structure,
    content_filtered,
    refused,
    unfit,
)
from services.models.retry import Retrier
from services.models.structured import CannotStructure, SchemaViolation, raw_reply, read, repair, structuring
from services.protocols import AsyncClose, Completion, S, Structured
from state.errors import ModelError
from state.values import Message

OPENING, CLOSING = "<think>", "</think>"


class ReasoningFilter:
    """Drops a leading ``<think>…</think>``, which OpenAI-compatible servers leave in the text, however it is cut."""

    def __init__(self) -> None:
        self._held = ""
        self._decided = False

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return what of it is reply for certain."""
        if self._decided:
            return text
        searched = max(0, len(self._held) - len(CLOSING))
        self._held += text
        begun = self._held.lstrip()
        if OPENING.startswith(begun[: len(OPENING)]):
            closing = self._held.find(CLOSING, searched)
            if closing < 0:
                return ""
            self._held = self._held[closing + len(CLOSING) :].lstrip()
        self._decided = True
        return self._held

    def rest(self) -> str:
        """Return at the end of the reply what was held back; thoughts without an end are no reply."""
        return "" if self._decided or self._held.lstrip().startswith(OPENING) else self._held


@dataclass
class Draft:
    """Text, how it ended, and what it cost."""

    text: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    thoughts: ReasoningFilter = field(default_factory=ReasoningFilter)

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
    ``limit`` is what the provider calls the limit on a reply's tokens, ``None`` where it takes none.
    """

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        *,
        requests_per_attempt: int = 1,
        limit: str | None = None,
        retrier: Retrier | None = None,
        close: AsyncClose | None = None,
    ) -> None:
        self._model = model
        self._name = name
        self._requests_per_attempt = requests_per_attempt
        self._limit = limit
        self._retrier = retrier or Retrier(Endpoint(name))
        self._close = close
        # Raw tokens stay out of LangGraph's "messages" stream: they show the protocol below the answer.
        self._config: RunnableConfig = {"tags": [TAG_NOSTREAM]}

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        return self._name

    @property
    def takes_limit(self) -> bool:
        """Whether the provider accepts a limit on the length of a reply."""
        return self._limit is not None

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        sent = _converted(system, messages)

        async def attempt() -> Draft:
            draft = Draft()
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

        async def attempt() -> Draft:
            nonlocal shown
            if shown:
                on_restart()
                shown = False
            draft = Draft()
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

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Return a reply that satisfies a schema, repaired once if need be (``ChatModel.structured``)."""
        sent = _converted(system, messages)
        end = self._retrier.clock() + self._retrier.timeout if deadline is None else deadline
        attempts, tokens = 0, (0, 0)
        cause = ""
        for repaired in (False, True):
            try:
                draft, more = await self._retrier.run(self._filling(sent, schema, max_tokens), end)
            except ModelError as error:
                error.attempts += attempts
                raise
            attempts += more
            tokens = tokens[0] + draft.input_tokens, tokens[1] + draft.output_tokens
            try:
                value = read(draft.text, schema, cut=draft.finish_reason == "length")
                return Structured(value, attempts * self._requests_per_attempt, *tokens, repaired)
            except SchemaViolation as misfit:
                cause = misfit.cause
                sent = [*sent, *repair(draft.text, misfit)]
            if not draft.text:
                # Thoughts count, too: where they alone used up the limit, they would again.
                max_tokens = None
        raise unfit(self._retrier.endpoint, cause, attempts)

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

    def _filling(
        self, sent: list[BaseMessage], schema: type[BaseModel], max_tokens: int | None
    ) -> Callable[[], Awaitable[Draft]]:
        """Return one attempt at a reply in the form of the schema, which nobody has checked yet."""
        try:
            body = {self._limit: max_tokens} if self._limit and max_tokens else {}
            model = structuring(self._model, schema, body)
        except CannotStructure as error:
            raise cannot_structure(self._retrier.endpoint) from error

        async def attempt() -> Draft:
            try:
                reply = await raw_reply(model, sent, self._config)
            # The SDK takes the parts of a reply without looking whether they are there.
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise self._unreadable(error) from error
            if reply.additional_kwargs.get("refusal"):
                raise refused(self._retrier.endpoint)
            draft = Draft()
            draft.add(reply)
            draft.end()
            return self._accepted(draft)

        return attempt

    def _unreadable(self, error: Exception) -> Exception:
        """Tell what LangChain's own complaint about a reply stands for; Azure's filter is one of them."""
        if "content filter" in str(error):
            return content_filtered(self._retrier.endpoint)
        return MalformedReplyError(str(error))

    def _accepted(self, draft: Draft) -> Draft:
        if draft.finish_reason == "content_filter":
            raise content_filtered(self._retrier.endpoint)
        return draft

    def _completion(self, draft: Draft, attempts: int) -> Completion:
        requests = attempts * self._requests_per_attempt
        cut = draft.finish_reason == "length"
        return Completion(draft.text, requests, draft.input_tokens, draft.output_tokens, cut)


def _converted(system: str, messages: Sequence[Message]) -> list[BaseMessage]:
    turns: list[BaseMessage] = [
        HumanMessage(message["content"]) if message["role"] == "user" else AIMessage(message["content"])
        for message in messages
    ]
    return [SystemMessage(system), *turns] if system else turns
