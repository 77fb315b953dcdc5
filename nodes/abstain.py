"""Say that nothing was found, and what was searched."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.profile.profile import Profile
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState


class AbstainUpdate(TypedDict):
    """The answer that says what was searched."""

    answer: str
    abstained: bool
    context: list[Candidate]


async def abstain(
    state: RagState, runtime: Runtime[ResolvedContext], *, profile: Profile, language: Language
) -> AbstainUpdate:
    """Answer without any model."""
    refusal = language.say("no_verified_information")
    text = f"{refusal}.\n\n{what_was_searched(state, runtime.context, profile, language)}"
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "abstained": True, "context": []}


def what_was_searched(state: RagState, context: ResolvedContext, profile: Profile, language: Language) -> str:
    """Say which searches were made, and where, in the language of the profile."""
    searches = ", ".join(map(language.quoted, state["queries"] or [state["question"]]))
    names = context.collections or profile.for_questions
    labels = ", ".join(collection.label for collection in profile.collections if collection.name in names)
    places = labels if state["store"] == "index" else language.say("rag_packaged_records")
    advice = "rag_try_other_words_or_law" if profile.features.spanish_law else "rag_try_other_words"
    return f"{language.say('rag_searched', searches=searches, places=places)} {language.say(advice)}"
