"""State of the answering graph: input, output, keys of a turn and keys that outlive it.

Each key is defined once. ``fresh_turn`` resets ``Turn``, ``Retrieval``, ``Answer`` and ``Checks``; classes of their
own hold the keys that callers get.
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
    """Input: a ``question``, or ``messages`` that end with one.

    ``history`` and ``previous_chunk_ids`` carry a conversation without a checkpointer; on a thread they replace its
    memory for one run. On a thread, a ``question`` may select one of the last ``choices`` by number ("2", "la
    segunda").
    """

    history: Annotated[list[Message], EphemeralValue]
    previous_chunk_ids: Annotated[list[int], EphemeralValue]


class Turn(TypedDict):
    """The conversation before the question (``turn_question``)."""

    conversation: list[Message]


class Judged(TypedDict):
    """Results of retrieval that a caller gets.

    ``relevance``: probability in [0, 1] that the candidates answer, ``None`` if not judged. ``calculations``: results,
    or the data that they lack (``articulado.calculations.written.as_document``).
    """

    relevance: float | None
    calculations: list[Worked]


class Retrieval(Search, Judged):
    """Keys of retrieval.

    - ``matter``: topic of a question that the candidates do not answer (``articulado.legal.vocabulary.matters``).
    - ``dated_values``: reference values that the question names, on its day (``articulado.calculations``).
    - ``cards``: the chosen answer cards and their provisions; ``own``: passages of the user's document.
    - ``context``: candidates that the principal reads, in its order.
    """

    matter: str
    cards: list[Candidate]
    own: list[Candidate]
    dated_values: list[Candidate]
    context: list[Candidate]


class Answered(TypedDict):
    """Results of the answer that a caller gets.

    - ``language``: of the texts around the law (ISO 639-1); ``abstained``: the ``outcome`` is not ``answer``.
    - ``choices``: nearest needs offered with the outcome ``near``; their ``question`` may be sent next.
    - ``needs``: provisions and keywords that the last reply lacks, at the end those still missing.
    - ``unpinned``: the answer has no citations, even after a repair; ``cut``: the model stopped in mid-answer.
    - ``guides``: case guides of the chosen cards; ``suggestions``: up to three next questions.
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

    - ``draft``: text of the principal; ``draft_context``: fragments that it read.
    - ``spoken``: id of the streamed message, empty if none; ``unmet_needs``: needs that were not found.
    - ``refusal``: the principal's answer says that it does not know.
    - ``rewritten``: the principal has answered twice (empty, incomplete or unmarked reply); there is no third time.
    """

    unmet_needs: list[Need]
    refusal: Refusal
    rewritten: bool
    draft: str
    draft_context: list[Candidate]
    spoken: str


class Checked(TypedDict):
    """Results of the checks that a caller gets.

    - ``verdicts``: on each marker; ``provisions``: on each provision that the answer names.
    - ``unread``: named provisions that the index has and the model did not read.
    - ``findings``: claims without support in the sources; ``checked``: parts compared with the sources.
    - ``remissions``: provisions that the cited texts refer to; ``precedence``: notes on sources of different rank.
    - ``freshness``: day of the law; ``certificate``: basis of a turn without an answer.
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
    """Keys of the checks; ``named``: provisions that the answer names, indexed but unread."""

    named: list[Candidate]


class PerTurn(Turn, Retrieval, Answer, Checks):
    """All keys that the opening stage of a turn resets."""


def fresh_turn() -> PerTurn:
    return at_rest(PerTurn)


class RagOutput(Asked, Totals, Judged, Answered, Checked):
    """Output; send ``context_chunk_ids`` as the next turn's ``previous_chunk_ids``."""

    queries: list[str]
    context_chunk_ids: list[int]


class Remembered(TypedDict, total=False):
    """Keys that outlive a turn; ``asked_message``: id of the last human message used as a question."""

    context_chunk_ids: list[int]
    asked_message: str
    transcript: list[Message]


class RagState(RagInput, Totals, Frame, Carried, PerTurn, Remembered, total=False):
    """All keys of the answering graph."""


class ResumedInput(RagInput, Remembered, total=False):
    """Input of the answering graph inside a graph that keeps the memory of the thread."""

    turn: int
    choices: list[NearestNeed]


class ChatInput(TypedDict, total=False):
    """Input of a chat client (``RagInput``); all but the messages live for one run."""

    question: Annotated[str, EphemeralValue]
    messages: Annotated[list[AnyMessage], add_messages]
    history: Annotated[list[Message], EphemeralValue]
    previous_chunk_ids: Annotated[list[int], EphemeralValue]


class ChatOutput(Judged, Answered, Checked, total=False):
    """Output for a chat client (``RagOutput``)."""

    question: Annotated[str, EphemeralValue]
    messages: Annotated[list[AnyMessage], add_messages]
    warnings: list[str]
    usage: Usage
    queries: list[str]
    context_chunk_ids: list[int]


class ChatState(ChatInput, ChatOutput, Remembered, Carried, total=False):
    """All keys of the chat graph: messages, last result, memory of the thread, and the keys of ``Frame``."""

    turn: int
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion
    searches: list[str]
    lexical_only: bool


def result_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output keys of a state without ``messages``, which repeat them and are no JSON."""
    return {key: state[key] for key in RagOutput.__annotations__ if key in state and key != "messages"}
