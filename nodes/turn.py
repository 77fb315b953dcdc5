"""Values derived from the state of a turn and shared by several stages, and its messages for chat clients."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import shorten
from typing import Any, NamedTuple, NotRequired
from unicodedata import normalize
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, UsageMetadata
from langchain_core.messages import Citation as Annotation
from typing_extensions import TypedDict

from articulado.answering.footnotes import cut_note, footnotes, web_address
from articulado.answering.footnotes import name_of as source_name
from articulado.answering.principal import AnswerTask, Refusal, Written
from articulado.language.folding import words_of
from articulado.language.languages import Language, answered_in
from articulado.language.sentences import sentences
from articulado.legal.vocabulary.matters import matters
from articulado.prompting.abstention import Declined
from articulado.prompting.citation_markers import GAP, by_mark, marker_spans
from articulado.prompting.outgoing_links import texts_without_foreign_links
from articulado.prompting.stream_splitter import MAX_NEEDS
from articulado.retrieval.agreements import without_agreement_names
from articulado.retrieval.needs import name_of, needs_in_answer, provisions_needed, text_of
from articulado.retrieval.relevance.judge import UNDERSPECIFIED
from articulado.values.answers import AnswerOutcome, Citation, Message, Need, TurnQuestion, question_of, whole_text
from articulado.values.chunks import Candidate, provision_of
from articulado.values.errors import Cost
from articulado.verification.disclosures import calls_for_second_answer
from state.rag import RagState
from state.run import Frame, RetrievalState, days_of

SHARED_WORDS = 0.8  # Share of search words also in the question; with this many they are no translation


def question_to_score(state: RetrievalState) -> TurnQuestion:
    """Return the question to score texts with: without agreement names, or the reader's searches as its translation."""
    if is_translated(state):
        return question_of(" ".join(state["queries"]))
    question = state["turn_question"]
    names = question["agreement_names"]
    text, subject = (without_agreement_names(part, names) for part in (question["text"], question["subject"]))
    return {**question, "text": text, "subject": subject}


def is_translated(state: RetrievalState) -> bool:
    """Tell if the searches translate the question into the language of the profile."""
    if not _spoken(state) or not state["queries"]:
        return False
    if len(state["turn_question"]["meant"]) == 1:
        return True
    # A short follow-up is searched with the words of its conversation.
    asked = set(words_of(whole_text(state["turn_question"])))
    searched = set(words_of(" ".join(state["queries"])))
    return len(searched & asked) < SHARED_WORDS * len(searched)


def language_of_turn(state: Frame, language: Language) -> Language:
    """Return the language of the texts around the answer: that of the question if it has translations."""
    return answered_in(_spoken(state), language)


def written_in(state: Frame, language: Language) -> str:
    """Return the code of the language that a chat model answers in: that of the question, with translations or not."""
    return _spoken(state) or language.code


def is_in_other_language(state: Frame) -> bool:
    return bool(_spoken(state))


def _spoken(state: Frame) -> str:
    question = state.get("turn_question")
    return question["language"] if question else ""


def lacking(state: RagState) -> list[Need]:
    """Return the needs still unmet at the end of a turn, each once, without those of the check of an answer.

    The needs of the first answer count only if the refetch found something new.
    """
    requested = state["needs"] if state["refetched"] or not state["retried"] else []
    unmet = (need for need in [*state["unmet_needs"], *requested] if not need.get("by_check"))
    return list({text_of(need).casefold(): need for need in unmet}.values())


def declined_question(state: RagState) -> Declined:
    return Declined(
        question=whole_text(state["turn_question"]),
        queries=state["queries"],
        matter=matters().get(state["matter"]) if state["matter"] != UNDERSPECIFIED else None,
        other_matter=state["turn_question"]["other_matter"] or "",
    )


MAX_REPLIES = 2


class WritingUpdate(TypedDict):
    """The principal's text, self-evaluation and fragments, in the order of citation."""

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
    """Return the task. Reads ``context``, ``conversation``, ``refetched``, ``unmet_needs`` and ``findings``."""
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
    """Return the update for an answer; the context gets the order of its citations."""
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
    """Return the needs of the self-evaluation, then unread provisions that the answer calls missing."""
    as_of, today = days_of(state)
    requested = written.evaluation.needs
    asked = {
        (provision.law_id, provision.provision_key)
        for need in requested
        for provision in provisions_needed(need, "", today, as_of)
    }
    chunks = [candidate["chunk"] for candidate in state["context"]]
    read = Counter(map(provision_of, chunks))
    whole = {provision_of(chunk) for chunk in chunks if read[provision_of(chunk)] >= chunk["parts"]}
    return [*requested, *needs_in_answer(written.text, as_of, asked | whole)]


def _ids(groups: Sequence[Sequence[Candidate]], numbers: Sequence[int]) -> list[int]:
    return [candidate["chunk"]["id"] for number in numbers for candidate in groups[number - 1]]


def newly_asked(state: RagState) -> HumanMessage | None:
    """Return the last message if it is a human message that no turn has answered, else ``None``."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    return last if isinstance(last, HumanMessage) and last.id != state.get("asked_message") else None


def earlier_messages(messages: Sequence[AnyMessage]) -> list[Message]:
    """Return the messages before the last as a history, without questions of interrupted runs."""
    roles: dict[str, Any] = {"human": "user", "ai": "assistant"}
    spoken = [message for message in messages[:-1] if message.type in roles and message.text]
    return [
        {"role": roles[message.type], "content": str(message.text), **_outcome_of(message)}  # type: ignore[typeddict-item]
        for message, following in zip_longest(spoken, spoken[1:])
        if message.type == "ai" or (following and following.type == "ai")
    ]


def _outcome_of(message: AnyMessage) -> dict[str, Any]:
    return {key: value for key, value in message.additional_kwargs.items() if key == "outcome"}


def asked_of(state: RagState) -> tuple[HumanMessage, bool]:
    """Return the question as a message, and True if it came as the last message (else the message is new)."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    question = state.get("question", "")
    is_asked = isinstance(last, HumanMessage) and last.id == state.get("asked_message")
    if isinstance(last, HumanMessage) and is_asked and normalize("NFC", str(last.text)).strip() == question:
        return last, True
    return HumanMessage(question, id=f"question-{uuid4()}"), False


def exchange_of(state: RagState, update: Mapping[str, Any]) -> list[AnyMessage]:
    """Return the messages to add to the thread: the answer, preceded by the question unless it came as a message."""
    question, came = asked_of(state)
    extras = {key: update[key] for key in ("citations", "outcome", "warnings")} | {"choices": state.get("choices", [])}
    answer = AIMessage(update["answer"], id=state.get("spoken") or f"answer-{uuid4()}", additional_kwargs=extras)
    return [answer] if came else [question, answer]


class Told(NamedTuple):
    """Options of the message of an answer; ``law`` adds the notice that it is no legal advice."""

    language: Language
    language_of_law: Language
    law: bool
    footnotes: bool | None
    model_name: str


CLOSE_WORDING = 0.5  # Minimum similarity of a source sentence that is quoted beside a claim
MAX_EXCERPT = 1_000  # Characters of a source quoted beside a claim if no sentence is similar


def told(message: AnyMessage, state: RagState, cited: Mapping[int, Candidate], manner: Told) -> AIMessage:
    """Return the message of an answer as content blocks: the text, annotated at each marker, notices, and sources."""
    text, kept = str(message.text), message.additional_kwargs
    annotations = list(_annotations(text, kept["citations"], cited, manner))
    blocks: list[Any] = [{"type": "text", "text": text, "annotations": annotations}]
    if state["cut"]:
        blocks.append(_below(cut_note(manner.language)))
    is_wanted = asked_of(state)[1] if manner.footnotes is None else manner.footnotes
    if is_wanted and (kept["citations"] or state["turn_question"]["kind"] != "courtesy"):
        warnings = [warning for warning in kept["warnings"] if warning != manner.language.translate("rag_answer_cut")]
        blocks.append(_below(footnotes(kept["citations"], warnings, manner.language, law=manner.law)))
    tokens = state["usage"]["tokens"] if state.get("usage") else {"input": 0, "output": 0}
    return AIMessage(
        content=blocks,
        id=message.id,
        additional_kwargs=kept,
        response_metadata={
            "output_version": "v1",
            "model_name": manner.model_name,
            "finish_reason": "length" if state["cut"] else "stop",
            "outcome": kept["outcome"],
        },
        usage_metadata=UsageMetadata(
            input_tokens=tokens["input"],
            output_tokens=tokens["output"],
            total_tokens=tokens["input"] + tokens["output"],
        ),
    )


def _below(text: str) -> dict[str, str]:
    return {"type": "text", "text": f"\n\n{text}"}


def _annotations(
    text: str, citations: Sequence[Citation], cited: Mapping[int, Candidate], manner: Told
) -> Iterator[Annotation]:
    by_number = {number: citation for number in cited for citation in citations if citation["mark"] == f"C{number}"}
    unplaced, end_before = dict(by_number), 0
    for start, end, numbers in marker_spans(text):
        before = sentences(text[end_before:start].strip())
        claim = before[-1] if before else ""
        for number in numbers:
            if citation := by_number.get(number):
                unplaced.pop(number, None)
                yield {**_annotation(citation, cited[number], claim, manner), "start_index": start, "end_index": end}
        end_before = end if text[end : end + 1] != "[" else end_before
    for number, citation in unplaced.items():
        yield _annotation(citation, cited[number], "", manner)


def _annotation(citation: Citation, source: Candidate, claim: str, manner: Told) -> Annotation:
    annotation: Annotation = {
        "type": "citation",
        "title": source_name(citation, manner.language),
        "cited_text": _excerpt(claim, source, manner.language_of_law),
        "extras": dict(citation),
    }
    return {**annotation, "url": url} if (url := web_address(citation["url"])) else annotation


def _excerpt(claim: str, source: Candidate, language: Language) -> str:
    """Return the sentence most similar to a claim (Dice's coefficient of the stems), else the beginning of the text."""
    text, claim_stems = source["chunk"]["text"], set(language.stems(claim))
    best, nearest = CLOSE_WORDING, ""
    for sentence in sentences(text):
        own = set(language.stems(sentence))
        if (share := 2 * len(claim_stems & own) / max(len(claim_stems) + len(own), 1)) > best:
            best, nearest = share, sentence
    return nearest or shorten(text, MAX_EXCERPT, placeholder=f" {GAP}")
