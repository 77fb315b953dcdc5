"""Work out the amounts and days that a question asks for, as fragments that lead the answer."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.question import QuestionReader, Request
from articulado.calculations.values import Missing, Outcome, Refused
from articulado.calculations.wordings import CALCULATIONS, confirm
from articulado.calculations.written import Worked, as_document, fragment, parts_of, provisions_of
from articulado.legal.domain.base import Domain
from articulado.legal.labels import provision_key
from articulado.legal.reading import Mention
from articulado.retrieval.question import look_up, up_to_date
from articulado.values.answers import Message, NamedProvision, StoreName, TurnQuestion
from articulado.values.protocols import ChunkStore
from nodes.turn import is_in_other_language
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of


class CalculateUpdate(TypedDict, total=False):
    """Worked calculations, their fragments beside the reference values, and their provisions."""

    calculations: list[Worked]
    dated_values: list[Any]
    direct: list[Any]


async def calculate(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    question_reader: QuestionReader | None,
    domain: Domain,
) -> CalculateUpdate:
    """Read calculations from the question and work them out. Reads ``conversation``, ``direct`` and ``dated_values``.

    The provisions of their steps become candidates with score 1.0.
    """
    if question_reader is None or is_in_other_language(state):
        return {}
    days = days_of(state)
    question = up_to_date(state["turn_question"], domain, days.today)
    requests = await asyncio.to_thread(_requests, question_reader, question, state["conversation"], days.today)
    store = stores[state["store"]]
    reached = [each.outcome() for each in requests]
    confirmed = await asyncio.gather(*(confirm(outcome, store, days.as_of or days.today) for outcome in reached))
    worked = list(zip(requests, confirmed, strict=True))
    given = [(each, outcome) for each, outcome in worked if not isinstance(outcome, Refused)]
    # A calculation that lacks data may be none at all: the search alone tells which provisions answer.
    named = _provisions([outcome for _, outcome in given if not isinstance(outcome, Missing)])
    provisions = await look_up(named, store, days.as_of, days.today) if named else []
    return {
        "calculations": [
            as_document(CALCULATIONS[each.kind], each.inputs, outcome, each.read) for each, outcome in worked
        ],
        "dated_values": [
            *(fragment(CALCULATIONS[each.kind], outcome, each.read, each.certainty) for each, outcome in given),
            *state["dated_values"],
        ],
        "direct": [*state["direct"], *provisions],
    }


def _requests(
    reader: QuestionReader, question: TurnQuestion, conversation: Sequence[Message], today: date
) -> Sequence[Request]:
    earlier = [message["content"] for message in conversation if message["role"] == "user"]
    mentioned = [Mention.of(value) for value in question["values"]]
    if question["new_topic"] or not earlier:
        return reader.read(question["text"], today=today, mentioned=mentioned)
    return reader.read_turn(question["text"], earlier, today=today, mentioned=mentioned)


def _provisions(outcomes: Sequence[Outcome]) -> list[NamedProvision]:
    parts = dict.fromkeys(parts_of(provision) for outcome in outcomes for provision in provisions_of(outcome))
    return [
        {"law_id": law_id, "provision_key": key} for law_id, label in parts if (key := provision_key(label)) is not None
    ]
