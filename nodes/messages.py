"""The conversation as LangChain messages: chat clients send one, and get the answer as one."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from state.rag import RagState
from state.values import Message


def newly_asked(state: RagState) -> HumanMessage | None:
    """Return the human message that ends the conversation, unless an earlier turn took it up."""
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    return last if isinstance(last, HumanMessage) and last.id != state.get("asked_message") else None


def earlier_messages(messages: Sequence[AnyMessage]) -> list[Message]:
    """Return what people and the agent said before the last message, as a history."""
    roles: dict[str, Any] = {"human": "user", "ai": "assistant"}
    return [
        {"role": roles[message.type], "content": str(message.text)}
        for message in messages[:-1]
        if message.type in roles and message.text
    ]


def exchange_of(state: RagState, update: Mapping[str, Any]) -> list[AnyMessage]:
    """Return the answer as a message, after the question where it did not come as one.

    The ids follow from those of the question, so that a turn that is run again replaces its answer.
    ``additional_kwargs`` has ``citations``, ``outcome`` and ``warnings``.
    """
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    asked = isinstance(last, HumanMessage) and last.id == state.get("asked_message")
    if last is not None and asked and str(last.text).strip() == state["question"]:
        question, before = last, []
    else:
        question = HumanMessage(state["question"], id=f"question-{state.get('turn', 0)}")
        before = [question]
    extras = {key: update[key] for key in ("citations", "outcome", "warnings")}
    return [*before, AIMessage(update["answer"], id=f"answer-to-{question.id}", additional_kwargs=extras)]
