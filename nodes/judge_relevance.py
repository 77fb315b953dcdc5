"""Judge whether what was found answers the question, and how the turn goes on."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.rerank import question_to_score
from nodes.select_context import preference
from services.profile.sections import RelevanceBands
from services.relevance.judge import UNDERSPECIFIED, Judgement, RelevanceJudge
from state.candidates import NAMED_SCORE
from state.context import ResolvedContext
from state.rag import RagState
from state.values import AnswerOutcome


class JudgeRelevanceUpdate(TypedDict):
    """The probability that the candidates answer, what the question is about else, and how the turn goes on."""

    relevance: float
    matter: str
    outcome: AnswerOutcome


async def judge_relevance(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    judge: RelevanceJudge,
    bands: RelevanceBands,
    model_decides: bool,
) -> JudgeRelevanceUpdate:
    """Judge the candidates, the best first; ``model_decides`` where a chat model will read them.

    What was asked for by its number is an answer, in the packaged records, too. A follow-up is judged with what its
    search says of the subject; one that rests on what it carried over is answered, as is what was answered before
    something was fetched for it.
    """
    named = any("direct" in candidate["origins"] for candidate in state["candidates"])
    if state["retried"] or (state["analysis"]["is_lookup"] and named):
        judged = state["relevance"]
        return {"relevance": NAMED_SCORE if judged is None else judged, "matter": "", "outcome": "answer"}
    candidates = sorted(state["candidates"], key=preference)
    judgements = [await judge.judge(question, candidates) for question in _readings(state)]
    best = max(judgements, key=lambda judgement: judgement.relevance)
    outcome = "answer" if state.get("carried") else outcome_of(best, bands, model_decides=model_decides)
    # The matter is the likeliest of those that have no answer here: of a question that has one it says nothing.
    matter = best.matter if best.relevance < bands.answer else ""
    return {"relevance": best.relevance, "matter": matter, "outcome": outcome}


def outcome_of(judgement: Judgement, bands: RelevanceBands, *, model_decides: bool) -> AnswerOutcome:
    """Return how a turn goes on by the bands of its profile; what says too little is asked back.

    >>> bands = RelevanceBands(answer=0.5, near=0.4, chat_model=0.03)
    >>> [outcome_of(Judgement(p, "fiscal"), bands, model_decides=False) for p in (0.5, 0.45, 0.1)]
    ['answer', 'near', 'decline']
    >>> outcome_of(Judgement(0.1, "fiscal"), bands, model_decides=True)
    'answer'
    >>> outcome_of(Judgement(0.3, "indeterminada"), bands, model_decides=False)
    'ask'
    """
    if judgement.relevance >= (bands.chat_model if model_decides else bands.answer):
        return "answer"
    if judgement.matter == UNDERSPECIFIED:
        return "ask"
    return "near" if judgement.relevance >= bands.near and not model_decides else "decline"


def _readings(state: RagState) -> Sequence[str]:
    """Return the question, and in a conversation also what is searched for it: that has the subject."""
    question = question_to_score(state)
    return list(dict.fromkeys([question, *(state["searches"] if state["conversation"] else ())]))
