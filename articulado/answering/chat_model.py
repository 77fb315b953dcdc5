"""Base class of the offline chat models.

``OfflineChat`` computes the whole reply in this process and streams it in pieces of at most 24 words. It is
deterministic, needs no key and sends no request. A subclass implements ``reply``.
"""

import json
import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import ConfigDict

from articulado.legal.domain.base import Domain, EqualWeights, StemWeights
from articulado.legal.domain.spanish_law import (
    is_about_answer,
    is_courtesy,
    searched_topic,
    split_subject,
    without_protocol,
)

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


FOLLOW_UP = "MODO: SEGUIMIENTO"
"""A line of the system prompt that tells a follow-up with carried-over context from a first question."""


class KeywordReader(OfflineChat):
    """Reads a question without a model, and gives one search: all of it that is topic.

    Taken apart into keywords and legal terms it was found worse (docs/retrieval.md): both encoders read a question as
    it is asked, and add the legal terms themselves. A provision that the question names is looked up elsewhere: only
    what the question says beside it is searched. A follow-up is searched together with its subject; one that only
    speaks of the answer before it gives ``[]``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return a JSON array of one search, or none in a follow-up."""
        language = self.domain.language
        asked = str(messages[-1].text)
        question, subject = map(without_protocol, split_subject(asked, language))
        if FOLLOW_UP in str(messages[0].text).splitlines():
            searches = [] if is_about_answer(asked, language) else self._follow_up(question, subject)
        else:
            searches = self._search(question, subject) or [question or asked]
        return json.dumps(searches, ensure_ascii=False)

    def _follow_up(self, question: str, subject: str) -> list[str]:
        language = self.domain.language
        return [] if is_courtesy(question, language) else self._search(question, subject)

    def _search(self, question: str, subject: str) -> list[str]:
        topic = " ".join(searched_topic(part, self.domain) for part in (question, subject)).strip()
        return [topic] if self.domain.language.content_words(topic) else []
