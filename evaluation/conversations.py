"""Evaluation of a gold set of conversations: result of each turn, and counts by number and kind."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver

from articulado.values.answers import AnswerOutcome
from articulado.values.chunks import Candidate, Chunk
from articulado.values.errors import ArticuladoError
from evaluation.answers.answers import (
    Recorder,
    Trait,
    cited_fragments,
    form_of,
    is_asked_for_form,
    missing_facts,
    provisions_of,
)
from evaluation.answers.tally import count_form
from evaluation.gold.questions import Provision, formatted, graded, key_of
from evaluation.gold.sets import Conversation, ConversationSet, Turn
from evaluation.recording.recording import ReplyMissing
from evaluation.statistics import share
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


@dataclass(frozen=True)
class Dialogues:
    """Turns of completed conversations; ``unfinished`` maps other ids to the reply missing from the recording."""

    results: Sequence[TurnResult] = ()
    unfinished: Mapping[str, ReplyMissing] = field(default_factory=dict)


async def evaluate_conversations(
    services: Services, conversations: Sequence[Conversation], *, context: RunContext | None = None
) -> Dialogues:
    """Ask every turn on the memory of its own thread; errors name the conversation."""
    recorded, memory = Recorder(services), InMemorySaver()
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


def conversations_report(
    gold: ConversationSet,
    results: Sequence[TurnResult],
    not_indexed: Sequence[Provision] = (),
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the JSON of a set: counts of all turns, after the first, by number, and by kind in the set's order."""
    kinds = dict.fromkeys(result.turn.kind for result in results if result.turn.kind)
    numbers = sorted({result.number for result in results})
    return {
        "name": gold.name,
        "gold": str(gold.path),
        "conversations": len({result.conversation for result in results}),
        "turns": len(results),
        "ignored_keys": list(gold.ignored),
        "not_held": formatted(not_indexed),
        "environment": dict(environment or {}),
        "all": count_turns(results),
        "later": count_turns([result for result in results if result.number > 1]),
        "by_number": {str(at): count_turns([result for result in results if result.number == at]) for at in numbers},
        "by_kind": {kind: count_turns([result for result in results if result.turn.kind == kind]) for kind in kinds},
        "form": count_form([result.form for result in results if result.form is not None]),
        "per_turn": [_turn(result) for result in results],
    }


def count_turns(results: Sequence[TurnResult]) -> dict[str, Any]:
    """Count the results of some turns; ``must_keep`` and both intrusions are shares of the labelled provisions."""
    asking = [result for result in results if result.asks]
    to_keep = sum(len(result.turn.must_keep) for result in results)
    to_leave = sum(len(result.turn.must_not) for result in results)
    expected = sum(len(result.turn.answer_facts) for result in results)
    return {
        "turns": len(results),
        "hit@3": share(sum(result.hit for result in asking), len(asking)),
        "hit_in_context": share(sum(result.was_read for result in asking), len(asking)),
        "must_keep": share(sum(len(result.kept) for result in results), to_keep),
        "intrusion": share(sum(len(result.intruding) for result in results), to_leave),
        "intrusion_cited": share(sum(len(result.intruding_cited) for result in results), to_leave),
        "facts": share(expected - sum(len(result.missing) for result in results), expected),
        "refused": share(sum(result.outcome != "answer" for result in results), len(results)),
    }


def _turn(result: TurnResult) -> dict[str, Any]:
    turn = result.turn
    return {
        "conversation": result.conversation,
        "number": result.number,
        "kind": turn.kind,
        "question": turn.question,
        "searches": list(result.searches),
        "answer": result.answer,
        "outcome": result.outcome,
        "relevant": graded(turn.relevant),
        "hit@3": result.hit if result.asks else None,
        "hit_in_context": result.was_read if result.asks else None,
        "cited": formatted(result.cited),
        "context": formatted(result.read),
        "must_keep": formatted(turn.must_keep),
        "kept": formatted(result.kept),
        "must_not": formatted(turn.must_not),
        "intruding": formatted(result.intruding),
        "intruding_cited": formatted(result.intruding_cited),
        "missing_facts": list(result.missing),
        "form": None if result.form is None else sorted(result.form),
    }
