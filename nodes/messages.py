"""Conversation as LangChain messages: read the question from them and stream the answer as one.

Chat clients send and receive messages instead of ``question`` and ``answer``. Message ids are derived from
the id of the question, so that a turn that runs again replaces its own answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, LLMResult
from langchain_core.runnables.config import ensure_config, get_callback_manager_for_config

from articulado.values.answers import Message
from state.rag import RagState


def newly_asked(state: RagState) -> HumanMessage | None:
    """Return the human message that ends the conversation, unless an earlier turn took it up."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    return last if isinstance(last, HumanMessage) and last.id != state.get("asked_message") else None


def earlier_messages(messages: Sequence[AnyMessage]) -> list[Message]:
    """Return what people and the agent said before the last message, as a history."""
    roles: dict[str, Any] = {"human": "user", "ai": "assistant"}
    return [
        {"role": roles[message.type], "content": str(message.text), **_outcome_of(message)}  # type: ignore[typeddict-item]
        for message in messages[:-1]
        if message.type in roles and message.text
    ]


def _outcome_of(message: AnyMessage) -> dict[str, Any]:
    return {key: value for key, value in message.additional_kwargs.items() if key == "outcome"}


class Spoken:
    """Sends the events of a stage on, and its tokens also as pieces of the message that the answer will be.

    LangGraph's "messages" stream has the pieces that it is told of as those of a chat model. The principal's own are
    kept out of it: they show the protocol below the answer. Text that is called back is another message than what
    takes its place; ``message_id`` is that of the last one, empty where nothing was said.
    """

    def __init__(self, state: RagState, write: Callable[[Any], None], attempt: str = "") -> None:
        """Speak the answer to a state's question; ``attempt`` tells those of several stages apart."""
        self._write = write
        self._id = _answer_id(asked_of(state)[0]) + attempt
        self._times = 0
        self._run: CallbackManagerForLLMRun | None = None
        self._is_heard = True
        self.message_id = ""

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Take one event."""
        self._write(event)
        if event["type"] == "token":
            self._say(event["text"])
        elif event["type"] == "retry":
            self.close()
            self._times += 1

    def close(self) -> None:
        """End the message."""
        if self._run is not None:
            self._run.on_llm_end(LLMResult(generations=[]))
            self._run = None

    def _say(self, text: str) -> None:
        self.message_id = f"{self._id}.{self._times}" if self._times else self._id
        if not self._is_heard:
            return
        if self._run is None:
            manager = get_callback_manager_for_config(ensure_config())
            self._is_heard = bool(manager.handlers)
            if not self._is_heard:
                return
            [self._run] = manager.on_chat_model_start({"name": "answer"}, [[]])
        piece = ChatGenerationChunk(message=AIMessageChunk(content=text, id=self.message_id))
        self._run.on_llm_new_token(text, chunk=piece)


def asked_of(state: RagState) -> tuple[HumanMessage, bool]:
    """Return the question of a turn as a message, and whether it came as one."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    question = state.get("question", "")
    is_asked = isinstance(last, HumanMessage) and last.id == state.get("asked_message")
    if isinstance(last, HumanMessage) and is_asked and str(last.text).strip() == question:
        return last, True
    return HumanMessage(question, id=f"question-{state.get('turn', 0)}"), False


def exchange_of(state: RagState, update: Mapping[str, Any]) -> list[AnyMessage]:
    """Return the answer as a message, after the question where it did not come as one.

    The ids follow from those of the question, so that a turn that is run again replaces its answer. An answer that is
    word for word what was streamed is the message of those pieces. ``additional_kwargs`` has ``citations``,
    ``choices``, ``outcome`` and ``warnings``.
    """
    question, came = asked_of(state)
    streamed = state.get("spoken", "") if update["answer"].strip() == state.get("draft", "").strip() else ""
    # Another text than the one streamed is another message: whoever reads the stream must get it, too.
    final = f"{_answer_id(question)}-final" if state.get("spoken") else _answer_id(question)
    extras = {key: update[key] for key in ("citations", "outcome", "warnings")} | {"choices": state.get("choices", [])}
    answer = AIMessage(update["answer"], id=streamed or final, additional_kwargs=extras)
    return [answer] if came else [question, answer]


def _answer_id(question: HumanMessage) -> str:
    return f"answer-to-{question.id}"
