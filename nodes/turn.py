"""Values derived from the state of a turn and shared by several stages."""

import re

from articulado.language.folding import fold
from articulado.language.languages import UNKNOWN_LANGUAGE, Language, answered_in
from articulado.legal.vocabulary.matters import matters
from articulado.prompting.abstention import Declined
from articulado.retrieval.agreements import without_agreement_names
from articulado.retrieval.needs import text_of
from articulado.retrieval.relevance.judge import UNDERSPECIFIED
from articulado.values.answers import Need
from state.rag import RagState, agreements_asked

SHARED_WORDS = 0.5
"""Share of the words of the searches that are in the question, from which on they are no translation of it."""
_WORD = re.compile(r"[^\W\d_]+")


def question_asked(state: RagState) -> str:
    """Return the question of the choice that a turn takes, else the question as it was sent."""
    return state.get("chosen") or state["question"]


def question_to_score(state: RagState) -> str:
    """Return the question as its conversation makes it complete, without the names of agreements.

    A question in another language than that of the profile is scored by the searches that the reader has made of it:
    the texts have none of its own words.
    """
    if is_translated(state):
        return " ".join(state["queries"])
    question = state.get("contextualized_question") or state["question"]
    return without_agreement_names(question, agreements_asked(state).names)


def is_translated(state: RagState) -> bool:
    """Tell if the searches say the question in the language of the profile; offline, they are its own words."""
    if not _spoken(state) or not state["queries"]:
        return False
    # A short follow-up is searched with the words of its conversation.
    asked = set(_WORD.findall(fold(state.get("contextualized_question") or state["question"])))
    searched = set(_WORD.findall(fold(" ".join(state["queries"]))))
    return len(searched & asked) < SHARED_WORDS * len(searched)


def language_of_turn(state: RagState, language: Language) -> Language:
    """Return the language of the texts of a turn: that of its question or the nearest one (``answered_in``).

    A question in keywords, or in a language that is not recognised, has the one of the profile.
    """
    return answered_in(_spoken(state), language)


def written_in(state: RagState, language: Language) -> str:
    """Return the code of the language that a chat model answers in: that of the question, if it is recognised."""
    spoken = _spoken(state)
    return language.code if spoken in ("", UNKNOWN_LANGUAGE) else spoken


def is_in_other_language(state: RagState) -> bool:
    """Tell whether a question is in a recognised language that is not the profile's."""
    return _spoken(state) not in ("", UNKNOWN_LANGUAGE)


def _spoken(state: RagState) -> str:
    """Return the code of the language of the question, empty where it is that of the profile."""
    analysis = state.get("analysis")
    return analysis.get("language", "") if analysis else ""


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
        question=state["contextualized_question"] or state["question"],
        queries=state["queries"],
        matter=matters().get(state["matter"]) if state["matter"] != UNDERSPECIFIED else None,
        other_matter=state["other_matter"] or "",
    )
