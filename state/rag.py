"""State of the answering graph: input, output, keys of a turn and keys that outlive it.

Each key is defined once. ``Turn``, ``Retrieval``, ``Answer`` and ``Checks`` are the keys that a turn resets
(``fresh_turn``); what a caller gets back of them stands in a class of its own.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from articulado.answering.principal import Refusal
from articulado.calculations.written import Worked
from articulado.values.answers import (
    AnswerOutcome,
    CaseGuide,
    Citation,
    Message,
    NearestNeed,
    Need,
    StoreName,
    Suggestion,
    TurnQuestion,
    Usage,
    Verdict,
)
from articulado.values.chunks import Candidate
from articulado.values.findings import Certificate, CheckedPart, Finding, Freshness, NamedVerdict, Remission
from state.run import Carried, Frame, Search, Totals, at_rest


class Asked(TypedDict, total=False):
    """A question, or messages that end with one."""

    question: str
    messages: Annotated[list[AnyMessage], add_messages]


class RagInput(Asked, total=False):
    """Keys that a caller sends: a ``question``, or ``messages`` that end with one.

    ``history`` and ``previous_chunk_ids`` carry a conversation without a checkpointer. They live for one step
    only: on a thread, what a caller does not send again is taken from the thread's own memory instead.
    On a thread, a ``question`` may also take one of the ``choices`` of the last turn by its number ("2", "la segunda").
    """

    history: Annotated[list[Message], EphemeralValue]
    previous_chunk_ids: Annotated[list[int], EphemeralValue]


class Turn(TypedDict):
    """Keys of the conversation before the question (``turn_question``)."""

    conversation: list[Message]


class Judged(TypedDict):
    """Results of retrieval that a caller gets.

    ``relevance`` is the probability in [0, 1] that the candidates answer, ``None`` if nothing was judged.
    ``calculations`` are the amounts and days that were worked out, or the data that they lack
    (``articulado.calculations.written.as_document``).
    """

    relevance: float | None
    calculations: list[Worked]


class Retrieval(Search, Judged):
    """Keys of retrieval.

    ``matter`` is the topic of a question that the candidates do not answer (``articulado.legal.vocabulary.matters``),
    empty if it is not known. ``dated_values`` are the reference values that the question names, on its day
    (``articulado.calculations``). ``cards`` are the chosen answer cards and the provisions that bear them. ``context``
    are the candidates that the principal reads, in its order; ``own`` the passages of the document of the
    question.
    """

    matter: str
    cards: list[Candidate]
    own: list[Candidate]
    dated_values: list[Candidate]
    context: list[Candidate]


class Answered(TypedDict):
    """Results of the answer that a caller gets.

    ``language`` is that of the texts around the law (ISO 639-1). ``abstained`` is true of every ``outcome`` but
    ``answer``. ``unpinned`` is true of an answer that says of nothing where it is from, even when asked to: a warning
    says so. ``choices`` are the nearest needs that an outcome ``near`` offers, empty without any; the ``question`` of a
    choice may be sent as the next one, with or without a conversation. ``needs`` are the provisions and keywords that
    the last reply lacks; in the end, those still lacking. ``guides`` are the case guides of the chosen answer cards,
    which go on with the data of the person. ``cut`` is set if the model stopped in the middle of its answer.
    ``suggestions`` are up to three next questions that other cards answer, none after an outcome other than ``answer``.
    """

    answer: str
    language: str
    outcome: AnswerOutcome
    citations: list[Citation]
    choices: list[NearestNeed]
    used_chunk_ids: list[int]
    dropped_chunk_ids: list[int]
    needs: list[Need]
    retried: bool
    abstained: bool
    unpinned: bool
    guides: list[CaseGuide]
    cut: bool
    suggestions: list[Suggestion]


class Answer(Answered):
    """Keys of the answer.

    ``draft`` is the text of the principal, ``draft_context`` are the fragments that it read, and ``spoken`` is the id
    of the message as which it was streamed, empty if none was. ``unmet_needs`` are needs that could not be found.
    ``refusal`` tells that the principal's own answer says that it does not know. ``rewritten`` is set once the
    principal was asked for its answer a second time: it had written nothing, lacked something, or gave no markers.
    There is no third time.
    """

    unmet_needs: list[Need]
    refusal: Refusal
    rewritten: bool
    draft: str
    draft_context: list[Candidate]
    spoken: str


class Checked(TypedDict):
    """Results of the checks that a caller gets.

    ``verdicts`` say what became of each marker, ``provisions`` what is known of each provision that the answer names,
    ``unread`` are those of them that the index has and the model did not read, ``findings`` are claims that its sources
    do not bear out, and ``checked`` the parts of the answer that were compared with its sources. ``remissions`` are
    what the cited texts refer to, ``precedence`` are notes on sources of different rank, ``freshness`` says of which
    day the law is, and the ``certificate``, of a turn that ends without an answer, what that rests on.
    """

    verdicts: list[Verdict]
    provisions: list[NamedVerdict]
    unread: list[Citation]
    findings: list[Finding]
    checked: list[CheckedPart]
    remissions: list[Remission]
    precedence: list[str]
    freshness: Freshness | None
    certificate: Certificate | None


class Checks(Checked):
    """Keys of the checks; ``named`` are provisions that the answer names, the index has, and the model did not read."""

    named: list[Candidate]


class PerTurn(Turn, Retrieval, Answer, Checks):
    """All keys that the stage which opens a turn resets."""


def fresh_turn() -> PerTurn:
    """Return every key of a turn at rest, so that nothing of the thread's last turn shows through."""
    return at_rest(PerTurn)


class RagOutput(Asked, Totals, Judged, Answered, Checked):
    """Keys that a caller gets back; ``context_chunk_ids`` goes into the next turn's ``previous_chunk_ids``."""

    queries: list[str]
    context_chunk_ids: list[int]


class Remembered(TypedDict, total=False):
    """Keys that outlive a turn, beside the messages.

    ``asked_message`` is the id of the last human message that was taken up as a question.
    """

    context_chunk_ids: list[int]
    asked_message: str
    transcript: list[Message]


class RagState(RagInput, Totals, Frame, Carried, PerTurn, Remembered, total=False):
    """All keys of the answering graph."""


class ResumedInput(RagInput, Remembered, total=False):
    """Input of the answering graph if the graph that calls it keeps the memory of the thread."""

    turn: int
    choices: list[NearestNeed]


class ChatInput(TypedDict, total=False):
    """Keys that a chat client sends (``RagInput``); all but the messages live for one run."""

    question: Annotated[str, EphemeralValue]
    messages: Annotated[list[AnyMessage], add_messages]
    history: Annotated[list[Message], EphemeralValue]
    previous_chunk_ids: Annotated[list[int], EphemeralValue]


class ChatOutput(Judged, Answered, Checked, total=False):
    """Keys that a chat client gets back (``RagOutput``)."""

    question: Annotated[str, EphemeralValue]
    messages: Annotated[list[AnyMessage], add_messages]
    warnings: list[str]
    usage: Usage
    queries: list[str]
    context_chunk_ids: list[int]


class ChatState(ChatInput, ChatOutput, Remembered, Carried, total=False):
    """All keys of the graph of chat clients: messages, last result, memory of the thread, and the keys of ``Frame``."""

    turn: int
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion
    searches: list[str]
    lexical_only: bool


def result_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output that a state holds, without its messages: they say the same, and JSON does not hold them."""
    return {key: state[key] for key in RagOutput.__annotations__ if key in state and key != "messages"}
