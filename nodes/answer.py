"""Write the answer and its self-evaluation, in one call, streamed."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.prompts import load_prompt
from nodes.stage import Cost
from services.fragments import neutralise, prompt
from services.meta import MetaSplitter, Reply, read_metadata
from services.protocols import ChatModel
from state.context import ResolvedContext
from state.rag import RagState
from state.turn import NO_VERIFIED_INFORMATION
from state.values import Message, Need

HISTORY_MESSAGES = 6


class AnswerUpdate(TypedDict):
    """The principal's text and self-evaluation."""

    draft: str
    used_chunk_ids: list[int]
    dropped_chunk_ids: list[int]
    needs: list[Need]
    cost: NotRequired[Cost]


async def answer(state: RagState, runtime: Runtime[ResolvedContext], *, principal: ChatModel) -> AnswerUpdate:
    """Stream the principal's text and keep its metadata; a second answer supersedes the first."""
    write = runtime.stream_writer
    splitter = MetaSplitter()

    def start() -> None:
        nonlocal splitter
        splitter = MetaSplitter(lambda text: write({"type": "token", "text": text}))

    def restart() -> None:
        write({"type": "retry", "reason": "La respuesta se interrumpió y se está generando de nuevo."})
        start()

    if state["refetched"]:
        write({"type": "retry", "reason": "Se han consultado más preceptos y la respuesta se está rehaciendo."})
    start()
    grounded = runtime.context.grounded_prompting
    reply = await principal.stream(
        load_prompt("answer" if grounded else "answer_classic"),
        messages(state, grounded=grounded),
        on_text=lambda text: splitter.feed(text),
        on_restart=restart,
        deadline=state["deadline"],
    )
    splitter.close()
    read = read_metadata(splitter, len(state["context"])) if grounded else classic(splitter, len(state["context"]))
    ids = [found["chunk"]["id"] for found in state["context"]]
    return {
        "draft": read.answer or NO_VERIFIED_INFORMATION,
        "used_chunk_ids": [ids[n - 1] for n in read.used],
        "dropped_chunk_ids": [ids[n - 1] for n in read.dropped],
        "needs": read.needs,
        "cost": {
            "requests": reply.requests,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
        },
    }


def classic(splitter: MetaSplitter, fragments: int) -> Reply:
    """Read a reply without marks: it rests on everything that was shown."""
    return Reply(splitter.answer, list(range(1, fragments + 1)), [], [])


def messages(state: RagState, *, grounded: bool) -> list[Message]:
    """Return history, fragments and, last, the question: what changes most comes last, for prompt caching."""
    history: list[Message] = [
        {"role": message["role"], "content": neutralise(message["content"])}
        for message in state["conversation"][-HISTORY_MESSAGES:]
    ]
    content = prompt(state["context"], neutralise(state["question"]), marks=grounded)
    return [*history, {"role": "user", "content": content}]
