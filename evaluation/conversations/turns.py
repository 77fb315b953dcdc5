"""Every turn of a conversation through the whole graph, on the memory of its thread, and what it is worth."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver

from articulado.values.answers import AnswerOutcome
from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError
from evaluation.answers.answers import cited_fragments, is_asked_for_form, missing_facts, provisions_of
from evaluation.answers.form import Trait, form_of
from evaluation.answers.overheard import OverheardChat
from evaluation.gold.conversations import Conversation, Turn
from evaluation.gold.provisions import Provision, key_of
from evaluation.recording.recording import ReplyMissing
from graph.rag import Rag, build_rag
from graph.services import Services
from state.context import RunContext
from state.rag import RagState

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

CITED_WITHIN = 3
"""A turn hits where what answers is among so many provisions that are cited first."""

_ABSTAIN = "abstain"
"""The one stage whose context no principal reads: what is shown where none is called."""


@dataclass(frozen=True)
class TurnResult:
    """What became of one turn; ``number`` begins at 1.

    ``cited`` and ``read`` are provisions of laws, each once: those cited, as they come when the answer is read, and
    those that the principal had before it, for a first or a second answer. ``form`` are the traits of what a chat model
    wrote, ``None`` where none did; ``missing`` the expected facts that the answer does not have.
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
        """Whether there is anything to answer: a "gracias" is neither hit nor missed."""
        return bool(self.turn.relevant)

    @property
    def hit(self) -> bool:
        """Whether a provision that answers is among the first three that are cited."""
        return not self.turn.answering.isdisjoint(map(key_of, self.cited[:CITED_WITHIN]))

    @property
    def was_read(self) -> bool:
        """Whether the principal read a provision that answers."""
        return not self.turn.answering.isdisjoint(map(key_of, self.read))

    @property
    def kept(self) -> list[Provision]:
        """The provisions to be kept that the principal read."""
        return _among(self.turn.must_keep, self.read)

    @property
    def intruding(self) -> list[Provision]:
        """The provisions to be left that it read all the same."""
        return _among(self.turn.must_not, self.read)

    @property
    def intruding_cited(self) -> list[Provision]:
        """The provisions to be left that are cited."""
        return _among(self.turn.must_not, self.cited)

    @property
    def refused(self) -> bool:
        """Whether anything but an answer was given."""
        return self.outcome != "answer"


@dataclass(frozen=True)
class Dialogues:
    """The turns of all finished conversations, and by the id of the others the reply that a recording lacks."""

    results: Sequence[TurnResult] = ()
    unfinished: Mapping[str, ReplyMissing] = field(default_factory=dict)


async def evaluate_conversations(
    services: Services,
    conversations: Sequence[Conversation],
    *,
    context: RunContext | None = None,
    on_conversation: Callable[[], None] = lambda: None,
) -> Dialogues:
    """Ask every turn on the memory of its own thread, as it is served, one conversation after the other.

    Raises:
        ArticuladoError: a question cannot be asked, or a service does not work; the message names the conversation.
    """
    principal, memory = OverheardChat(services.principal), InMemorySaver()
    graph, has_form = (
        build_rag(replace(services, principal=principal), memory, whole_chunks=True),
        is_asked_for_form(services, context),
    )
    results: list[TurnResult] = []
    unfinished: dict[str, ReplyMissing] = {}
    for conversation in conversations:
        turns: list[TurnResult] = []
        try:
            for number, turn in enumerate(conversation.turns, start=1):
                state, read = await _ask(graph, conversation.id, turn.question, context)
                result = await asyncio.to_thread(measure_turn, conversation.id, number, turn, state, read)
                replies = principal.take()
                turns.append(replace(result, form=form_of(replies, state) if replies and has_form else None))
        except ReplyMissing as missing:
            unfinished[conversation.id] = missing
            principal.take()
        except ArticuladoError as error:
            raise type(error)(f"Conversación «{conversation.id}», turno {len(turns) + 1}: {error}") from error
        else:
            results += turns
        # A thread holds everything that its stages left.
        await memory.adelete_thread(conversation.id)
        on_conversation()
    return Dialogues(results, unfinished)


async def _ask(graph: Rag, thread: str, question: str, context: RunContext | None) -> tuple[Any, list[Chunk]]:
    """Return the state after a turn, and every fragment that the principal read for it."""
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    read: dict[int, Chunk] = {}
    async for updates in graph.astream({"question": question}, config, context=context, stream_mode="updates"):
        for stage, update in updates.items():
            chunks = [candidate["chunk"] for candidate in (update or {}).get("context", [])]
            if stage != _ABSTAIN:
                read |= {chunk["id"]: chunk for chunk in chunks}
    return (await graph.aget_state(config)).values, list(read.values())


def measure_turn(conversation: str, number: int, turn: Turn, state: RagState, read: Sequence[Chunk]) -> TurnResult:
    """Measure one turn by the state that it leaves, and by what the principal read for it."""
    shown = [candidate["chunk"] for candidate in state["context"]]
    answered = state["outcome"] == "answer"
    return TurnResult(
        conversation=conversation,
        number=number,
        turn=turn,
        answer=state["answer"],
        outcome=state["outcome"],  # type: ignore[arg-type]
        searches=tuple(state["searches"]),
        cited=tuple(provisions_of(cited_fragments(state, shown)).values()),  # type: ignore[arg-type]
        read=tuple(provisions_of(read).values()),
        missing=missing_facts(turn.answer_facts, state["answer"] if answered else ""),
    )


def _among(provisions: Sequence[Provision], others: Sequence[Provision]) -> list[Provision]:
    keys = set(map(key_of, others))
    return [provision for provision in provisions if key_of(provision) in keys]
