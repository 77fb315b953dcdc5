"""Judge if the candidates answer the question, and decide how the turn goes on."""

import math
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.calculations.parameters import asks_for_value_alone
from articulado.config.sections import RelevanceBands
from articulado.legal.vocabulary.synonyms import names_elsewhere
from articulado.retrieval.fusion import is_asked_of, preference
from articulado.retrieval.relevance.judge import OTHER_COUNTRY, UNDERSPECIFIED, Judgement, RelevanceJudge
from articulado.values.answers import AnswerOutcome, whole_text
from articulado.values.chunks import NAMED_SCORE, Candidate, is_card
from nodes.routing import has_candidates
from nodes.turn import is_in_other_language, is_translated, question_to_score
from state.context import ResolvedContext
from state.rag import RagState
from state.run import carried_over


class JudgeRelevanceUpdate(TypedDict):
    """Probability in [0, 1] and outcome; no ``candidates`` if only the user's document answers."""

    relevance: float
    matter: str
    outcome: AnswerOutcome
    candidates: NotRequired[list[Candidate]]


async def judge_relevance(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    judge: RelevanceJudge,
    relevance_bands: RelevanceBands,
    model_decides: bool,
) -> JudgeRelevanceUpdate:
    """Judge the candidates by the bands of the profile; ``model_decides`` if a chat model will read them.

    Always answered: a named provision or agreement, a turn after a refetch, a reference value asked for alone. Reads
    ``candidates``, ``own``, ``queries``, ``retried``, ``relevance``, ``dated_values``, ``calculations``,
    ``conversation`` and ``carried``.
    """
    if state["own"] and not has_candidates(state):
        return {"relevance": NAMED_SCORE, "matter": "", "outcome": "answer", "candidates": []}
    agreements = tuple(state["turn_question"]["agreements"])
    named = any(
        "direct" in candidate["origins"] or is_asked_of(candidate, agreements) for candidate in state["candidates"]
    )
    if state["retried"] or (state["turn_question"]["is_lookup"] and named):
        judged = state["relevance"]
        return {"relevance": NAMED_SCORE if judged is None else judged, "matter": "", "outcome": "answer"}
    candidates = sorted(state["candidates"], key=preference)
    judgement = await judge.judge(question_to_score(state), candidates)
    if judgement.matter == UNDERSPECIFIED and is_translated(state):
        # Keywords always say too little: the question itself was not judged.
        judgement = judgement._replace(matter="", matter_share=0.0)
    elif is_in_other_language(state) and not is_translated(state):
        # The matters were learnt from questions in the language of the profile.
        judgement = judgement._replace(matter="", matter_share=0.0)
    elif (
        judgement.matter == OTHER_COUNTRY
        and is_in_other_language(state)
        and not names_elsewhere(" ".join(state["queries"]))
    ):
        # A question in another language looks like one on another country.
        judgement = judgement._replace(matter="", matter_share=0.0)
    # A reader that finds the question of another field need only be borne out.
    decides = model_decides and state["turn_question"]["other_matter"] is None
    value_alone = asks_for_value_alone(whole_text(state["turn_question"]))
    answered_before = judgement.relevance >= _floor_of_follow_ups(state, relevance_bands)
    has_value = value_alone and any(each.get("purpose") == "value" for each in state["dated_values"])
    outcome = outcome_of(judgement, relevance_bands, model_decides=decides)
    if named or has_value or answered_before:
        outcome = "answer"
    elif value_alone and state["dated_values"]:
        # There is no value of that day, and the law on it, or the value of another day, is no answer.
        outcome = "decline"
    if outcome in ("near", "ask") and any(
        each["status"] == "missing" and each["understood"] for each in state["calculations"]
    ):
        # The data given tell which calculation is asked for: the rule is told, and the rest asked for.
        outcome = "answer"
    if outcome != "answer" and len(state["turn_question"]["meant"]) > 1:
        outcome = "near"
    if outcome == "near" and judgement.matter == OTHER_COUNTRY and is_in_other_language(state):
        outcome = "decline"
    if outcome != "answer" and state["own"]:
        return {"relevance": judgement.relevance, "matter": "", "outcome": "answer", "candidates": []}
    # The matter is the likeliest of those that have no answer here: of a question that has one it says nothing.
    matter = judgement.matter if judgement.relevance < relevance_bands.answer and not value_alone else ""
    return {"relevance": judgement.relevance, "matter": matter, "outcome": outcome}


def _floor_of_follow_ups(state: RagState, bands: RelevanceBands) -> float:
    """Return the minimum probability of a follow-up; infinite if the turn follows nothing."""
    question = state["turn_question"]
    if carried := carried_over(state):
        says_it = question["asks_deadline"] and any(is_card(each["chunk"]) for each in carried)
        return 0.0 if question["about_answer"] or says_it else bands.follow_up
    return bands.insisting if state["conversation"] and not question["new_topic"] else math.inf


def outcome_of(judgement: Judgement, bands: RelevanceBands, *, model_decides: bool) -> AnswerOutcome:
    """Return ``answer`` from ``bands.answer`` on, or from ``bands.chat_model`` on if a chat model reads the context.

    Below: ``ask`` if the question says too little, ``near`` from ``bands.near`` on (no chat model), else ``decline``.
    """
    if judgement.relevance >= (bands.chat_model if model_decides else bands.answer):
        return "answer"
    if judgement.matter == UNDERSPECIFIED:
        return "ask"
    return "near" if judgement.relevance >= bands.near and not model_decides else "decline"
