"""Check the answer's citation markers against the context."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.conversation.refusal import is_refusal
from services.domain.question import is_courtesy
from services.prompting.citation_markers import keep_markers, markers_in
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Verdict


class VerifyUpdate(TypedDict):
    """The text without markers that point to nothing, what became of each marker, and whether none is left."""

    answer: str
    verdicts: list[Verdict]
    unpinned: bool


async def verify(state: RagState, runtime: Runtime[ResolvedContext], *, language: Language) -> VerifyUpdate:
    """Remove markers that point to nothing, and report every marker.

    An answer without any is unpinned where it was to have them: a refusal claims nothing, nor does an answer to thanks.
    """
    grounded = runtime.context.grounded_prompting
    numbers = set(range(1, len(state["context"]) + 1)) if grounded else set()
    text, dropped = keep_markers(state["draft"], numbers)
    verdicts: list[Verdict] = [
        {
            "mark": f"C{number}",
            "valid": number in numbers,
            "reason": "" if number in numbers else language.say("rag_mark_of_nothing"),
        }
        for number in dict.fromkeys([*markers_in(state["draft"], numbers), *dropped])
    ]
    claims = not is_refusal(text, language) and not is_courtesy(state["question"], language)
    return {"answer": text, "verdicts": verdicts, "unpinned": grounded and claims and not markers_in(text)}
