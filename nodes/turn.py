"""Values derived from the state of a turn and shared by several stages."""

from articulado.legal.vocabulary.matters import matters
from articulado.prompting.abstention import Declined
from articulado.retrieval.agreements import without_agreement_names
from articulado.retrieval.needs import text_of
from articulado.retrieval.relevance.judge import UNDERSPECIFIED
from articulado.values.answers import Need
from state.context import ResolvedContext
from state.rag import RagState, agreements_asked


def question_to_score(state: RagState) -> str:
    """Return the question as its conversation makes it complete, without the names of agreements."""
    question = state.get("contextualized_question") or state["question"]
    return without_agreement_names(question, agreements_asked(state).names)


def lacking(state: RagState) -> list[Need]:
    """Return what is still lacking at the end of a turn: what could not be found, and what the last answer names.

    Where nothing new was found, the needs of the state are those of before: the model had seen what there is. What the
    check of the answer called for is told by its findings.
    """
    said = state["needs"] if state["refetched"] or not state["retried"] else []
    lacking_ones = (need for need in [*state["unmet_needs"], *said] if not need.get("by_check"))
    return list({text_of(need).casefold(): need for need in lacking_ones}.values())


def declined_question(state: RagState, context: ResolvedContext) -> Declined:
    """Return the question of a turn that ends without an answer, and the search that was made for it."""
    return Declined(
        question=state["contextualized_question"] or state["question"],
        queries=state["queries"],
        matter=matters().get(state["matter"]) if state["matter"] != UNDERSPECIFIED else None,
        other_matter=state["other_matter"] or "",
        store=state["store"],
        collections=context.collections,
    )
