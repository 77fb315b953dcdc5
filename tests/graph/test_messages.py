"""A conversation in LangChain messages, as chat clients hold it."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.compose import open_rag
from graph.rag import Rag
from services.settings import Settings

FIRST, SECOND = "¿Cuántos días de vacaciones me corresponden?", "¿Y pueden sustituirse por dinero?"


@pytest.fixture(scope="module")
def remembering() -> Rag:
    return open_rag(Settings.read(), InMemorySaver())


def human(text: object, message_id: str) -> dict[str, object]:
    return {"type": "human", "content": text, "id": message_id}


def test_a_message_is_a_question_and_the_answer_is_a_message(remembering: Rag) -> None:
    blocks = [{"type": "text", "text": FIRST}]
    answered = remembering.invoke({"messages": [human(blocks, "q1")]}, {"configurable": {"thread_id": "a"}})
    message = answered["messages"][-1]
    assert answered["question"] == FIRST
    assert (message.type, message.id, message.text) == ("ai", "answer-to-q1", answered["answer"])
    assert message.additional_kwargs["citations"] == answered["citations"] != []


def test_both_ways_of_asking_share_a_thread(remembering: Rag) -> None:
    thread = {"configurable": {"thread_id": "b"}}
    remembering.invoke({"question": FIRST}, thread)
    remembering.invoke({"messages": [human(SECOND, "q2")]}, thread)
    third = remembering.invoke({"question": "¿Y si estoy de baja?"}, thread)
    asked = [message.text for message in third["messages"] if message.type == "human"]
    assert asked == [FIRST, SECOND, "¿Y si estoy de baja?"]
    assert [message.type for message in third["messages"]] == ["human", "ai"] * 3
    assert len(remembering.get_state(thread).values["transcript"]) == 6
