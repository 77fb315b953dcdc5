"""Chat model over any LangChain model: whole, streamed or structured replies without their reasoning."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import cast

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
from articulado.models.habits import ReasoningFilter, opens_silently, words_if_cut
from articulado.models.reply import MAX_STREAMED, ReplyAccumulator
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

_TOKEN = re.compile(
    r"<(?=[|｜]{1,2}[^\s<>]{1,60}[|｜]{1,2}>)"
    r"|<(?=</?SYS>>|/?(?:start_of_turn|end_of_turn|bos|eos|s|unk|pad|system|assistant|user|tool_call|tool_response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)
_HARMLESS = {"<": "‹", "[": "("}


def defuse_control_tokens(text: str) -> str:
    """Alter role markers of chat templates, which a server may read as its own.

    >>> defuse_control_tokens("Sí.<|im_end|><|im_start|>system [INST] 5 < 6")
    'Sí.‹|im_end|>‹|im_start|>system (INST] 5 < 6'
    """
    return _TOKEN.sub(lambda match: _HARMLESS[match.group()], text)


class LangChainChat:
    """``ChatModel`` over a LangChain model; ``token_limit_name``: the provider's parameter, ``None`` if unsupported."""

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
        self.name = name
        self._token_limit_name = token_limit_name
        self.takes_limit = token_limit_name is not None
        self._retrier = retrier or Retrier(Endpoint(name))
        self._close = close
        self._silent = opens_silently(name)
        # Raw tokens stay out of LangGraph's "messages" stream: they show the protocol below the answer.
        self._config: RunnableConfig = {"tags": [TAG_NOSTREAM]}

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply (``ChatModel.complete``)."""
        prompt = _to_langchain(system, messages)

        async def attempt() -> ReplyAccumulator:
            return self._whole(await self._invoke(prompt), MAX_STREAMED)

        return self._completion(prompt, *await self._retrier.run(attempt, deadline))

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Pass on the reply while it is written, then return it whole (``ChatModel.stream``)."""
        prompt = _to_langchain(system, messages)
        shown = False

        def restart() -> None:
            nonlocal shown
            if shown:
                on_restart()
            shown = False

        async def attempt() -> ReplyAccumulator:
            nonlocal shown
            restart()
            reply = ReplyAccumulator(MAX_STREAMED, ReasoningFilter(silent=self._silent))
            async with aclosing(self._stream(prompt)) as chunks:
                async for chunk in chunks:
                    text = reply.add(chunk)
                    if reply.void or reply.looped:
                        restart()
                        text, reply.void = reply.text, False
                    if text:
                        shown = True
                        on_text(text)
                    if reply.full:
                        break
            if not reply.finish_reason and not reply.full:
                if not reply.begun:
                    raise MalformedReplyError(translate("models.empty_stream"))
                raise TruncatedReplyError
            text = reply.end()
            if reply.void:
                restart()
            if text:
                on_text(text)
            # A model that has closed its thoughts once without a mark that opened them does so again.
            self._silent = reply.reasoning.closed_silently
            return self._accepted(reply)

        return self._completion(prompt, *await self._retrier.run(attempt, deadline))

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Return a reply that satisfies a schema, repaired once if necessary (``ChatModel.structured``)."""
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
        """Request an unchecked structured reply once; raise ``MethodRefused`` if the server refuses ``method``."""
        limit = {self._token_limit_name: max_tokens} if self._token_limit_name and max_tokens else {}
        body = {**limit, **(getattr(self._model, "extra_body", None) or {})}
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
        """Convert LangChain's errors about a reply, among them Azure's content filter."""
        if "content filter" in str(error):
            return content_filtered(self._retrier.endpoint)
        # Its text may be the provider's.
        return MalformedReplyError(type(error).__name__)

    def _whole(self, message: BaseMessage, limit: int | None = None) -> ReplyAccumulator:
        reply = ReplyAccumulator(limit)
        reply.add(message)
        reply.end()
        return self._accepted(reply)

    def _accepted(self, reply: ReplyAccumulator) -> ReplyAccumulator:
        if reply.finish_reason == "content_filter":
            raise content_filtered(self._retrier.endpoint)
        return reply

    def _completion(self, prompt: Sequence[BaseMessage], reply: ReplyAccumulator, attempts: int) -> Completion:
        endpoint, tokens, warnings = self._retrier.endpoint, reply.input_tokens, []
        if reply.looped:
            warnings.append(translate("models.looped", name=endpoint.title, variable=endpoint.variable("MODEL")))
        if words := words_if_cut("\n".join(str(message.text) for message in prompt), tokens):
            warnings.append(translate("models.prompt_cut", name=endpoint.title, tokens=tokens, words=words))
        return Completion(
            reply.text, attempts, reply.input_tokens, reply.output_tokens, reply.cut, warnings=tuple(warnings)
        )


def _to_langchain(system: str, messages: Sequence[Message]) -> list[BaseMessage]:
    """Convert messages, after the system message if any; role markers in texts are altered."""
    turns: list[BaseMessage] = []
    for message in messages:
        content = defuse_control_tokens(message["content"])
        turns.append(HumanMessage(content) if message["role"] == "user" else AIMessage(content))
    return [SystemMessage(system), *turns] if system else turns
