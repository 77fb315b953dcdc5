"""A graph of two nodes with the input, output, context and events of the real one."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from articulado.values.answers import Usage
from articulado.values.errors import InvalidInput
from nodes.stage import final_event
from state.context import RunContext
from state.rag import RagInput, RagOutput, RagState, fresh_turn

TOKENS = ["Treinta ", "días ", "naturales [C1]."]
USAGE: Usage = {"turn": 1, "model_calls": 2, "tokens": {"input": 30, "output": 4}, "stages": {"answer": 1.5}}


def small_graph(fail: Callable[[], Exception | None] | None = None, hang: "Hang | None" = None) -> CompiledStateGraph:
    """Answer every question with ``TOKENS``; after the first, what ``fail`` returns is raised, or ``hang`` entered."""

    async def analyze(state: RagState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        runtime.stream_writer({"type": "stage", "stage": "analyze"})
        if not state["question"].strip():
            raise InvalidInput("La pregunta está vacía.")
        return fresh_turn() | {
            "queries": [state["question"]],
            "warnings": Overwrite([described(runtime.context)]),
            "context_chunk_ids": [*state.get("previous_chunk_ids", []), 7],
            "usage": USAGE,
        }

    async def answer(state: RagState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        write = runtime.stream_writer
        write({"type": "stage", "stage": "answer"})
        write({"type": "token", "text": "Quince"})
        if fail and (error := fail()):
            raise error
        if hang:
            await hang.forever()
        write({"type": "retry", "reason": "Se rehace."})
        for token in TOKENS:
            write({"type": "token", "text": token})
        said = "".join(TOKENS)
        write(final_event(RagOutput, state, {"answer": said, "warnings": []}))
        turn = [{"role": "user", "content": state["question"]}, {"role": "assistant", "content": said}]
        return {"answer": said, "transcript": [*state.get("transcript", []), *turn]}

    builder = StateGraph(RagState, context_schema=RunContext, input_schema=RagInput, output_schema=RagOutput)
    builder.add_node("analyze", analyze)
    builder.add_node("answer", answer)
    builder.add_edge(START, "analyze")
    builder.add_edge("analyze", "answer")
    builder.add_edge("answer", END)
    return builder.compile()


def described(context: RunContext | None) -> str:
    return "sin contexto" if context is None else context.model_dump_json(exclude_none=True)


class Hang:
    """A wait that only a cancellation ends."""

    def __init__(self) -> None:
        self.begun, self.cancelled = threading.Event(), threading.Event()

    async def forever(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
