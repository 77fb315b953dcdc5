"""Write the answer and its self-evaluation, in one call, streamed."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.prompting.citation_markers import MarkerRenumberer
from services.prompting.fragments import neutralise, write_prompt
from services.prompting.prompts import Prompts
from services.prompting.self_evaluation import Reply, read_self_evaluation
from services.prompting.stream_splitter import StreamSplitter
from services.protocols import ChatModel
from state.chunks import Candidate
from state.context import ResolvedContext
from state.errors import ModelError
from state.rag import RagState
from state.values import Cost, Message, Need, cost_of, cost_of_failure

HISTORY_MESSAGES = 6


class AnswerUpdate(TypedDict):
    """The principal's text and self-evaluation, and the fragments that it read, those it cites first, as it does."""

    draft: NotRequired[str]
    draft_chunk_ids: NotRequired[list[int]]
    used_chunk_ids: NotRequired[list[int]]
    dropped_chunk_ids: NotRequired[list[int]]
    needs: NotRequired[list[Need]]
    context: NotRequired[list[Candidate]]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def answer(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    principal: ChatModel,
    prompts: Prompts,
    language: Language,
    relevance: bool = False,
) -> AnswerUpdate:
    """Stream the principal's text and keep its self-evaluation; a second answer supersedes the first.

    The text is numbered as it is read: what it cites first is ``[C1]``, and the first of the context.
    ``relevance`` tells the principal how well each fragment fits.

    Raises:
        ModelError: the principal failed, and there is no first answer to fall back on.
    """
    write = runtime.stream_writer
    context, grounded = state["context"], runtime.context.grounded_prompting
    valid = range(1, len(context) + 1) if grounded else range(0)
    renumberer, splitter = MarkerRenumberer(valid), StreamSplitter()

    def start() -> None:
        nonlocal renumberer, splitter
        renumberer = MarkerRenumberer(valid, lambda text: write({"type": "token", "text": text}))
        splitter = StreamSplitter(renumberer.feed)

    def restart() -> None:
        write({"type": "retry", "reason": language.say("rag_answer_interrupted")})
        start()

    if state["refetched"]:
        write({"type": "retry", "reason": language.say("rag_answer_with_more")})
    start()
    try:
        reply = await principal.stream(
            prompts["answer" if grounded else "answer_classic"],
            messages(state, grounded=grounded, relevance=relevance),
            on_text=lambda text: splitter.feed(text),
            on_restart=restart,
            deadline=state.get("deadline"),
        )
    except ModelError as error:
        if not state["refetched"]:
            raise
        return first_answer(state, error, language)
    splitter.close()
    renumberer.close()
    ids = [candidate["chunk"]["id"] for candidate in context]
    order = [*renumberer.cited, *(number for number in range(1, len(ids) + 1) if number not in renumberer.cited)]
    parsed = read_self_evaluation(splitter, len(ids)) if grounded else read_without_markers(splitter, len(ids))
    return {
        "draft": renumberer.text or language.say("no_verified_information"),
        "draft_chunk_ids": [ids[number - 1] for number in order],
        "context": [context[number - 1] for number in order],
        "used_chunk_ids": [ids[number - 1] for number in parsed.used],
        "dropped_chunk_ids": [ids[number - 1] for number in parsed.dropped],
        "needs": parsed.needs,
        "warnings": [*state["warnings"], *([language.say("rag_answer_cut")] if reply.cut else [])],
        "cost": cost_of(reply),
    }


def first_answer(state: RagState, error: ModelError, language: Language) -> AnswerUpdate:
    """Go back to the first answer, and to the context whose numbers its markers are."""
    by_id = {candidate["chunk"]["id"]: candidate for candidate in state["candidates"]}
    return {
        "context": [by_id[chunk_id] for chunk_id in state["draft_chunk_ids"]],
        "warnings": [*state["warnings"], language.say("rag_answer_not_completed", problem=error)],
        "cost": cost_of_failure(error),
    }


def read_without_markers(splitter: StreamSplitter, fragments: int) -> Reply:
    """Read a reply without citation markers: it rests on everything that was shown."""
    return Reply(splitter.answer, list(range(1, fragments + 1)), [], [])


def messages(state: RagState, *, grounded: bool, relevance: bool = False) -> list[Message]:
    """Return history, fragments and, last, the question: what changes most comes last, for prompt caching."""
    history: list[Message] = [
        {"role": message["role"], "content": neutralise(message["content"])}
        for message in state["conversation"][-HISTORY_MESSAGES:]
    ]
    question = neutralise(state["contextualized_question"])
    last = grounded and state["refetched"]
    content = write_prompt(state["context"], question, markers=grounded, last=last, relevance=relevance)
    return [*history, {"role": "user", "content": content}]
