"""Close the turn: citations, what the next turn may use, warnings, and the final event."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.search import search_filter
from services.marks import marks_in
from services.protocols import SearchFilter
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagOutput, RagState
from state.turn import NO_VERIFIED_INFORMATION
from state.values import Citation, Message

MAX_TRANSCRIPT = 20


class FinalizeUpdate(TypedDict):
    """The result of the turn, and what the next one may use."""

    used_chunk_ids: list[int]
    context_chunk_ids: list[int]
    citations: list[Citation]
    abstained: bool
    warnings: list[str]
    transcript: list[Message]


async def finalize(state: RagState, runtime: Runtime[ResolvedContext]) -> FinalizeUpdate:
    """Write the turn's result; dropped chunks are never handed on."""
    dropped = set(state["dropped_chunk_ids"])
    used = [i for i in state["used_chunk_ids"] if i not in dropped]
    said: list[Message] = [
        {"role": "user", "content": state["question"]},
        {"role": "assistant", "content": state["answer"]},
    ]
    marks = marks_in(state["answer"]) if runtime.context.grounded_prompting else range(1, len(state["context"]) + 1)
    update: FinalizeUpdate = {
        "used_chunk_ids": used,
        "context_chunk_ids": used,
        "citations": [citation(number, state["context"][number - 1]) for number in marks],
        "abstained": state["abstained"] or declined(state["answer"]),
        "warnings": [
            *state["warnings"],
            *missing_carryover(state.get("missing_carried", [])),
            *past_law(search_filter(runtime.context, state["analysis"])),
        ],
        "transcript": [*state["conversation"], *said][-MAX_TRANSCRIPT:],
    }
    result = {**state, **update}
    runtime.stream_writer(
        {"type": "final", "result": {key: result[key] for key in RagOutput.__annotations__ if key in result}}
    )
    return update


def citation(number: int, found: Candidate) -> Citation:
    """Return the citation of one fragment."""
    chunk = found["chunk"]
    return {
        "mark": f"C{number}",
        "chunk_id": chunk["id"],
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "title": chunk["title"],
        "url": chunk["url"],
        "note": chunk["status_note"],
        "official": chunk["source"] == "official",
    }


def declined(answer: str) -> bool:
    """Tell whether the principal itself said that it does not know."""
    return answer.lstrip("*_ ").casefold().startswith(NO_VERIFIED_INFORMATION.casefold()) and not marks_in(answer)


def missing_carryover(ids: list[int]) -> list[str]:
    """Return the warning for carried-over ids that the index no longer has."""
    if not ids:
        return []
    listed = ", ".join(map(str, ids))
    return [f"Estos fragmentos de la respuesta anterior ya no están en el índice y no se han usado: {listed}."]


def past_law(where: SearchFilter) -> list[str]:
    """Return the warning for a question about the law of another day: laws in Markdown come in one wording only."""
    if where.as_of is None:
        return []
    return [
        f"La pregunta se refiere al derecho vigente el {where.as_of:%d/%m/%Y}. Se han dejado fuera las normas "
        "posteriores, pero de cada norma el índice puede tener solo su última redacción: compruebe en el enlace la de "
        "esa fecha."
    ]
