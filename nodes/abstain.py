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
    searched = ", ".join(f"«{query}»" for query in state["queries"] or [state["question"]])
    names = runtime.context.collections or profile.names
    labels = [collection.label for collection in profile.collections if collection.name in names] or list(names)
    text = (
        f"{NO_VERIFIED_INFORMATION}.\n\n"
        f"He buscado {searched} en: {', '.join(labels)}. "
        "Puede probar con otras palabras o indicar la ley y el artículo."
    )
    runtime.stream_writer({"type": "token", "text": text})
    return {"answer": text, "abstained": True, "context": []}
