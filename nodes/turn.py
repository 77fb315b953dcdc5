"""Values derived from the state of a turn and shared by several stages; the conversation as LangChain messages.

Among the values are the task of a principal and its result. Chat clients send and receive messages instead of
``question`` and ``answer``: the question is read from them, and the answer is one (``nodes.speech`` streams it). Each
run gives its messages ids of their own: a question that is answered again has another answer beside the first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NotRequired
from unicodedata import normalize
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from typing_extensions import TypedDict

from articulado.answering.principal import AnswerTask, Refusal, Written
from articulado.language.folding import words_of
from articulado.language.languages import Language, answered_in
from articulado.legal.vocabulary.matters import matters
from articulado.prompting.abstention import Declined
from articulado.prompting.citation_markers import by_mark
from articulado.prompting.outgoing_links import texts_without_foreign_links
from articulado.prompting.stream_splitter import MAX_NEEDS
from articulado.retrieval.agreements import without_agreement_names
from articulado.retrieval.needs import name_of, needs_in_answer, provisions_needed, text_of
from articulado.retrieval.relevance.judge import UNDERSPECIFIED
from articulado.values.answers import AnswerOutcome, Message, Need, TurnQuestion, question_of, whole_text
from articulado.values.chunks import Candidate, provision_of
from articulado.values.errors import Cost
from articulado.verification.disclosures import calls_for_second_answer
from state.rag import RagState
from state.run import Frame, RetrievalState, days_of

SHARED_WORDS = 0.8
"""Share of the words of the searches that are in the question, from which on they are no translation of it."""


def question_to_score(state: RetrievalState) -> TurnQuestion:
    """Return the question of a turn without the names of agreements.

    A question in another language than that of the profile is scored by the searches that the reader has made of it:
    the texts have none of its own words.
    """
    if is_translated(state):
        return question_of(" ".join(state["queries"]))
    question = state["turn_question"]
    names = question["agreement_names"]
    text, subject = (without_agreement_names(part, names) for part in (question["text"], question["subject"]))
    return {**question, "text": text, "subject": subject}


def is_translated(state: RetrievalState) -> bool:
    """Tell if the searches say the question in the language of the profile.

    Offline, they do if the question certainly asks for one need.
    """
    if not _spoken(state) or not state["queries"]:
        return False
    if len(state["turn_question"]["meant"]) == 1:
        return True
    # A short follow-up is searched with the words of its conversation.
    asked = set(words_of(whole_text(state["turn_question"])))
    searched = set(words_of(" ".join(state["queries"])))
    return len(searched & asked) < SHARED_WORDS * len(searched)


def language_of_turn(state: Frame, language: Language) -> Language:
    """Return the language of the texts of a turn: that of its question, if there are texts in it (``answered_in``)."""
    return answered_in(_spoken(state), language)


def written_in(state: Frame, language: Language) -> str:
    """Return the code of the language that a chat model answers in: that of the question."""
    return _spoken(state) or language.code


def is_in_other_language(state: Frame) -> bool:
    """Tell whether a question is in another language than the profile's."""
    return bool(_spoken(state))


def _spoken(state: Frame) -> str:
    """Return the code of the language of the question, empty where it is that of the profile."""
    question = state.get("turn_question")
    return question["language"] if question else ""


def lacking(state: RagState) -> list[Need]:
    """Return what is still lacking at the end of a turn: what could not be found, and what the last answer names.

    Where nothing new was found, the needs of the state are those of before: the model had seen what there is. What the
    check of the answer called for is told by its findings.
    """
    said = state["needs"] if state["refetched"] or not state["retried"] else []
    lacking_ones = (need for need in [*state["unmet_needs"], *said] if not need.get("by_check"))
    return list({text_of(need).casefold(): need for need in lacking_ones}.values())


def declined_question(state: RagState) -> Declined:
    """Return the question of a turn that ends without an answer, and the searches that were made for it."""
    return Declined(
        question=whole_text(state["turn_question"]),
        queries=state["queries"],
        matter=matters().get(state["matter"]) if state["matter"] != UNDERSPECIFIED else None,
        other_matter=state["turn_question"]["other_matter"] or "",
    )


MAX_REPLIES = 2
"""Replies that a principal is asked for in a question: one that is empty is asked for again, and so are answers."""


class WritingUpdate(TypedDict):
    """The principal's text and self-evaluation, and the fragments that it read, those it cites first, as it does."""

    draft: NotRequired[str]
    draft_context: NotRequired[list[Candidate]]
    used_chunk_ids: NotRequired[list[int]]
    dropped_chunk_ids: NotRequired[list[int]]
    needs: NotRequired[list[Need]]
    refusal: NotRequired[Refusal]
    context: NotRequired[list[Candidate]]
    outcome: NotRequired[AnswerOutcome]
    abstained: NotRequired[bool]
    rewritten: NotRequired[bool]
    cut: NotRequired[bool]
    warnings: NotRequired[list[str]]
    spoken: NotRequired[str]
    cost: NotRequired[Cost]


def task_of(
    state: RagState, language: Language, *, marked: bool, draft: str = "", supersedes: str = "", replies: int = 1
) -> AnswerTask:
    """Return the task of a principal in a state; ``draft``, ``supersedes`` and ``replies`` are those of the task."""
    return AnswerTask(
        question=state["turn_question"],
        context=state["context"],
        conversation=state["conversation"],
        days=days_of(state),
        language=language,
        marked=marked,
        last=state["refetched"],
        not_found=[name_of(need) for need in state["unmet_needs"] if not need.get("by_check")],
        unsupported=[finding["where"] for finding in state["findings"] if calls_for_second_answer(finding)],
        draft=draft,
        supersedes=supersedes,
        replies=replies,
        deadline=state.get("deadline"),
    )


def written_update(state: RagState, written: Written, language: Language) -> WritingUpdate:
    """Return what an answer leaves in the state; the context is numbered as the answer is read."""
    groups, evaluation = by_mark(state["context"]), written.evaluation
    # The data that it says it lacks are told to whoever asked.
    needs = texts_without_foreign_links(
        _needs_of(written, state)[:MAX_NEEDS], (), language.translate("rag_link_left_out")
    )
    order = [*written.cited, *(number for number in range(1, len(groups) + 1) if number not in written.cited)]
    context = [candidate for number in order for candidate in groups[number - 1]]
    return {
        "draft": written.text,
        "draft_context": context,
        "context": context,
        "used_chunk_ids": _ids(groups, evaluation.used),
        "dropped_chunk_ids": _ids(groups, evaluation.dropped),
        "needs": needs,
        "refusal": written.refusal,
        "rewritten": state["refetched"] or written.replies > 1,
        "cut": written.cut,
        "warnings": list(written.warnings),
        "cost": written.cost,
    }


def _needs_of(written: Written, state: RagState) -> list[Need]:
    """Return the needs of the self-evaluation, then the provisions that the text of the answer says are missing.

    A provision that the model has read whole is not missing.
    """
    as_of, today = days_of(state)
    said = written.evaluation.needs
    asked = {(one.law_id, one.provision_key) for need in said for one in provisions_needed(need, "", today, as_of)}
    chunks = [candidate["chunk"] for candidate in state["context"]]
    read = Counter(map(provision_of, chunks))
    whole = {provision_of(chunk) for chunk in chunks if read[provision_of(chunk)] >= chunk["parts"]}
    return [*said, *needs_in_answer(written.text, as_of, asked | whole)]


def _ids(groups: Sequence[Sequence[Candidate]], numbers: Sequence[int]) -> list[int]:
    """Return the ids of all chunks of some markers, in the order of the markers."""
    return [candidate["chunk"]["id"] for number in numbers for candidate in groups[number - 1]]


def newly_asked(state: RagState) -> HumanMessage | None:
    """Return the human message that ends the conversation, unless an earlier turn took it up."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    return last if isinstance(last, HumanMessage) and last.id != state.get("asked_message") else None


def earlier_messages(messages: Sequence[AnyMessage]) -> list[Message]:
    """Return what people and the agent said before the last message, as a history.

    A question that no answer follows is left out: its run was interrupted, and the one after it takes its place.
    """
    roles: dict[str, Any] = {"human": "user", "ai": "assistant"}
    said = [message for message in messages[:-1] if message.type in roles and message.text]
    return [
        {"role": roles[message.type], "content": str(message.text), **_outcome_of(message)}  # type: ignore[typeddict-item]
        for message, following in zip_longest(said, said[1:])
        if message.type == "ai" or (following and following.type == "ai")
    ]


def _outcome_of(message: AnyMessage) -> dict[str, Any]:
    return {key: value for key, value in message.additional_kwargs.items() if key == "outcome"}


def asked_of(state: RagState) -> tuple[HumanMessage, bool]:
    """Return the question of a turn as a message, and whether it came as one."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    question = state.get("question", "")
    is_asked = isinstance(last, HumanMessage) and last.id == state.get("asked_message")
    if isinstance(last, HumanMessage) and is_asked and normalize("NFC", str(last.text)).strip() == question:
        return last, True
    return HumanMessage(question, id=f"question-{uuid4()}"), False


def exchange_of(state: RagState, update: Mapping[str, Any]) -> list[AnyMessage]:
    """Return the answer as a message, after the question where it did not come as one.

    The answer has the id under which it was streamed, if it was. ``additional_kwargs`` has ``citations``, ``choices``,
    ``outcome`` and ``warnings``.
    """
    question, came = asked_of(state)
    extras = {key: update[key] for key in ("citations", "outcome", "warnings")} | {"choices": state.get("choices", [])}
    answer = AIMessage(update["answer"], id=state.get("spoken") or f"answer-{uuid4()}", additional_kwargs=extras)
    return [answer] if came else [question, answer]
