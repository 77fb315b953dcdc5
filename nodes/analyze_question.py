"""Read the question without a model and open the turn: what it means in its conversation, and what it names."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import date

from langgraph.runtime import Runtime

from language.languages import Language
from legal.dates.finder import find_date
from legal.laws.indexed import NO_LAWS, IndexedLaws
from legal.validity import in_force
from nodes.messages import earlier_messages, newly_asked
from nodes.validation import check_collections, check_options, checked_history, checked_question
from services.conversation.leaning import LeaningJudge
from services.conversation.named import Contextualized, contextualize
from services.conversation.subject import read_turn
from services.domain.question import with_subject
from services.profile.profile import Profile
from services.protocols import ChunkStore
from services.search.agreements import Applicable, applicable, with_agreements
from services.search.hybrid import territory_asked
from services.search.named_decisions import decisions_missing, look_up_decisions
from services.search.named_provisions import look_up, not_in_force, not_indexed
from services.search.question_reading import empty_analysis, read_question
from services.store.agreements import IndexedAgreement
from services.store.supplementary import SupplementaryStore
from state.chunks import Candidate, provision_of
from state.context import ResolvedContext
from state.errors import ArticuladoError
from state.rag import RagState, Turn, fresh_turn
from state.values import Analysis, StoreName


class AnalyzeQuestionUpdate(Turn):
    """A fresh turn, what the question says, and what all stages go by: the store that answers, and the days."""

    question: str
    turn: int
    asked_message: str
    new_topic: bool
    about_answer: bool
    deadline: float
    store: StoreName
    today: str
    as_of: str | None
    analysis: Analysis


async def analyze_question(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    store: ChunkStore,
    profile: Profile,
    leaning: LeaningJudge,
    language: Language,
    seconds: float,
    agreements: Sequence[IndexedAgreement] = (),
    laws: IndexedLaws = NO_LAWS,
    calendar: Callable[[], date] = date.today,
    clock: Callable[[], float] = time.time,
) -> AnalyzeQuestionUpdate:
    """Reset the turn, check what the caller sent, and look up the provisions that the question names.

    ``seconds`` is what all model calls of the question may take together, by ``clock``; ``calendar`` says which day it
    is, which need not be the clock's. ``agreements`` and ``laws`` are those of the index. Provisions named are
    candidates of their own with score 1.0; those that the index does not have, or not of the day asked about, are told
    in a warning, and agreements that it does not have. Only where the profile is of Spanish law, anything is read off
    the question.

    Raises:
        InvalidInput: the question, the history or an option cannot be used.
        ConfigurationError: retrieval is switched off, and the profile has no records to look up instead.
    """
    check_options(runtime.context, profile)
    check_collections(runtime.context, profile)
    asked = newly_asked(state)
    question = checked_question(str(asked.text) if asked else state.get("question"))
    history = state.get("history")
    if history is None and asked and not state.get("transcript"):
        history = earlier_messages(state["messages"])
    conversation = checked_history(history) if history is not None else state.get("transcript", [])
    today, as_of = calendar(), runtime.context.as_of
    reading = read_turn(question, conversation, language, leaning)
    if profile.features.spanish_law:
        earlier = [message["content"] for message in conversation if message["role"] == "user"]
        contextualized = contextualize(question, earlier, today)
        # A day that was said before is that of its subject.
        leaves = reading.leaves and contextualized.question == question
        kept_day = None if leaves else contextualized.day
        as_of = as_of or kept_day or find_date(contextualized.question, today=today)
        # A law that the registry does not know is looked for in the catalogue of the index, on the disk.
        analysis = await asyncio.to_thread(
            read_question,
            contextualized.question,
            conversation,
            profile.default_law,
            as_of,
            contextualized.territory,
            laws,
        )
        territory = territory_asked(analysis["territory"], runtime.context.territory)
        applying = applicable(question, earlier, agreements, territory)
        analysis = with_agreements(analysis, applying, contextualized.question)
    else:
        contextualized, analysis, applying = Contextualized(question), empty_analysis(), Applicable()
    # What took a provision over is about that alone: it is looked up, and needs no other subject.
    completed = contextualized.question != question
    in_context = contextualized.question if completed else with_subject(question, reading.subject, language)
    uses_index, decisions = runtime.context.store == "index", analysis.get("decisions", [])
    direct: list[Candidate] = []
    decided: list[Candidate] = []
    if uses_index:
        failures: list[ArticuladoError] = []
        there_is = SupplementaryStore(store, failures)
        direct = await look_up(analysis["provisions"], there_is, as_of, today)
        decided = await look_up_decisions(decisions, there_is) if decisions else []
        if failures:
            # What is not there is searched for like anything else: the search tells which collection does not answer.
            found = {provision_of(candidate["chunk"]) for candidate in direct}
            there = [named for named in analysis["provisions"] if (named["law_id"], named["provision_key"]) in found]
            is_lookup = (
                analysis["is_lookup"] and there == analysis["provisions"] and not decisions_missing(decisions, decided)
            )
            analysis = {**analysis, "provisions": there, "is_lookup": is_lookup}
            decisions = []
    chunks = {provision_of(candidate["chunk"]): candidate["chunk"] for candidate in direct}
    missing = [
        provision
        for provision in analysis["provisions"]
        if (provision["law_id"], provision["provision_key"]) not in chunks
    ]
    of_other_days = [chunk for chunk in chunks.values() if not in_force(chunk, as_of, today)]
    warnings = [*map(not_indexed, missing), *(not_in_force(chunk, as_of, today) for chunk in of_other_days)]
    warnings += decisions_missing(decisions, decided)
    if not reading.leaves:
        warnings += [language.say("rag_agreement_not_indexed", name=name) for name in applying.missing]
    return {
        **fresh_turn(),
        "question": question,
        "contextualized_question": in_context,
        "new_topic": reading.leaves or completed,
        "about_answer": reading.kind in ("same", "courtesy"),
        "turn": state.get("turn", 0) + 1,
        "asked_message": (asked.id or "") if asked else state.get("asked_message", ""),
        "deadline": clock() + seconds,
        "store": runtime.context.store,
        "today": today.isoformat(),
        "as_of": as_of.isoformat() if as_of else None,
        "analysis": analysis,
        "direct": [*direct, *decided],
        "warnings": warnings if uses_index else [],
        "conversation": conversation,
    }
