"""Turn the question into keyword searches with the reader, or search it as asked if the reader fails."""

from collections.abc import Sequence
from datetime import date
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.answering.reader import Reader
from articulado.legal.domain.base import Domain
from articulado.models.retry import UNLIMITED, QuestionTime
from articulado.retrieval.agreements import without_agreement_names
from articulado.retrieval.question import described, up_to_date
from articulado.values.answers import TurnQuestion, searched_topic, whole_text
from articulado.values.chunks import Candidate
from articulado.values.errors import Cost, ModelError, cost_of_failure
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.rag import RagState
from state.run import carried_over, days_of


class DecomposeUpdate(TypedDict):
    """The question as the reader understands it, and the searches to make."""

    turn_question: TurnQuestion
    queries: list[str]
    searches: list[str]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def decompose(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    reader: Reader,
    domain: Domain,
    question_time: QuestionTime = UNLIMITED,
) -> DecomposeUpdate:
    """Ask the reader for searches. Reads ``conversation`` and ``carried``."""
    carried = carried_over(state)
    today = days_of(state).today
    question = _with_title(up_to_date(state["turn_question"], domain, today), carried, domain, today)
    names = question["agreement_names"]
    text, subject = (without_agreement_names(part, names) for part in (question["text"], question["subject"]))
    asked: TurnQuestion = {**question, "text": text, "subject": subject}
    try:
        reply = await reader.searches(
            asked,
            state["conversation"],
            follow_up=bool(carried),
            deadline=question_time.deadline_of("reader", state.get("deadline")),
        )
    except ModelError as error:
        spoken = language_of_turn(state, domain.language)
        return {
            "queries": [whole_text(asked)],
            "searches": searches_of(asked, [whole_text(asked)], domain),
            "turn_question": {**question, "about_answer": False},
            "warnings": [spoken.translate("rag_searched_as_asked", problem=error)],
            "cost": cost_of_failure(error),
        }
    if reply.new_topic:
        question, asked = (described({**each, "subject": ""}, domain, today) for each in (question, asked))
    return {
        "turn_question": {
            **question,
            "new_topic": question["new_topic"] or reply.new_topic,
            "about_answer": not reply.queries,
            "other_matter": reply.other_matter,
            "meant": list(reply.meant),
        },
        "queries": reply.queries,
        "searches": searches_of(asked, reply.queries, domain),
        "cost": reply.cost,
    }


def _with_title(question: TurnQuestion, carried: Sequence[Candidate], domain: Domain, today: date) -> TurnQuestion:
    """Return the question with the title of the cited provision as its subject if the subject names no topic."""
    if not question["subject"] or not carried or domain.question_topic(question["subject"]):
        return question
    chunk = carried[0]["chunk"]
    subject = f"{chunk['title']}, {chunk['provision']}, {chunk['law_name']}"
    return described({**question, "subject": subject}, domain, today)


def searches_of(question: TurnQuestion, queries: Sequence[str], domain: Domain) -> list[str]:
    """Return the reader's searches and, unless one of them has all its words, the question in its context.

    Keywords lose the phrasing that encoders learnt, and may lack the subject of a follow-up (docs/decisions/0058).
    """
    topic, topic_stems = searched_topic(question), set(question["stems"])
    if not queries or any(topic_stems <= set(domain.stems(query)) for query in queries):
        return [*queries]
    return [*queries, topic]
