"""The reader: what is searched for a question, by a chat model or by its own words.

``Reader`` is the Protocol and ``Searches`` what it returns. ``ChatReader`` owns the messages for a chat model and the
parsing of its reply; ``KeywordReader`` works offline.
"""

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

    ``other_matter`` is the field that the question is of instead, empty where the reader does not name it, ``None``
    where it finds nothing of the kind. ``new_topic`` tells that a follow-up leaves the subject of its conversation.
    ``meant`` are the ids of the answer cards that the question may ask for, where their needs were looked for.
    """

    queries: list[str]
    other_matter: str | None = None
    new_topic: bool = False
    cost: Cost = field(default_factory=lambda: NO_COST)
    meant: Sequence[str] = ()


class Reader(Closable, Protocol):
    """Reads a question into searches. Retries and the deadline are its business."""

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        ...

    async def searches(
        self,
        question: TurnQuestion,
        conversation: Sequence[Message],
        *,
        follow_up: bool,
        deadline: float | None = None,
    ) -> Searches:
        """Return what is to be searched for; a ``follow_up``, whose sources are at hand, may need nothing.

        Raises:
            ModelError: the provider failed for good.
        """
        ...


class KeywordReader:
    """Reads a question without a model, and gives one search: all of it that is topic. Satisfies ``Reader``.

    Taken apart into keywords and legal terms it was found worse (docs/retrieval.md): both encoders read a question as
    it is asked, and add the legal terms themselves. A provision that the question names is looked up elsewhere: only
    what the question says beside it is searched. A follow-up is searched together with its subject; one that only
    speaks of the answer before it has no searches.

    A question in another language shares no words with the texts: where ``meant`` finds the one need that it asks for,
    this is what is searched, else its words in Spanish where there is a table of them (``glossed``).
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
        found = [topic] if self._domain.language.content_words(topic) else []
        return Searches(found if found or follow_up else [question["text"]], meant=meant)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class ChatReader:
    """Asks a chat model for searches; satisfies ``Reader``."""

    def __init__(self, model: ChatModel, prompts: Prompts, domain: Domain) -> None:
        self._model, self._prompts, self._domain = model, prompts, domain

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._model.name

    async def searches(
        self,
        question: TurnQuestion,
        conversation: Sequence[Message],
        *,
        follow_up: bool,
        deadline: float | None = None,
    ) -> Searches:
        """Return the searches of the model's reply; what cannot be read is searched in the question's own words."""
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
        said = read_reader_reply(completion.text, limit, follow_up=follow_up)
        leaves = follow_up and (said.new_topic or said.other_matter is not None)
        queries = self._queries(said)
        if not queries and (leaves or not follow_up or said.queries or said.broken):
            queries = [question["text"] if leaves else whole_text(question)]
        return Searches(queries, said.other_matter, leaves, cost_of(completion))

    def _queries(self, said: ReaderReply) -> list[str]:
        """Return the searches of a reply without links and provisions: a reader makes their numbers up.

        A reader may have been told to write an address: nothing is found by it, and who is served reads the searches.
        """
        linkless = (without_foreign_links(query, (), "").strip() for query in said.queries)
        topics = (self._domain.question_topic(each) if self._domain.citations(each) else each for each in linkless)
        return [topic for topic in topics if topic]

    async def close(self) -> None:
        """Close the model's connections."""
        await self._model.close()
