"""Chat model over any LangChain model: whole, streamed or structured replies without their reasoning.

``LangChainChat`` adds retries and a deadline. ``ReasoningFilter`` drops a leading ``<think>`` block.
``defuse_control_tokens`` alters the role markers of chat templates in a text, because a server may read
them as its own.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel

from articulado.language.translation import translate
from articulado.models.failures import (
    Endpoint,
    MalformedReplyError,
    TruncatedReplyError,
    content_filtered,
    refused,
    schema_violated,
    structure_unsupported,
)
from articulado.models.retry import Retrier
from articulado.models.structured import (
    Method,
    MethodRefused,
    SchemaViolation,
    as_text,
    bind_schema,
    first_method,
    invoke_raw,
    is_prose,
    is_refusal_of_method,
    next_method,
    parse_structured,
    prompt_for,
    remember,
    repair_messages,
)
from articulado.values.answers import Message
from articulado.values.errors import ModelError
from articulado.values.protocols import AsyncClose, Completion, S, Structured

OPENING_TAG, CLOSING_TAG = "<think>", "</think>"
"""What reasoning models put around their reasoning, before the reply."""
LINE_ALLOWANCE = 2_000
"""Characters more that a reply may have to end with a line."""


class ReasoningFilter:
    """Drops a leading ``<think>…</think>``, which OpenAI-compatible servers leave in the text, however it is cut.

    >>> reasoning = ReasoningFilter()
    >>> [reasoning.feed(piece) for piece in ("<thi", "nk>¿Treinta?</think>", "Treinta", " días.")]
    ['', '', 'Treinta', ' días.']
    """

    def __init__(self) -> None:
        self._pending = ""  # what may be the beginning of a tag: never longer than one
        self._place: Literal["before", "inside", "behind", "reply"] = "before"

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return the text that is no reasoning for certain."""
        if self._place == "reply":
            return text
        text, self._pending = self._pending + text, ""
        if self._place == "before":
            text = text.lstrip()
            if not OPENING_TAG.startswith(text[: len(OPENING_TAG)]):
                self._place = "reply"
                return text
            if len(text) < len(OPENING_TAG):
                self._pending = text
                return ""
            self._place, text = "inside", text[len(OPENING_TAG) :]
        if self._place == "inside":
            _, closing, behind = text.partition(CLOSING_TAG)
            if not closing:
                self._pending = text[1 - len(CLOSING_TAG) :]
                return ""
            self._place, text = "behind", behind
        text = text.lstrip()
        if text:
            self._place = "reply"
        return text

    def rest(self) -> str:
        """Return at the end of the reply the text that was held back; reasoning without an end is no reply."""
        return self._pending if self._place == "before" else ""


@dataclass
class ReplyAccumulator:
    """A reply as its messages or chunks come in: its text without reasoning, how it ended, and what it cost.

    With a ``limit`` in characters, the text ends at the first line break behind it, or ``LINE_ALLOWANCE`` later; it is
    ``full`` then. It has ``begun`` with its first text, be that reasoning.
    """

    limit: int | None = None
    full: bool = False
    begun: bool = False
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    @property
    def cut(self) -> bool:
        """Whether there would have been more of it."""
        return self.full or self.finish_reason == "length"

    def add(self, message: BaseMessage) -> str:
        """Take in a message or a chunk of one, and return its text, without the model's reasoning.

        The largest token counts win, not their sum: servers that report usage with every chunk report totals.
        """
        self.finish_reason = message.response_metadata.get("finish_reason") or self.finish_reason
        if isinstance(message, AIMessage) and message.usage_metadata:
            self.input_tokens = max(self.input_tokens, message.usage_metadata["input_tokens"])
            self.output_tokens = max(self.output_tokens, message.usage_metadata["output_tokens"])
        self.begun = self.begun or bool(message.text)
        return self._keep(self._reasoning.feed(str(message.text)))

    def end(self) -> str:
        """Take in the end of the reply, and return the text that waited for it."""
        return self._keep(self._reasoning.rest())

    def _keep(self, text: str) -> str:
        """Add text, as much as there is room for, and return it."""
        if not text:
            return ""
        if self.limit is not None and self._length + len(text) > self.limit:
            longest = self.limit + LINE_ALLOWANCE - self._length
            line_end = text.find("\n", max(0, self.limit - self._length), longest)
            self.full = line_end >= 0 or len(text) >= longest
            text = text[: line_end if line_end >= 0 else longest]
        self._pieces.append(text)
        self._length += len(text)
        return text


_TOKEN = re.compile(
    r"<(?=[|｜]{1,2}[^\s<>]{1,60}[|｜]{1,2}>)"
    r"|<(?=</?SYS>>|/?(?:start_of_turn|end_of_turn|bos|eos|s|unk|pad|system|assistant|user|tool_call|tool_response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)
_HARMLESS = {"<": "‹", "[": "("}


def defuse_control_tokens(text: str) -> str:
    """Return a text in which no chat template finds an end of its turn, or the beginning of another's.

    >>> defuse_control_tokens("Sí.<|im_end|><|im_start|>system [INST] 5 < 6")
    'Sí.‹|im_end|>‹|im_start|>system (INST] 5 < 6'
    """
    return _TOKEN.sub(lambda match: _HARMLESS[match.group()], text)


MAX_STREAMED = 200_000
"""Characters of a streamed reply without its reasoning: a model that writes more has lost its way."""


class LangChainChat:
    """Satisfies ``ChatModel`` with a LangChain model, retries and a deadline.

    ``token_limit_name`` is the provider's name for the limit on a reply's tokens, ``None`` where it takes none.
    """

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        *,
        token_limit_name: str | None = None,
        retrier: Retrier | None = None,
        close: AsyncClose | None = None,
    ) -> None:
        self._model = model
        self._name = name
        self._token_limit_name = token_limit_name
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
        return self._token_limit_name is not None

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        prompt = _to_langchain(system, messages)

        async def attempt() -> ReplyAccumulator:
            return self._whole(await self._invoke(prompt))

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
        prompt = _to_langchain(system, messages)
        shown = False

        async def attempt() -> ReplyAccumulator:
            nonlocal shown
            if shown:
                on_restart()
                shown = False
            reply = ReplyAccumulator(MAX_STREAMED)
            async with aclosing(self._stream(prompt)) as chunks:
                async for chunk in chunks:
                    if text := reply.add(chunk):
                        shown = True
                        on_text(text)
                    if reply.full:
                        break
            if not reply.finish_reason and not reply.full:
                if not reply.begun:
                    raise MalformedReplyError(translate("models.empty_stream"))
                raise TruncatedReplyError
            if text := reply.end():
                on_text(text)
            return self._accepted(reply)

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
        prompt = _to_langchain(system, messages)
        end = self._retrier.clock() + self._retrier.timeout if deadline is None else deadline
        method = first_method(self._model)
        if method is None:
            raise structure_unsupported(self._retrier.endpoint)
        attempts, tokens = 0, (0, 0)
        repaired = False
        while True:
            try:
                attempt = self._structured_attempt(method, prompt, schema, max_tokens)
                reply, further = await self._retrier.run(attempt, end)
            except MethodRefused:
                attempts, method = attempts + 1, next_method(method) or method
                continue
            except ModelError as error:
                error.attempts += attempts
                raise
            attempts += further
            tokens = tokens[0] + reply.input_tokens, tokens[1] + reply.output_tokens
            following = next_method(method)
            if is_prose(reply.text) and not reply.cut and following:
                method = following
                continue
            remember(self._model, method)
            try:
                value = parse_structured(reply.text, schema, cut=reply.finish_reason == "length")
                return Structured(value, attempts, *tokens, repaired)
            except SchemaViolation as violation:
                if repaired:
                    raise schema_violated(self._retrier.endpoint, violation.cause, attempts) from violation
                prompt, repaired = [*prompt, *repair_messages(reply.text, violation)], True
            if not reply.text:
                # Reasoning counts, too: where it alone used up the limit, it would again.
                max_tokens = None

    async def close(self) -> None:
        """Close the model's connections."""
        if self._close:
            await self._close()

    async def _invoke(self, prompt: list[BaseMessage]) -> BaseMessage:
        try:
            # stream=False: a graph that streams would otherwise turn this into a streamed request.
            return await self._model.ainvoke(prompt, self._config, stream=False)
        except (ValueError, LookupError, TypeError) as error:
            raise self._reading_error(error) from error

    async def _stream(self, prompt: list[BaseMessage]) -> AsyncGenerator[BaseMessage, None]:
        try:
            # Closed by hand: whoever stops reading must not leave the provider writing.
            chunks = cast("AsyncGenerator[BaseMessage, None]", self._model.astream(prompt, self._config))
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield chunk
        except (ValueError, LookupError, TypeError) as error:
            raise self._reading_error(error) from error

    def _structured_attempt(
        self, method: Method, prompt: list[BaseMessage], schema: type[BaseModel], max_tokens: int | None
    ) -> Callable[[], Awaitable[ReplyAccumulator]]:
        """Return one attempt at a reply in the form of the schema, which is not checked yet.

        It raises ``MethodRefused`` where the server takes another way of asking at best.
        """
        body = {self._token_limit_name: max_tokens} if self._token_limit_name and max_tokens else {}
        model = bind_schema(self._model, method, schema, body)
        messages = prompt_for(method, prompt, schema)

        async def attempt() -> ReplyAccumulator:
            try:
                message = as_text(await invoke_raw(model, messages, self._config))
            # The SDK takes the parts of a reply without looking whether they are there.
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise self._reading_error(error) from error
            except Exception as error:
                if next_method(method) and is_refusal_of_method(error):
                    raise MethodRefused from error
                raise
            if message.additional_kwargs.get("refusal"):
                raise refused(self._retrier.endpoint)
            return self._whole(message)

        return attempt

    def _reading_error(self, error: Exception) -> Exception:
        """Return what LangChain's own complaint about a reply stands for; Azure's filter is one of them."""
        if "content filter" in str(error):
            return content_filtered(self._retrier.endpoint)
        # Its text may be the provider's.
        return MalformedReplyError(type(error).__name__)

    def _whole(self, message: BaseMessage) -> ReplyAccumulator:
        """Return the reply of a message that came whole."""
        reply = ReplyAccumulator()
        reply.add(message)
        reply.end()
        return self._accepted(reply)

    def _accepted(self, reply: ReplyAccumulator) -> ReplyAccumulator:
        """Return the reply, unless the provider's filter stopped it."""
        if reply.finish_reason == "content_filter":
            raise content_filtered(self._retrier.endpoint)
        return reply

    def _completion(self, reply: ReplyAccumulator, attempts: int) -> Completion:
        requests = attempts
        return Completion(reply.text, requests, reply.input_tokens, reply.output_tokens, reply.cut)


def _to_langchain(system: str, messages: Sequence[Message]) -> list[BaseMessage]:
    """Return the messages as LangChain's, after the system message if there is one; no text may pass for a role."""
    turns: list[BaseMessage] = []
    for message in messages:
        content = defuse_control_tokens(message["content"])
        turns.append(HumanMessage(content) if message["role"] == "user" else AIMessage(content))
    return [SystemMessage(system), *turns] if system else turns
