"""Say that nothing was found, and what was searched."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.profile import Profile
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState
from state.turn import NO_VERIFIED_INFORMATION


class AbstainUpdate(TypedDict):
    """The answer that says what was searched."""

    answer: str
    abstained: bool
    context: list[Candidate]


async def abstain(state: RagState, runtime: Runtime[ResolvedContext], *, profile: Profile) -> AbstainUpdate:
    """Answer without any model."""
    text = f"{NO_VERIFIED_INFORMATION}.\n\n{what_was_searched(state, runtime.context, profile)}"
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "abstained": True, "context": []}


def what_was_searched(state: RagState, context: ResolvedContext, profile: Profile) -> str:
    """Say which searches were made, and where."""
    searched = ", ".join(f"«{query}»" for query in state["queries"] or [state["question"]])
    names = context.collections or profile.names
    labels = ", ".join(collection.label for collection in profile.collections if collection.name in names)
    where = labels if state["rag_enabled"] else "los resúmenes incluidos en articulado"
    return f"He buscado {searched} en: {where}. Puede probar con otras palabras o indicar la ley y el artículo."
