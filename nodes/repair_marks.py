"""Ask the principal model once to add citation markers to an answer that has none."""

from langgraph.runtime import Runtime

from articulado.answering.principal import Principal
from articulado.language.languages import Language
from articulado.models.retry import QuestionTime
from articulado.values.errors import ModelError, cost_of_failure
from nodes.speech import speaking, spoken_by
from nodes.turn import WritingUpdate, language_of_turn, task_of, written_update
from state.context import ResolvedContext
from state.rag import RagState

MIN_SHARE_LEFT = 1 / 3  # Share of the question's time that must be left: a repair takes about as long as the answer


async def repair_marks(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    principal: Principal,
    language: Language,
    question_time: QuestionTime,
) -> WritingUpdate:
    """Have the principal add markers to the answer, which stays as it is if the model fails or too little time is left.

    Reads ``draft`` and the keys of ``task_of``.
    """
    deadline = state.get("deadline")
    if deadline is not None and deadline - question_time.clock() < question_time.seconds * MIN_SHARE_LEFT:
        return {"rewritten": True}
    language = language_of_turn(state, language)
    try:
        repaired = language.translate("rag_answer_repaired")
        task = task_of(state, language, marked=True, draft=state["draft"], supersedes=repaired)
        async with speaking(state) as speaker:
            written = await principal.answer(task, spoken_by(speaker, runtime.stream_writer))
    except ModelError as error:
        return {"rewritten": True, "cost": cost_of_failure(error)}
    return {**written_update(state, written, language), "rewritten": True, "spoken": speaker.message_id}
