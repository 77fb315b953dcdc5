"""Stream the answer of the principal model, with its self-evaluation in the same call."""

from langgraph.runtime import Runtime

from articulado.answering.principal import Principal, Write
from articulado.language.languages import Language
from articulado.prompting.abstention import listed
from articulado.prompting.citation_markers import citation, keep_markers
from articulado.prompting.outgoing_links import source_addresses, without_foreign_links
from articulado.retrieval.fusion import nearest
from articulado.values.errors import EmptyReply, ModelError, cost_of_failure
from nodes.speech import speaking, spoken_by
from nodes.turn import MAX_REPLIES, WritingUpdate, language_of_turn, task_of, written_update
from state.context import ResolvedContext
from state.rag import RagState

MAX_SOURCES = 5


async def answer(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    principal: Principal,
    language: Language,
) -> WritingUpdate:
    """Stream the principal's answer, or the retrieved provisions if it writes none. A second answer replaces the first.

    Raise ``ModelError`` if the first answer fails, with the provisions of its context as ``citations``; a failed second
    one keeps the first. Reads ``context``, ``refetched``, ``draft_context`` and the keys of ``task_of``.
    """
    grounded, language = runtime.context.grounded_prompting, language_of_turn(state, language)
    async with speaking(state) as speaker:
        write = spoken_by(speaker, runtime.stream_writer)
        try:
            task = task_of(
                state,
                language,
                marked=grounded,
                supersedes=language.translate("rag_answer_with_more") if state["refetched"] else "",
                replies=1 if state["refetched"] else MAX_REPLIES,
            )
            written = await principal.answer(task, write)
        except ModelError as error:
            if state["refetched"]:
                return first_answer(state, error, language)
            if isinstance(error, EmptyReply):
                update = sources_alone(state, error, write, language, grounded=grounded)
                return {**update, "spoken": speaker.message_id}
            best = nearest(state["context"], MAX_SOURCES)
            error.citations = [citation(number, source) for number, source in enumerate(best, start=1)]
            raise
    return {**written_update(state, written, language), "spoken": speaker.message_id}


def first_answer(state: RagState, error: ModelError, language: Language) -> WritingUpdate:
    """Return the update that keeps the first answer, with its context and a warning, after the second one failed."""
    return {
        "context": state["draft_context"],
        "rewritten": True,
        "warnings": [language.translate("rag_answer_not_completed", problem=error)],
        "cost": cost_of_failure(error),
    }


def sources_alone(
    state: RagState, error: ModelError, write: Write, language: Language, *, grounded: bool
) -> WritingUpdate:
    """Stream the nearest provisions of the context in place of an answer, each cited once, and return their update."""
    context = nearest(state["context"], MAX_SOURCES)
    ids = [candidate["chunk"]["id"] for candidate in context]
    sources = listed(context) if grounded else keep_markers(listed(context), ())[0]
    sources = without_foreign_links(sources, source_addresses(context), language.translate("rag_link_left_out"))
    text = f"{language.translate('rag_sources_alone')}\n\n{sources}"
    write({"type": "token", "text": text})
    return {
        "draft": text,
        "draft_context": context,
        "context": context,
        "used_chunk_ids": ids,
        "outcome": "near",
        "abstained": True,
        "warnings": [str(error)],
        "cost": cost_of_failure(error),
    }
