"""The reader: it turns a question into searches, with a chat model or offline."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from articulado.guides.cards import packaged_cards
from articulado.legal.domain.base import Domain
from articulado.legal.vocabulary.synonyms import glossed, names_elsewhere
from articulado.prompting.citation_markers import keep_markers
from articulado.prompting.outgoing_links import without_foreign_links
from articulado.prompting.prompts import Prompts, ReaderReply, asked_text, read_reader_reply
from articulado.values.answers import Message, TurnQuestion, searched_topic, whole_text
from articulado.values.errors import NO_COST, Cost, cost_of
from articulado.values.protocols import ChatModel, Closable

MAX_QUERIES, MAX_FOLLOWUP_QUERIES = 4, 3
HISTORY_MESSAGES, HISTORY_CHARACTERS = 4, 200


@dataclass(frozen=True)
class Searches:
    """Searches for a question, and their cost.

    ``other_matter``: other field of law that the question belongs to, empty if unnamed, ``None`` if not reported.
    ``new_topic``: the follow-up changes the subject. ``meant``: ids of the answer cards that it may ask for.
    """

    queries: list[str]
    other_matter: str | None = None
    new_topic: bool = False
    cost: Cost = field(default_factory=lambda: NO_COST)
    meant: Sequence[str] = ()


class Reader(Closable, Protocol):
    """Reads a question into searches, with retries within the deadline."""

    @property
    def name(self) -> str: ...

    async def searches(
        self,
        question: TurnQuestion,
        conversation: Sequence[Message],
        *,
        follow_up: bool,
        deadline: float | None = None,
    ) -> Searches:
        """Return the searches; a ``follow_up``, whose sources are at hand, may need none."""
        ...


class KeywordReader:
    """Reader without a model: one search with the topic of the question (docs/decisions/0058).

    A question in another language is searched by the need of the answer card that ``meant`` finds, else by its Spanish
    words (``glossed``).
    """

    name = "sin conexión (palabras clave)"

    def __init__(self, domain: Domain, meant: Callable[[str], Sequence[str]] | None = None) -> None:
        self._domain, self._meant = domain, meant

    async def searches(
        self,
        question: TurnQuestion,
        conversation: Sequence[Message],
        *,
        follow_up: bool,
        deadline: float | None = None,
    ) -> Searches:
        """Return one search, or none in a follow-up (``Reader.searches``)."""
        if follow_up and question["kind"] in ("same", "courtesy"):
            return Searches([])
        meant: Sequence[str] = ()
        if self._meant and question["language"] and not question["provisions"]:
            asked = whole_text(question)
            text = glossed(asked, question["language"])
            for read in dict.fromkeys((asked, text)) if not names_elsewhere(text) else ():
                meant = await asyncio.to_thread(self._meant, read) or meant
                if len(meant) == 1:
                    return Searches([packaged_cards()[meant[0]].need], meant=meant)
            if text != asked:
                return Searches([text], meant=meant)
        topic = searched_topic(question)
        queries = [topic] if self._domain.language.content_words(topic) else []
        return Searches(queries if queries or follow_up else [question["text"]], meant=meant)

    async def close(self) -> None: ...


class ChatReader:
    """Reader with a chat model. Satisfies ``Reader``."""

    def __init__(self, model: ChatModel, prompts: Prompts, domain: Domain) -> None:
        self._model, self._prompts, self._domain = model, prompts, domain

    @property
    def name(self) -> str:
        return self._model.name

    async def searches(
        self,
        question: TurnQuestion,
        conversation: Sequence[Message],
        *,
        follow_up: bool,
        deadline: float | None = None,
    ) -> Searches:
        """Return the searches of the model, or the question itself if the reply cannot be read."""
        recent: list[Message] = [
            {"role": message["role"], "content": keep_markers(message["content"], ())[0][:HISTORY_CHARACTERS]}
            for message in conversation[-HISTORY_MESSAGES:]
        ]
        completion = await self._model.complete(
            self._prompts["decompose_followup" if follow_up else "decompose"],
            [*recent, {"role": "user", "content": asked_text(question, self._domain.language)}],
            deadline=deadline,
        )
        limit = MAX_FOLLOWUP_QUERIES if follow_up else MAX_QUERIES
        reply = read_reader_reply(completion.text, limit, follow_up=follow_up)
        leaves = follow_up and (reply.new_topic or reply.other_matter is not None)
        queries = self._queries(reply)
        if not queries and (leaves or not follow_up or reply.queries or reply.broken):
            queries = [question["text"] if leaves else whole_text(question)]
        return Searches(queries, reply.other_matter, leaves, cost_of(completion))

    def _queries(self, reply: ReaderReply) -> list[str]:
        """Return the searches without links and provisions, whose numbers a model may invent."""
        linkless = (without_foreign_links(query, (), "").strip() for query in reply.queries)
        topics = (self._domain.question_topic(each) if self._domain.citations(each) else each for each in linkless)
        return [topic for topic in topics if topic]

    async def close(self) -> None:
        await self._model.close()
