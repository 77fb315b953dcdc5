"""Close the turn: outcome, citations, carryover, warnings and the final event."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.parameters import VALUE_TYPE
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.language.spelling import with_mended
from articulado.legal.wordings import day_to_check, past_law_warnings, tracked_laws
from articulado.prompting.abstention import declined
from articulado.prompting.citation_markers import citation, markers_in, one_per_mark, unread_source
from articulado.prompting.notes import law_notes_once
from articulado.retrieval.needs import name_of
from articulado.values.answers import AnswerOutcome, Citation, Message, Need, Suggestion, whole_text
from articulado.values.chunks import OWN_TYPE
from articulado.values.errors import ArticuladoError
from articulado.values.findings import Certificate, Freshness, Remission
from articulado.verification.disclosures import certificate_of, freshness_of, precedence_notes, remissions_of
from nodes.speech import speaking
from nodes.stage import final_event
from nodes.turn import Told, declined_question, exchange_of, lacking, language_of_turn, told
from nodes.validation import MAX_MESSAGES
from state.context import ResolvedContext
from state.rag import RagOutput, RagState
from state.run import add_warnings, carried_over, days_of

MAX_HANDED_ON = 12  # Chunks handed to the next turn: half of the context of a principal


class FinalizeUpdate(TypedDict):
    """Result of the turn, and memory for the next one."""

    answer: str
    language: str
    outcome: AnswerOutcome
    context_chunk_ids: list[int]
    citations: list[Citation]
    unread: list[Citation]
    remissions: list[Remission]
    precedence: list[str]
    freshness: Freshness
    certificate: Certificate | None
    abstained: bool
    suggestions: list[Suggestion]
    needs: list[Need]
    warnings: list[str]
    transcript: list[Message]
    messages: list[AnyMessage]


async def finalize(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    language: Language,
    index_day: date | None = None,
    last_changes: Callable[[], Mapping[str, str]] = dict,
    model_name: str = "",
) -> FinalizeUpdate:
    """Write the result of the turn.

    The next turn gets the used chunks and, while the subject stays, the carried ones, but none that the model dropped.
    Reads ``answer``, ``outcome``, ``abstained``, ``refusal``, ``cut``, ``unpinned``, ``context``, ``candidates``,
    ``named``, ``used_chunk_ids``, ``dropped_chunk_ids``, ``carried``, ``missing_carried``, ``calculations``,
    ``needs``, ``suggestions``, ``queries``, ``searches``, ``relevance``, ``conversation``, ``messages`` and
    ``warnings``.
    """
    answer, used, dropped = state["answer"], state["used_chunk_ids"], state["dropped_chunk_ids"]
    abstained = state["abstained"] or bool(state["refusal"])
    spoken = language_of_turn(state, language)
    if state["refusal"] == "bare":
        answer = declined(declined_question(state), profile, spoken)
    goes_on = abstained or state["turn_question"]["kind"] == "courtesy"
    kept = state.get("carried", []) if goes_on and not used else carried_over(state)
    # Neither a reference value nor a document of the question is in an index: the next turn finds it by itself.
    outside = (VALUE_TYPE, OWN_TYPE)
    values = {each["chunk"]["id"] for each in state["context"] if each["chunk"]["chunk_type"] in outside}
    carried = [candidate["chunk"]["id"] for candidate in kept if candidate["chunk"]["id"] not in dropped]
    question = state["turn_question"]
    stands_alone = whole_text(question) == with_mended(state["question"], question["mended"])
    outcome = _outcome(state, abstained=abstained)
    exchange: list[Message] = [
        {"role": "user", "content": question["asked"], "new_topic": question["new_topic"] and stands_alone},
        {"role": "assistant", "content": answer, "outcome": outcome},
    ]
    # An answer that was to have no markers rests on what it says that it used.
    unmarked = [] if runtime.context.grounded_prompting else used
    sources = one_per_mark(state["context"])
    cited = {number: sources[number - 1] for number in markers_in(answer)} or dict(
        enumerate((source for source in sources if source["chunk"]["id"] in unmarked), start=1)
    )
    law_notes = law_notes_once([candidate["chunk"]] for candidate in cited.values())
    needs, gone = lacking(state), state.get("missing_carried", [])
    changes = await asyncio.to_thread(_readable, last_changes) if cited else {}
    days = days_of(state)
    of_index = {number: one for number, one in cited.items() if one["chunk"]["id"] not in values}
    cited_chunks = [candidate["chunk"] for candidate in of_index.values()]
    day = day_to_check(days.as_of, days.today, cited_chunks) if profile.features.spanish_law else None
    day = day if of_index or not cited else None
    tracked = tracked_laws(candidate["chunk"] for candidate in [*state["candidates"], *state["context"]])
    warnings = [
        *([spoken.translate("rag_answer_cut")] if state["cut"] else []),
        *([spoken.translate("rag_still_lacking", needs="; ".join(map(name_of, needs)))] if needs else []),
        *([spoken.translate("rag_unpinned")] if state["unpinned"] else []),
        *(worked["reason"] for worked in state["calculations"] if worked["status"] == "none"),
        *([spoken.translate("rag_carried_gone", ids=", ".join(map(str, gone)))] if gone else []),
        *past_law_warnings(day, {f"C{number}": candidate for number, candidate in of_index.items()}, tracked),
    ]
    update: FinalizeUpdate = {
        "answer": answer,
        "language": spoken.code,
        "outcome": outcome,
        "context_chunk_ids": [id_ for id_ in dict.fromkeys([*used, *carried]) if id_ not in values][:MAX_HANDED_ON],
        "citations": [
            citation(number, candidate, day, tracked, law_note)
            for (number, candidate), law_note in zip(cited.items(), law_notes, strict=True)
        ],
        "unread": [unread_source(candidate, day, tracked) for candidate in state["named"]],
        "remissions": [] if abstained else remissions_of(cited, state["context"]),
        "precedence": [] if abstained else precedence_notes(cited, spoken),
        "freshness": freshness_of(cited, index_day, changes, days_of(state).today),
        "certificate": _certificate(state, runtime.context, profile, language) if abstained else None,
        "abstained": abstained,
        "suggestions": [] if abstained else state["suggestions"],
        "needs": needs,
        "warnings": warnings,
        "transcript": [*state["conversation"], *exchange][-MAX_MESSAGES:],
        "messages": [],
    }
    *asked, message = exchange_of(state, {**update, "warnings": add_warnings(state["warnings"], warnings)})
    manner = Told(spoken, language, profile.features.spanish_law, runtime.context.footnotes, model_name)
    answered = await asyncio.to_thread(told, message, state, cited, manner)
    async with speaking(state) as speaker:
        update["messages"] = [*asked, await speaker.finish(answered)]
    runtime.stream_writer(final_event(RagOutput, state, update))
    return update


def _readable(last_changes: Callable[[], Mapping[str, str]]) -> Mapping[str, str]:
    """Return the days on which laws last changed; empty if the catalogue is damaged."""
    try:
        return last_changes()
    except ArticuladoError:
        return {}


def _certificate(state: RagState, context: ResolvedContext, profile: Profile, language: Language) -> Certificate:
    return certificate_of(
        whole_text(state["turn_question"]),
        state["candidates"],
        searches=state["searches"] or state["queries"],
        collections=list(context.collections or profile.for_questions),
        store=state["store"],
        as_of=days_of(state).as_of,
        territory=context.territory or state["turn_question"]["territory"],
        probability=state["relevance"],
        language=language,
    )


def _outcome(state: RagState, *, abstained: bool) -> AnswerOutcome:
    if state["outcome"] in ("near", "ask"):
        return "near" if state["outcome"] == "near" else "ask"
    return "decline" if abstained else "answer"
