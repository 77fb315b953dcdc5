"""Routes of OpenAI's protocol, which send a text after it has been checked: the protocol cannot take back text."""

import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, cast
from uuid import uuid4

from fastapi import APIRouter, Header, Path
from fastapi.responses import JSONResponse, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from typing_extensions import TypedDict

from articulado.answering.footnotes import footnotes, name_of, web_address
from articulado.language.languages import language as language_of
from articulado.language.translation import translate
from articulado.prompting.citation_markers import marker_spans
from articulado.values.answers import Citation, Message
from articulado.values.errors import ArticuladoError, ConversationUnknown
from server.conversations.routes import THREAD, Threads
from server.conversations.store import check_name
from server.errors import CONTEXT, V1, ModelUnknown, failure_of, openai_error, openai_failures, status_of
from server.guards import Policy
from server.operations.requests import current_caller
from server.runnable import ServedGraph
from server.v1.answers import EVENTS, Answer
from server.v1.examples import EXAMPLES, Annotation, AnswerMessage, ChatUsage, Choice, Model, Models, UrlCitation
from server.v1.requests import MODEL, ChatRequest, Conversation, carried_out, read_conversation, thread_of

Events: TypeAlias = AsyncGenerator[dict[str, Any], None]

logger = logging.getLogger(__name__)

PHASES = {
    "understand": ("analyze_question", "decompose", "load_carryover"),
    "search": ("embed_queries", "encode_sparse", "hybrid_search", "merge_candidates", "lookup_records"),
    "follow": ("expand_references", "choose_cards", "refetch"),
    "order": ("rerank", "judge_relevance", "select_context"),
    "write": ("answer", "repair_marks", "abstain"),
    "check": ("verify", "check_claims", "finalize"),
}
_PHASE_OF = {stage: phase for phase, stages in PHASES.items() for stage in stages}
_OPENING = ("analyze_question", "load_carryover")  # they check the input, so that a bad request has its own status
_AFTER_LIST = re.compile(r"^((?:[-*•]|\d+\.) .*)\n(?=[^\s\-*•\d|>#`])", re.MULTILINE)
THREAD_HEADER = "x-thread-id"
DONE = "[DONE]"


class Completion(TypedDict):
    """An answer in OpenAI's protocol; ``articulado`` is the whole result, if it was asked for."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: ChatUsage
    articulado: NotRequired[Answer]


_MODEL: Model = {"id": MODEL, "object": "model", "created": 1_767_225_600, "owned_by": "articulado"}
_MODELS: Models = {"object": "list", "data": [_MODEL]}
_COMPLETED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "La respuesta, o sus trozos si se piden con «stream»",
        "content": {
            "application/json": {"examples": {"respuesta": {"value": EXAMPLES["completion"]}}},
            EVENTS: {"schema": {"type": "string"}, "examples": {"respuesta": {"value": EXAMPLES["chunks"]}}},
        },
    }
}


@dataclass
class Reply:
    """A run as a reply: takes the events of the graph, and returns the fields of a message."""

    body: ChatRequest
    law: bool
    phases: Callable[[str], str]
    conversation: Conversation
    recent: "Recent"
    result: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))
    seen: list[str] = field(default_factory=list)

    def take(self, event: Mapping[str, Any]) -> str:
        """Take an event; return the line of a phase that begins, if the caller wants those."""
        if event["type"] == "final":
            self.result = event["result"]
            self.recent.keep(self.result)
        phase = _PHASE_OF.get(str(event.get("stage")), "") if self.body.stages else ""
        if not phase or phase in self.seen[-1:]:
            return ""
        self.seen.append(phase)
        return f"{self.phases(phase)}\n"

    @property
    def answer(self) -> str:
        return _AFTER_LIST.sub(r"\1\n\n", str(self.result.get("answer", "")).rstrip())

    @property
    def content(self) -> str:
        """Text of the answer, with sources and warnings unless the caller declines them."""
        if self.conversation.order:
            return carried_out(self.conversation.order)
        result = self.result
        warnings = [
            *([translate("server.chat_unread")] if self.conversation.is_partial else []),
            *(f"«{' '.join(one['where'].split())}»: {one['message']}" for one in result["findings"]),
            *result["precedence"],
            *result["warnings"],
        ]
        if not self.body.sources or not (result["citations"] or warnings):
            return self.answer
        block = footnotes(result["citations"], warnings, language_of(result["language"]), law=self.law)
        return f"{self.answer}\n\n{block}"

    def annotations(self) -> list[Annotation]:
        """Return the sources with an address, once per mark, or for the whole text if it has no marks."""
        answer, found = self.answer, []
        cited: Mapping[str, Citation] = {one["mark"]: one for one in self.result.get("citations", ())}
        places = [(start, end, f"C{number}") for start, end, numbers in marker_spans(answer) for number in numbers] or [
            (0, len(answer), mark) for mark in cited
        ]
        for start, end, mark in places:
            source = cited.get(mark)
            if source and (url := web_address(source["url"])):
                title = name_of(source, language_of(self.result["language"]))
                citation: UrlCitation = {"start_index": start, "end_index": end, "title": title, "url": url}
                found.append(Annotation(type="url_citation", url_citation=citation))
        return found

    @property
    def finish(self) -> Literal["stop", "length"]:
        return "length" if self.result.get("cut") else "stop"

    @property
    def usage(self) -> ChatUsage:
        tokens = (self.result.get("usage") or {}).get("tokens") or {"input": 0, "output": 0}
        total = tokens["input"] + tokens["output"]
        return {"prompt_tokens": tokens["input"], "completion_tokens": tokens["output"], "total_tokens": total}

    def whole(self) -> Completion:
        """Return the reply as one object."""
        message: AnswerMessage = {"role": "assistant", "content": self.content, "annotations": self.annotations()}
        if self.body.stages:
            message["reasoning_content"] = "".join(f"{self.phases(phase)}\n" for phase in self.seen)
        reply: Completion = {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": self.usage,
        }
        if self.body.full_result:
            reply["articulado"] = self.result
        return reply

    def chunk(self, delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> ServerSentEvent:
        """Return a piece of the reply as an event."""
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        wants_usage = self.body.stream_options and self.body.stream_options.include_usage
        told: dict[str, Any] = {"usage": None} if wants_usage else {}
        return _event(
            {
                "id": self.id,
                "object": "chat.completion.chunk",
                "created": self.created,
                "model": MODEL,
                "choices": choices,
                **told,
                **more,
            }
        )

    def ending(self) -> Iterable[ServerSentEvent]:
        """Yield the text by lines, the sources with the finish reason, the tokens if wanted, and the last event."""
        for line in self.content.splitlines(keepends=True):
            yield self.chunk({"content": line})
        more = {"articulado": self.result} if self.body.full_result else {}
        yield self.chunk({"annotations": self.annotations()}, self.finish, **more)
        if self.body.stream_options and self.body.stream_options.include_usage:
            yield self.chunk({}, choices=[], usage=self.usage)
        yield ServerSentEvent(DONE, sep="\n")


class Recent:
    """Chunks behind the last ``most`` answers, by caller and text: programs repeat only the texts of a conversation."""

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._ids: OrderedDict[bytes, list[int]] = OrderedDict()

    def keep(self, result: Mapping[str, Any]) -> None:
        self._ids[_key(result["answer"])] = result["context_chunk_ids"]
        while len(self._ids) > self._most:
            self._ids.popitem(last=False)

    def before(self, history: Sequence[Message]) -> list[int]:
        answers = [message["content"] for message in history if message["role"] == "assistant"]
        return self._ids.get(_key(answers[-1]), []) if answers else []


def _key(answer: str) -> bytes:
    return blake2b(json.dumps([current_caller(), *answer.split()]).encode(), digest_size=16).digest()


def chat_routes(
    rag: ServedGraph, threads: Threads, policy: Policy, phases: Callable[[str], str], *, law: bool
) -> APIRouter:
    """Return the routes; ``phases`` translates a phase of a run, ``law`` lets the sources speak of legal advice."""
    router, recent = APIRouter(prefix=V1), Recent()
    read = openai_failures(401, 403, 500, 503)

    @router.get("/models", summary="Saber qué modelos hay", responses=read)
    async def models() -> Models:
        """Enumera los modelos en el protocolo de OpenAI: uno, «articulado»."""
        return _MODELS

    @router.get("/models/{model:path}", summary="Saber de un modelo", responses=read | openai_failures(404))
    async def model(model: Annotated[str, Path(description="Nombre del modelo")]) -> Model:
        """Devuelve un modelo en el protocolo de OpenAI."""
        check_model(model)
        return _MODEL

    @router.post(
        "/chat/completions",
        summary="Responder en el protocolo de OpenAI",
        response_model=Completion,
        responses=read | openai_failures(400, 404, 409, 413, 415, 429, 504) | _COMPLETED,
    )
    async def complete(
        body: ChatRequest,
        thread_id: Annotated[
            str, Header(alias=THREAD_HEADER, description="Conversación en la que se pregunta; va antes que «user»")
        ] = "",
    ) -> Response:
        """Responde a la última pregunta de una conversación, con sus fuentes al final del texto y como anotaciones.

        Con «stream» llega por trozos cuando se ha comprobado: este protocolo no permite retirar lo enviado.
        """
        check_model(body.model)
        body.check()
        policy.check_options(body.max_chunks, body.rerank_strategy)
        reply = Reply(body, law, phases, read_conversation(body.messages), recent)
        thread = thread_id.strip() or thread_of(body.user)
        headers = {THREAD_HEADER: thread} if thread else {}
        run = _nothing() if reply.conversation.order else rag.astream(await _input(reply, threads, thread))
        events = cast("Events", run)
        if not body.stream:
            async with aclosing(events):
                async for event in events:
                    reply.take(event)
            return JSONResponse(reply.whole(), headers=headers)
        read_ahead = await _checked(events)
        return EventSourceResponse(_chunks(reply, read_ahead, events), headers=headers, sep="\n")

    return router


def check_model(name: str) -> None:
    if name != MODEL:
        raise ModelUnknown(translate("server.chat_model_unknown", model=name[:100], known=MODEL))


async def _input(reply: Reply, threads: Threads, thread: str) -> dict[str, Any]:
    """Return the input of a run, without history that the conversation has stored; differing history counts."""
    conversation = reply.conversation
    sent: dict[str, Any] = {"question": conversation.question, CONTEXT: reply.body.context()}
    if thread:
        check_name(thread)
        sent[THREAD] = thread
    if conversation.history and not (thread and await _has(threads, thread, conversation)):
        sent["history"] = conversation.history
        sent["previous_chunk_ids"] = reply.recent.before(conversation.history)
    return sent


async def _has(threads: Threads, thread: str, conversation: Conversation) -> bool:
    kept, name = threads.kept_as(thread)
    try:
        found = await kept.read(name)
    except ConversationUnknown:
        return False
    messages, sent = (
        [(message["role"], message["content"].split()) for message in read]
        for read in (found.messages, conversation.history)
    )
    return messages[-len(sent) :] == sent


async def _checked(events: Events) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = []
    async for event in events:
        read.append(event)
        if event.get("stage") not in _OPENING:
            break
    return read


async def _chunks(
    reply: Reply, read_ahead: Iterable[Mapping[str, Any]], events: Events
) -> AsyncIterator[ServerSentEvent]:
    try:
        yield reply.chunk({"role": "assistant", "content": ""})
        async with aclosing(events):
            for event in read_ahead:
                if line := reply.take(event):
                    yield reply.chunk({"reasoning_content": line})
            async for event in events:
                if line := reply.take(event):
                    yield reply.chunk({"reasoning_content": line})
        for piece in reply.ending():
            yield piece
    except Exception as error:
        if not isinstance(error, ArticuladoError):
            logger.exception(translate("server.interrupted"))
        yield _event(openai_error(status_of(error), failure_of(error), error))


async def _nothing() -> Events:
    empty: tuple[dict[str, Any], ...] = ()
    for event in empty:
        yield event


def _event(data: Mapping[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False), sep="\n")
