"""State of the answering graph: input, output, per-turn keys and reducers.

``fresh_turn`` returns every per-turn key at rest, so that no value of an earlier turn remains. It also
offers pure functions that read a state: the result, the days, the agreements asked about, the chunks
carried over.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, NamedTuple

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from articulado.answering.principal import Refusal
from articulado.calculations.written import Worked
from articulado.values.answers import (
    AnswerOutcome,
    CaseGuide,
    Citation,
    DataOutcome,
    Days,
    Message,
    NearestNeed,
    Need,
    SearchScope,
    StoreName,
    TurnQuestion,
    Usage,
    Verdict,
)
from articulado.values.chunks import Candidate
from articulado.values.findings import Certificate, CheckedPart, Finding, Freshness, NamedVerdict, Remission

FIRST_STAGE = "accept"
"""The stage that opens an ingest."""


def add_usage(total: Usage | None, delta: Usage) -> Usage:
    """Return the usage of one turn added up; the first record of a later turn starts anew.

    A record of an earlier turn (a late writer of a cancelled run) is ignored.
    """
    # LangGraph starts the channel of a TypedDict with an empty one.
    if not total or delta["turn"] > total["turn"]:
        return delta
    if delta["turn"] < total["turn"]:
        return total
    stages = dict(total["stages"])
    for stage, milliseconds in delta["stages"].items():
        stages[stage] = round(stages.get(stage, 0.0) + milliseconds, 3)
    return {
        "turn": total["turn"],
        "model_calls": total["model_calls"] + delta["model_calls"],
        "tokens": {
            "input": total["tokens"]["input"] + delta["tokens"]["input"],
            "output": total["tokens"]["output"] + delta["tokens"]["output"],
        },
        "stages": stages,
    }


def add_seconds(total: dict[str, float] | None, delta: dict[str, float]) -> dict[str, float]:
    """Return the seconds of each stage of an ingest added up; the first stage of a run starts anew."""
    if not total or FIRST_STAGE in delta:
        return delta
    return total | {stage: round(total.get(stage, 0.0) + seconds, 3) for stage, seconds in delta.items()}


class Turn(TypedDict):
    """Every per-turn key of the answering graph.

    Left out are what outlives a turn (``turn``, ``transcript``, ``context_chunk_ids``, ``messages`` and
    ``asked_message``), what load_carryover writes beside the node that opens the turn (``carried``,
    ``missing_carried``), and ``usage``, whose reducer starts anew with each turn. ``scope`` is where a case is
    searched.
    ``other_matter`` is the field that the reader finds a question of instead of the profile's: empty where it does not
    name it, ``None`` where it finds nothing of the kind. ``new_topic`` is set where a turn leaves the subject of its
    conversation: then nothing is carried over. ``about_answer`` is set where it speaks of the last answer and searches
    nothing.
    ``relevance`` is the probability in [0, 1] that the candidates answer, ``None`` where nothing was judged; ``matter``
    is what the question is about where they do not (``articulado.legal.vocabulary.matters``), empty where it is not
    known.
    ``needs`` are what the last reply lacks; in the end, what is still lacking, with the ``unmet_needs`` that could not
    be found.
    ``refusal`` tells that the principal's own answer says that it does not know.
    ``unpinned`` is set where nothing in an answer says which fragment it rests on, though it should; ``rewritten`` once
    the principal has been asked for its answer a second time: it had written nothing, lacked something, or gave no
    markers. There is no third time.
    ``dated_values`` are the reference values that the question names, on its day (``articulado.calculations``).
    ``calculations`` are the amounts and days that were worked out, or what they lack
    (``articulado.calculations.written.as_document``).
    ``guides`` are those of the answer cards that were chosen.
    ``named`` are provisions that the answer names, the index has, and the model did not read.
    ``queries`` are what the reader makes of it, ``searches`` the texts that are searched for: those, and it may be the
    question's own words. ``lexical_only`` is set where they have no dense vectors, because the embedder failed.
    ``spoken`` is the id of the message as which the draft was streamed, empty where none was.
    ``choices`` are the needs that the question may be about; the next turn of a thread may take one. ``chosen`` is the
    question of the choice that this turn takes, empty without one.
    """

    scope: SearchScope | None
    new_topic: bool
    about_answer: bool
    queries: list[str]
    searches: list[str]
    other_matter: str | None
    answer: str
    outcome: AnswerOutcome | DataOutcome
    relevance: float | None
    matter: str
    citations: list[Citation]
    choices: list[NearestNeed]
    chosen: str
    unread: list[Citation]
    used_chunk_ids: list[int]
    dropped_chunk_ids: list[int]
    needs: list[Need]
    unmet_needs: list[Need]
    retried: bool
    abstained: bool
    refusal: Refusal
    unpinned: bool
    rewritten: bool
    verdicts: list[Verdict]
    provisions: list[NamedVerdict]
    findings: list[Finding]
    checked: list[CheckedPart]
    named: list[Candidate]
    remissions: list[Remission]
    precedence: list[str]
    freshness: Freshness | None
    certificate: Certificate | None
    warnings: list[str]
    conversation: list[Message]
    lexical_only: bool
    direct: list[Candidate]
    dated_values: list[Candidate]
    calculations: list[Worked]
    guides: list[CaseGuide]
    found: list[Candidate]
    candidates: list[Candidate]
    context: list[Candidate]
    draft: str
    draft_chunk_ids: list[int]
    spoken: str
    refetched: bool


def fresh_turn() -> Turn:
    """Return every per-turn key at rest, so that nothing of the thread's last turn shows through."""
    return {
        "scope": None,
        "new_topic": False,
        "about_answer": False,
        "queries": [],
        "searches": [],
        "other_matter": None,
        "answer": "",
        "outcome": "answer",
        "relevance": None,
        "matter": "",
        "citations": [],
        "choices": [],
        "chosen": "",
        "unread": [],
        "used_chunk_ids": [],
        "dropped_chunk_ids": [],
        "needs": [],
        "unmet_needs": [],
        "retried": False,
        "abstained": False,
        "refusal": "",
        "unpinned": False,
        "rewritten": False,
        "verdicts": [],
        "provisions": [],
        "findings": [],
        "checked": [],
        "named": [],
        "remissions": [],
        "precedence": [],
        "freshness": None,
        "certificate": None,
        "warnings": [],
        "conversation": [],
        "lexical_only": False,
        "direct": [],
        "dated_values": [],
        "calculations": [],
        "guides": [],
        "found": [],
        "candidates": [],
        "context": [],
        "draft": "",
        "draft_chunk_ids": [],
        "spoken": "",
        "refetched": False,
    }


class RagInput(TypedDict, total=False):
    """What a caller sends: a ``question``, or ``messages`` that end with one.

    ``history`` and ``previous_chunk_ids`` carry a conversation without a checkpointer. They live for one step
    only: on a thread, what a caller does not send again is taken from the thread's own memory instead.
    On a thread, a ``question`` may also take one of the ``choices`` of the last turn by its number ("2", "la segunda").
    """

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    history: Annotated[list[Message], EphemeralValue]
    previous_chunk_ids: Annotated[list[int], EphemeralValue]


class RagOutput(TypedDict):
    """What a caller gets back; ``context_chunk_ids`` goes into the next turn's ``previous_chunk_ids``.

    ``abstained`` is true of every ``outcome`` but ``answer``. ``unpinned`` is true of an answer that says of nothing
    where it is from, even when asked to: a warning says so.
    ``choices`` are the nearest needs that an outcome ``near`` offers, empty where there are none. The ``question`` of a
    choice may be sent as the next one, with or without a conversation.

    ``verdicts`` say what became of each marker, ``provisions`` what is known of each provision that the answer names,
    ``unread`` are those of them that the index has and the model did not read, ``findings`` what its sources do not
    bear out, and ``checked`` the parts of the answer that were compared with its sources.
    ``remissions`` are what the cited texts refer to, ``precedence`` are notes on sources of different rank,
    ``calculations`` the amounts and days that were worked out, ``guides`` the case guides that go on with the data of
    the person, ``freshness`` says of which day the law is, and the ``certificate``, of a turn that ends without an
    answer, what that rests on.
    """

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    queries: list[str]
    answer: str
    outcome: AnswerOutcome
    relevance: float | None
    citations: list[Citation]
    choices: list[NearestNeed]
    unread: list[Citation]
    used_chunk_ids: list[int]
    dropped_chunk_ids: list[int]
    context_chunk_ids: list[int]
    needs: list[Need]
    retried: bool
    abstained: bool
    unpinned: bool
    verdicts: list[Verdict]
    provisions: list[NamedVerdict]
    findings: list[Finding]
    checked: list[CheckedPart]
    remissions: list[Remission]
    precedence: list[str]
    freshness: Freshness | None
    certificate: Certificate | None
    calculations: list[Worked]
    guides: list[CaseGuide]
    warnings: list[str]
    usage: Annotated[Usage, add_usage]


class RagState(RagInput, Turn, total=False):
    """All keys of the answering graph: input, per-turn keys, and these.

    ``transcript``, ``context_chunk_ids`` and ``messages`` outlive a turn; ``turn`` counts the turns of a thread, and
    ``asked_message`` is the id of the last human message that was taken up as a question. ``deadline`` is a Unix time
    in seconds after which no model call begins; it is never checkpointed, so that a run resumed from a checkpoint is
    not late from the start.

    The first stage decides for all later ones which ``store`` answers, which day is ``today``, and ``as_of`` which day
    the law is asked for (ISO 8601; ``None``: of today): the one of the caller's options, else the one that the question
    says. ``turn_question`` is the question as its conversation makes it complete.
    """

    context_chunk_ids: list[int]
    usage: Annotated[Usage, add_usage]
    turn: int
    asked_message: str
    deadline: Annotated[float, UntrackedValue]
    store: StoreName
    today: str
    as_of: str | None
    transcript: list[Message]
    turn_question: TurnQuestion
    carried: list[Candidate]
    missing_carried: list[int]


def result_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output that a state holds, without its messages: they say the same, and JSON does not hold them."""
    return {key: state[key] for key in RagOutput.__annotations__ if key in state and key != "messages"}


def days_of(state: RagState) -> Days:
    """Return the days of a state as dates."""
    as_of = state["as_of"]
    return Days(date.fromisoformat(as_of) if as_of else None, date.fromisoformat(state["today"]))


class AgreementsAsked(NamedTuple):
    """The collective agreements of a question: ``named`` ids, its words for them (``names``), and ids ``excluded``."""

    named: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def agreements_asked(state: RagState) -> AgreementsAsked:
    """Return the agreements of the question of a state; none before it was read."""
    question = state.get("turn_question")
    if question is None:
        return AgreementsAsked()
    return AgreementsAsked(
        tuple(question["agreements"]), tuple(question["agreement_names"]), tuple(question["excluded_laws"])
    )


def may_be_cited(candidates: Iterable[Candidate], state: RagState) -> list[Candidate]:
    """Return the candidates without those of agreements other than the ones that apply to the question."""
    excluded = frozenset(agreements_asked(state).excluded)
    return [candidate for candidate in candidates if candidate["chunk"]["law_id"] not in excluded]


def carried_over(state: RagState) -> list[Candidate]:
    """Return what the last answer rested on, as long as the turn stays on its subject."""
    return [] if state.get("new_topic") else state.get("carried", [])
