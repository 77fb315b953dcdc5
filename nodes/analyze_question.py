"""Open the turn and read the question without a model: conversation, dates, provisions and agreements."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from articulado.calculations.parameters import (
    DatedValue,
    asks_for_value_alone,
    days_of_value,
    kinds_named,
    values_on,
)
from articulado.config.profile import Profile
from articulado.language.languages import Language, answered_in, language_of
from articulado.language.spelling import Speller, with_mended
from articulado.language.translation import translate, use_locale
from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.domain.base import Domain
from articulado.legal.reading import read
from articulado.legal.validity import in_force
from articulado.models.retry import QuestionTime
from articulado.retrieval.agreements import Applicable, applicable
from articulado.retrieval.conversation.leaning import TurnJudge
from articulado.retrieval.conversation.subject import (
    TurnReading,
    choice_taken,
    contextualize,
    gist,
    read_turn,
)
from articulado.retrieval.question import (
    MAX_DIRECT_PROVISIONS,
    IndexContents,
    as_citation,
    decisions_missing,
    described,
    look_up,
    look_up_decisions,
    not_in_force,
    not_indexed,
    provisions_asked,
    read_question,
    remarks,
    with_agreements,
)
from articulado.retrieval.references import remarks_on, unknown_law
from articulado.retrieval.search import territory_asked
from articulado.store.supplementary import SupplementaryStore
from articulado.values.answers import (
    MendedWord,
    Message,
    NamedProvision,
    NearestNeed,
    StoreName,
    TurnQuestion,
    question_of,
    whole_text,
)
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, provision_of
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import ChunkStore
from nodes.turn import earlier_messages, newly_asked
from nodes.validation import (
    attachment_warnings,
    check_collections,
    check_options,
    checked_attachments,
    checked_history,
    checked_question,
)
from state.context import ResolvedContext
from state.rag import PerTurn, RagState, fresh_turn


class AnalyzeQuestionUpdate(PerTurn):
    """A fresh turn, the analysed question, and the store and days of the run."""

    question: str
    turn: int
    asked_message: str
    warnings: Overwrite
    deadline: float
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion


async def analyze_question(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    index: IndexContents,
    profile: Profile,
    domain: Domain,
    leaning: TurnJudge,
    question_time: QuestionTime,
) -> AnalyzeQuestionUpdate:
    """Reset the turn, check the input, and look up the provisions that the question names.

    Named provisions become candidates with score 1.0. A turn that takes one of the last ``choices`` is read as the
    choice's question, with the previous question as its subject. Raise ``InvalidInput`` for an unusable question,
    history or option, ``ConfigurationError`` if retrieval is off and the profile has no packaged records. Reads
    ``question``, ``messages``, ``history``, ``transcript``, ``choices``, ``turn`` and ``asked_message``.
    """
    options, language = runtime.context, domain.language
    check_options(options, profile)
    check_collections(options, profile)
    message = newly_asked(state)
    attached = checked_attachments(message) if message else []
    question = checked_question(str(message.text) if message else state.get("question"))
    conversation = _conversation(state, message)
    today = question_time.calendar()
    mended, earlier = await asyncio.to_thread(_spelling, index.speller, question, conversation)
    asked = with_mended(question, mended)
    choice = choice_taken(asked, _offered(state))
    if choice is None:
        turn = await asyncio.to_thread(read_turn, asked, earlier, language, leaning)
    else:
        asked, mended, turn = choice["question"], [], TurnReading("adds", _last_question(earlier))
    # The question that a choice narrows may say the day and the place.
    text = asked if choice is None else whole_text(question_of(asked, turn.subject))
    reading = _Read(question_of(text), options.as_of, Applicable())
    if profile.features.spanish_law:
        reading = await _read(text, earlier, turn, options, today, profile.default_law, index)
    if choice is not None:
        reading = reading._replace(question=_with_provision(reading.question, choice))
    named = _Named(reading.question)
    # The texts of a choice are in the language of the index.
    in_words = asked if choice is None else turn.subject or asked
    # "ET" and "art." are words of other languages.
    beside = read(in_words, today).beside if profile.features.spanish_law else in_words
    is_known = index.speller is not None and index.speller.knows_all(beside)
    code = language.code if is_known else await asyncio.to_thread(language_of, beside, language)
    spoken = answered_in(code, language)
    with use_locale(spoken.code):
        unread = attachment_warnings(attached)
        if options.store == "index":
            named = await _look_up(reading, index.store, today)
        else:
            named.warnings.extend(
                remark
                for asked in reading.requests
                for remark in (remarks_on(asked) if asked.law_id else [unknown_law(asked)])
            )
    if options.store == "index" and not turn.leaves:
        missing = reading.applying.missing
        named.warnings.extend(spoken.translate("rag_agreement_not_indexed", name=name) for name in missing)
    values = _Values()
    if profile.features.spanish_law:
        values = _reference_values(asked, turn, reading.as_of, today, spoken)
    # A question completed with a provision is about that provision alone, and needs no other subject.
    completed = reading.question["text"] != text
    turn_question: TurnQuestion = {
        **named.question,
        "asked": question if choice is None else asked,
        "mended": mended,
        "text": reading.question["text"] if completed else asked,
        "subject": "" if completed else turn.subject,
        "kind": turn.kind,
        "new_topic": turn.leaves or completed,
        "about_answer": turn.kind in ("same", "courtesy"),
        "asks_deadline": turn.asks_deadline,
        "language": "" if code == language.code else code,
    }
    return {
        **fresh_turn(),
        "question": question,
        "turn": state.get("turn", 0) + 1,
        "asked_message": (message.id or "") if message else state.get("asked_message", ""),
        "deadline": question_time.clock() + question_time.seconds,
        "store": options.store,
        "today": today.isoformat(),
        "as_of": reading.as_of.isoformat() if reading.as_of else None,
        "turn_question": described(turn_question, domain, today),
        "direct": named.candidates,
        "dated_values": list(values.candidates),
        "warnings": Overwrite([*unread, *_as_read(mended, spoken), *named.warnings, *values.warnings]),
        "conversation": conversation,
    }


def _spelling(
    speller: Speller | None, question: str, conversation: list[Message]
) -> tuple[list[MendedWord], list[Message]]:
    """Return the misspelt words of the question, and the conversation with its questions corrected."""
    if speller is None:
        return [], conversation
    earlier: list[Message] = [
        {**message, "content": with_mended(message["content"], speller.mended(message["content"]))}
        if message["role"] == "user"
        else message
        for message in conversation
    ]
    return speller.mended(question), earlier


def _as_read(mended: Sequence[MendedWord], language: Language) -> list[str]:
    words = [
        language.translate("rag_mended_word", **{part: language.quoted(word[part]) for part in ("written", "read")})
        for word in mended
    ]
    return [language.translate("rag_mended", words=", ".join(dict.fromkeys(words)))] if words else []


def _offered(state: RagState) -> Sequence[NearestNeed]:
    return state.get("choices", []) if state.get("history") is None else []


def _last_question(conversation: Sequence[Message]) -> str:
    return next((gist(each["content"]) for each in reversed(conversation) if each["role"] == "user"), "")


def _with_provision(question: TurnQuestion, choice: NearestNeed) -> TurnQuestion:
    chosen: NamedProvision = {"law_id": choice["law_id"], "provision_key": choice["provision_key"]}
    return {**question, "provisions": [chosen, *(named for named in question["provisions"] if named != chosen)]}


class _Values(NamedTuple):
    candidates: Sequence[Candidate] = ()
    warnings: Sequence[str] = ()


def _reference_values(question: str, turn: TurnReading, as_of: date | None, today: date, language: Language) -> _Values:
    """Return the values on the day asked for; unverified ones are candidates only if asked for alone."""
    kinds = kinds_named([question, turn.subject])
    if not kinds:
        return _Values()
    asked = question if kinds_named([question]) else f"{question} {turn.subject}"
    values = values_on(kinds, days_of_value(asked, as_of, today))
    is_all = asks_for_value_alone(asked)
    return _Values(
        [value.candidate(language) for value in values if is_all or isinstance(value, DatedValue)],
        [value.reason(language) for value in values if not (is_all or isinstance(value, DatedValue))],
    )


def _conversation(state: RagState, message: HumanMessage | None) -> list[Message]:
    history = state.get("history")
    if history is None and message and not state.get("transcript"):
        history = earlier_messages(state["messages"])
    return checked_history(history) if history is not None else state.get("transcript", [])


class _Read(NamedTuple):
    question: TurnQuestion
    as_of: date | None
    applying: Applicable
    requests: Sequence[ProvisionRequest] = ()


async def _read(
    question: str,
    conversation: list[Message],
    turn: TurnReading,
    options: ResolvedContext,
    today: date,
    default_law: str,
    index: IndexContents,
) -> _Read:
    earlier = [message["content"] for message in conversation if message["role"] == "user"]
    question = question if conversation else as_citation(question, today)
    contextualized = contextualize(question, earlier, today)
    # A day that was said before is that of its subject.
    leaves = turn.leaves and contextualized.question == question
    kept_day = None if leaves else contextualized.day
    as_of = options.as_of or kept_day or contextualized.reading.day
    # A law that the registry does not know is looked for in the catalogue of the index, on the disk.
    reading = contextualized.reading
    requests = await asyncio.to_thread(provisions_asked, reading, conversation, default_law, as_of, index.laws)
    parsed = read_question(reading, requests, contextualized.territory, index.laws)
    territory = territory_asked(parsed["territory"], options.territory)
    applying = applicable(question, earlier, index.agreements, territory)
    return _Read(with_agreements(parsed, applying, today), as_of, applying, requests)


@dataclass(frozen=True)
class _Named:
    question: TurnQuestion
    candidates: list[Candidate] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


async def _look_up(reading: _Read, store: ChunkStore, today: date) -> _Named:
    question, as_of = reading.question, reading.as_of
    decisions = question["decisions"]
    failures: list[ArticuladoError] = []
    available = SupplementaryStore(store, failures)
    provisions = await look_up(question["provisions"], available, as_of, today)
    decided = await look_up_decisions(decisions, available) if decisions else []
    chunks: dict[ProvisionRef, list[Chunk]] = {}
    for each in provisions:
        chunks.setdefault(provision_of(each["chunk"]), []).append(each["chunk"])
    if failures:
        # What is not there is searched for like anything else: the search tells which collection does not answer.
        there = [named for named in question["provisions"] if (named["law_id"], named["provision_key"]) in chunks]
        is_lookup = (
            question["is_lookup"] and there == question["provisions"] and not decisions_missing(decisions, decided)
        )
        question = {**question, "provisions": there, "is_lookup": is_lookup}
        decisions = []
    requests = _requests(reading, question)
    missing = [not_indexed(asked) for asked in requests if (asked.law_id, asked.provision_key) not in chunks]
    on_requests = [
        remark for asked in requests for remark in remarks(asked, chunks.get((asked.law_id, asked.provision_key), ()))
    ]
    of_other_days = [parts[0] for parts in chunks.values() if not in_force(parts[0], as_of, today)]
    if question["is_lookup"] and not (provisions or decided):
        # There is nothing to answer with but this.
        question, missing = {**question, "missing": missing}, []
    if len(question["provisions"]) > MAX_DIRECT_PROVISIONS:
        count = len(question["provisions"])
        on_requests.append(translate("named.first_only", count=count, limit=MAX_DIRECT_PROVISIONS))
    warnings = [*missing, *on_requests, *(not_in_force(chunk, as_of, today) for chunk in of_other_days)]
    return _Named(question, [*provisions, *decided], [*warnings, *decisions_missing(decisions, decided)])


def _requests(reading: _Read, question: TurnQuestion) -> list[ProvisionRequest]:
    looked_up = question["provisions"][:MAX_DIRECT_PROVISIONS]
    as_asked = {(asked.law_id, asked.provision_key): asked for asked in reversed(reading.requests)}
    refs = [(named["law_id"], named["provision_key"]) for named in looked_up]
    # Several laws that are not known may have articles of one number.
    unknown = [asked for asked in reading.requests if not asked.law_id and ("", asked.provision_key) in refs]
    return [*unknown, *(as_asked.get(ref, ProvisionRequest(*ref)) for ref in refs if ref[0] or ref not in as_asked)]
