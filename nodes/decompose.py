"""Decompose the question into keyword searches with the reader model.

A reader that fails, is late or returns nonsense costs quality only: the question is then searched in its
own words.
"""

from collections.abc import Sequence
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import is_about_answer, searched_topic, split_subject, with_subject
from articulado.models.retry import UNLIMITED, QuestionTime
from articulado.prompting.citation_markers import keep_markers
from articulado.prompting.outgoing_links import without_foreign_links
from articulado.prompting.prompts import Prompts, read_reader_reply
from articulado.retrieval.agreements import without_agreement_names
from articulado.values.answers import Cost, Message, cost_of, cost_of_failure
from articulado.values.chunks import Candidate
from articulado.values.errors import ModelError
from articulado.values.protocols import ChatModel
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.rag import RagState, agreements_asked, carried_over

MAX_QUERIES = 4
MAX_FOLLOWUP_QUERIES = 3
HISTORY_MESSAGES = 4
HISTORY_CHARACTERS = 200


class DecomposeUpdate(TypedDict):
    """What the reader makes of the question, what is searched for, and a warning where the reader failed."""

    contextualized_question: NotRequired[str]
    queries: list[str]
    searches: list[str]
    other_matter: NotRequired[str | None]
    new_topic: NotRequired[bool]
    about_answer: bool
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def decompose(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    reader: ChatModel,
    prompts: Prompts,
    domain: Domain,
    question_time: QuestionTime = UNLIMITED,
) -> DecomposeUpdate:
    """Ask for searches; a reader that is down, late or talks nonsense costs quality, never the answer.

    A question that the reader finds of another field is searched all the same, with its own words: what is found
    decides. A follow-up of another field has left the subject of its conversation, too.
    """
    carried = bool(carried_over(state))
    question = _with_title(state["contextualized_question"], carried_over(state), domain)
    recent: list[Message] = [
        {"role": message["role"], "content": keep_markers(message["content"], ())[0][:HISTORY_CHARACTERS]}
        for message in state["conversation"][-HISTORY_MESSAGES:]
    ]
    system = prompts["decompose_followup" if carried else "decompose"]
    asked = without_agreement_names(question, agreements_asked(state).names)
    try:
        completion = await reader.complete(
            system,
            [*recent, {"role": "user", "content": asked}],
            deadline=question_time.deadline_of("reader", state.get("deadline")),
        )
    except ModelError as error:
        spoken = language_of_turn(state, domain.language)
        return {
            "queries": [_whole(asked, domain)],
            "searches": searches_of(asked, [_whole(asked, domain)], domain),
            "about_answer": False,
            "warnings": [
                *state["warnings"],
                spoken.translate("rag_searched_as_asked", problem=error),
            ],
            "cost": cost_of_failure(error),
        }
    said = read_reader_reply(completion.text, MAX_FOLLOWUP_QUERIES if carried else MAX_QUERIES, follow_up=carried)
    # A reader may have been told to write an address: nothing is found by it, and who is served reads the searches.
    linkless = [without_foreign_links(query, (), "").strip() for query in said.queries]
    queries = [topic for query in linkless if (topic := _without_provisions(query, domain))]
    leaves = carried and (said.new_topic or said.other_matter is not None)
    if leaves:
        (question, _), (asked, _) = (split_subject(text, domain.language) for text in (question, asked))
    if not queries and (leaves or not carried or said.queries or said.broken):
        queries = [_whole(asked, domain)]
    return {
        "contextualized_question": question,
        "queries": queries,
        "searches": searches_of(asked, queries, domain),
        "other_matter": said.other_matter,
        "new_topic": state["new_topic"] or leaves,
        "about_answer": not queries,
        "cost": cost_of(completion),
    }


def _whole(question: str, domain: Domain) -> str:
    """Return a question and its subject as one text."""
    return " ".join(filter(None, split_subject(question, domain.language)))


def _with_title(question: str, carried: Sequence[Candidate], domain: Domain) -> str:
    """Return a question whose subject only names a provision with the title of that in its place: that says the topic.

    "¿y si es mi suegra? (sobre: ¿qué dice el artículo 37.3 ET?)" is about "Descanso semanal, fiestas y permisos".
    """
    own_words, subject = split_subject(question, domain.language)
    if not subject or not carried or domain.question_topic(subject):
        return question
    chunk = carried[0]["chunk"]
    title = f"{chunk['title']}, {chunk['provision']}, {chunk['law_name']}"
    return with_subject(own_words, title, domain.language, about_answer=is_about_answer(question, domain.language))


def _without_provisions(query: str, domain: Domain) -> str:
    """Return a search without the provisions that it names: a reader makes their numbers up, and no text has them.

    Empty where it names nothing else.
    """
    return domain.question_topic(query) if domain.citations(query) else query


def searches_of(question: str, queries: Sequence[str], domain: Domain) -> list[str]:
    """Return the searches to make: those of the reader, and beside them the question as it was asked, in its context.

    Keywords lose what the encoders have learnt of how people ask, and a reader may leave the subject of a follow-up out
    (docs/retrieval.md, docs/conversations.md). A search that has all of the question's words makes it superfluous, and
    where there are none there is nothing new to search for.
    """
    topic = " ".join(searched_topic(part, domain) for part in split_subject(question, domain.language)).strip()
    topic_stems = set(domain.stems(topic))
    if not queries or any(topic_stems <= set(domain.stems(query)) for query in queries):
        return [*queries]
    return [*queries, topic]
