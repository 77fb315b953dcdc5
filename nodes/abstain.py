"""Say that nothing was found, and what was searched."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import language
from services.profile.profile import Profile
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState


class AbstainUpdate(TypedDict):
    """The answer that says what was searched."""

    answer: str
    abstained: bool
    context: list[Candidate]


async def abstain(state: RagState, runtime: Runtime[ResolvedContext], *, profile: Profile) -> AbstainUpdate:
    """Answer without any model."""
    refusal = language(profile.language).say("no_verified_information")
    text = f"{refusal}.\n\n{what_was_searched(state, runtime.context, profile)}"
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "abstained": True, "context": []}


def what_was_searched(state: RagState, context: ResolvedContext, profile: Profile) -> str:
    """Say which searches were made, and where, in the language of the profile."""
    spoken = language(profile.language)
    searches = ", ".join(map(spoken.quoted, state["queries"] or [state["question"]]))
    names = context.collections or profile.for_questions
    labels = ", ".join(collection.label for collection in profile.collections if collection.name in names)
    places = labels if state["store"] == "index" else spoken.say("rag_packaged_records")
    advice = "rag_try_other_words_or_law" if profile.features.spanish_law else "rag_try_other_words"
    return f"{spoken.say('rag_searched', searches=searches, places=places)} {spoken.say(advice)}"
