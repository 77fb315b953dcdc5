"""Check the answer's citation markers against the context."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.prompting.citation_markers import keep_markers, markers_in
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Verdict


class VerifyUpdate(TypedDict):
    """The text without markers that point to nothing, and what became of each marker."""

    answer: str
    verdicts: list[Verdict]


async def verify(state: RagState, runtime: Runtime[ResolvedContext], *, language: Language) -> VerifyUpdate:
    """Remove markers that point to nothing, and report every marker."""
    numbers = set(range(1, len(state["context"]) + 1)) if runtime.context.grounded_prompting else set()
    text, dropped = keep_markers(state["draft"], numbers)
    verdicts: list[Verdict] = [
        {
            "mark": f"C{number}",
            "valid": number in numbers,
            "reason": "" if number in numbers else language.say("rag_mark_of_nothing"),
        }
        for number in dict.fromkeys([*markers_in(state["draft"], numbers), *dropped])
    ]
    return {"answer": text, "verdicts": verdicts}
