"""Evaluation of a gold set of conversations: result of each turn, and counts by number and kind."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver

from articulado.values.answers import AnswerOutcome
from articulado.values.chunks import Candidate, Chunk
from articulado.values.errors import ArticuladoError
from evaluation.answers.answers import (
    Replies,
    Trait,
    cited_fragments,
    form_of,
    is_asked_for_form,
    missing_facts,
    provisions_of,
)
from evaluation.answers.tally import Share, count_form
from evaluation.gold.questions import Provision, key_of
from evaluation.gold.sets import Conversation, ConversationSet, Turn
from evaluation.recording.recording import ReplyMissing
from graph.rag import Rag, build_rag
from graph.services import Services
from nodes.chunk_shelf import ChunkShelf
from state.context import RunContext
from state.rag import RagState

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


CITED_WITHIN = 3

_ABSTAIN = "abstain"


@dataclass(frozen=True)
class TurnResult:
    """Result of one turn; ``number`` begins at 1.

    ``cited`` are provisions in reading order, ``read`` those given to the principal model; ``missing`` are expected
    facts.
    """

    conversation: str
    number: int
    turn: Turn
    answer: str
    outcome: AnswerOutcome
    searches: tuple[str, ...]
    cited: tuple[Provision, ...]
    read: tuple[Provision, ...]
    missing: tuple[str, ...] = ()
    form: frozenset[Trait] | None = None

    @property
    def asks(self) -> bool:
        return bool(self.turn.relevant)

    @property
    def hit(self) -> bool:
        return not self.turn.answering.isdisjoint(map(key_of, self.cited[:CITED_WITHIN]))

    @property
    def was_read(self) -> bool:
        return not self.turn.answering.isdisjoint(map(key_of, self.read))

    @property
    def kept(self) -> list[Provision]:
        return _among(self.turn.must_keep, self.read)

    @property
    def intruding(self) -> list[Provision]:
        return _among(self.turn.must_not, self.read)

    @property
    def intruding_cited(self) -> list[Provision]:
        return _among(self.turn.must_not, self.cited)

    @property
    def refused(self) -> bool:
        return self.outcome != "answer"


@dataclass(frozen=True)
class Dialogues:
    """Turns of completed conversations; ``unfinished`` maps other ids to the reply missing from the recording."""

    results: Sequence[TurnResult] = ()
    unfinished: Mapping[str, ReplyMissing] = field(default_factory=dict)


async def evaluate_conversations(
    services: Services,
    conversations: Sequence[Conversation],
    *,
    context: RunContext | None = None,
    on_conversation: Callable[[], None] = lambda: None,
) -> Dialogues:
    """Ask every turn on the memory of its own thread; errors name the conversation."""
    recorded, memory = Replies(services), InMemorySaver()
    graph, shelf = build_rag(recorded.services, memory), ChunkShelf(services.stores)
    has_form = is_asked_for_form(services, context)
    results: list[TurnResult] = []
    unfinished: dict[str, ReplyMissing] = {}
    for conversation in conversations:
        turns: list[TurnResult] = []
        try:
            for number, turn in enumerate(conversation.turns, start=1):
                state, read = await _ask(graph, shelf, conversation.id, turn.question, context)
                result = await asyncio.to_thread(measure_turn, conversation.id, number, turn, state, read)
                replies = recorded.take()
                turns.append(replace(result, form=form_of(replies, state) if replies and has_form else None))
        except ReplyMissing as missing:
            unfinished[conversation.id] = missing
            recorded.take()
        except ArticuladoError as error:
            raise type(error)(f"Conversación «{conversation.id}», turno {len(turns) + 1}: {error}") from error
        else:
            results += turns
        # A thread holds everything that its stages left.
        await memory.adelete_thread(conversation.id)
        on_conversation()
    return Dialogues(results, unfinished)


async def _ask(
    graph: Rag, shelf: ChunkShelf, thread: str, question: str, context: RunContext | None
) -> tuple[Any, list[Chunk]]:
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    read: dict[int, Candidate] = {}
    async for updates in graph.astream({"question": question}, config, context=context, stream_mode="updates"):
        for stage, update in updates.items():
            if stage != _ABSTAIN:
                read |= {candidate["chunk"]["id"]: candidate for candidate in (update or {}).get("context", [])}
    state = (await graph.aget_state(config)).values
    whole = await shelf.resolved({"store": state["store"], "context": list(read.values())})
    return await shelf.resolved(state), [candidate["chunk"] for candidate in whole["context"]]


def measure_turn(conversation: str, number: int, turn: Turn, state: RagState, read: Sequence[Chunk]) -> TurnResult:
    shown = [candidate["chunk"] for candidate in state["context"]]
    answered = state["outcome"] == "answer"
    return TurnResult(
        conversation=conversation,
        number=number,
        turn=turn,
        answer=state["answer"],
        outcome=state["outcome"],
        searches=tuple(state["searches"]),
        cited=tuple(provisions_of(cited_fragments(state, shown)).values()),  # type: ignore[arg-type]
        read=tuple(provisions_of(read).values()),
        missing=missing_facts(turn.answer_facts, state["answer"] if answered else ""),
    )


def _among(provisions: Sequence[Provision], others: Sequence[Provision]) -> list[Provision]:
    keys = set(map(key_of, others))
    return [provision for provision in provisions if key_of(provision) in keys]


@dataclass(frozen=True)
class Turns:
    """Counts of turns; ``kept``, ``intruding`` and ``intruding_cited`` are shares of the labelled provisions."""

    turns: int
    hit: Share
    read: Share
    kept: Share
    intruding: Share
    intruding_cited: Share
    facts: Share
    refused: Share


@dataclass(frozen=True)
class ConversationTally:
    """Counts of all turns, of those after the first, by number, and by kind in the order of the set."""

    all: Turns
    later: Turns
    by_number: Mapping[int, Turns]
    by_kind: Mapping[str, Turns]
    form: Mapping[Trait, Share]


def tally_turns(results: Sequence[TurnResult]) -> ConversationTally:
    kinds = dict.fromkeys(result.turn.kind for result in results if result.turn.kind)
    numbers = sorted({result.number for result in results})
    return ConversationTally(
        all=count_turns(results),
        later=count_turns([result for result in results if result.number > 1]),
        by_number={at: count_turns([result for result in results if result.number == at]) for at in numbers},
        by_kind={kind: count_turns([result for result in results if result.turn.kind == kind]) for kind in kinds},
        form=count_form([result.form for result in results if result.form is not None]),
    )


def count_turns(results: Sequence[TurnResult]) -> Turns:
    """Count the results of some turns."""
    asking = [result for result in results if result.asks]
    to_keep = sum(len(result.turn.must_keep) for result in results)
    to_leave = sum(len(result.turn.must_not) for result in results)
    expected = sum(len(result.turn.answer_facts) for result in results)
    return Turns(
        turns=len(results),
        hit=Share(sum(result.hit for result in asking), len(asking)),
        read=Share(sum(result.was_read for result in asking), len(asking)),
        kept=Share(sum(len(result.kept) for result in results), to_keep),
        intruding=Share(sum(len(result.intruding) for result in results), to_leave),
        intruding_cited=Share(sum(len(result.intruding_cited) for result in results), to_leave),
        facts=Share(expected - sum(len(result.missing) for result in results), expected),
        refused=Share(sum(result.refused for result in results), len(results)),
    )


@dataclass(frozen=True)
class ConversationFindings:
    """Labels missing from the index, all turns of the completed conversations, and the machine."""

    gold: ConversationSet
    not_indexed: Sequence[Provision]
    results: Sequence[TurnResult]
    environment: Mapping[str, str]

    @cached_property
    def tally(self) -> ConversationTally:
        return tally_turns(self.results)

    @property
    def conversations(self) -> int:
        return len({result.conversation for result in self.results})

    @property
    def failed(self) -> list[TurnResult]:
        """Turns that miss, lose a provision to keep or read one to leave, in order."""
        return [
            result
            for result in self.results
            if (result.asks and not result.hit) or len(result.kept) < len(result.turn.must_keep) or result.intruding
        ]
