"""A conversation in LangChain messages, as chat clients hold it."""

from unicodedata import normalize

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from articulado.config.settings import Settings
from graph.compose import open_rag
from graph.rag import Rag
from nodes.turn import earlier_messages

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
    assert (message.type, message.content_blocks[0]["text"]) == ("ai", answered["answer"])
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


def test_the_answer_is_streamed_as_the_pieces_of_its_message(remembering: Rag) -> None:
    sent = {"messages": [human(FIRST, "q9")]}
    thread = {"configurable": {"thread_id": "pieces"}}
    pieces = [piece for piece, _ in remembering.stream(sent, thread, stream_mode="messages")]
    answer = remembering.get_state(thread).values["messages"][-1]
    assert len(pieces) > 5
    assert {(piece.type, piece.id) for piece in pieces} == {("AIMessageChunk", answer.id)}
    assert "".join(str(piece.content) for piece in pieces) == answer.text


def test_a_question_with_an_accent_typed_as_two_characters_is_one_message(remembering: Rag) -> None:
    typed = normalize("NFD", FIRST)
    answered = remembering.invoke({"messages": [human(typed, "q1")]}, {"configurable": {"thread_id": "nfd"}})
    assert typed != FIRST
    assert [message.type for message in answered["messages"]] == ["human", "ai"]


def test_a_question_that_no_answer_follows_is_no_history() -> None:
    said = [
        HumanMessage("Primera", id="1"), AIMessage("Sí.", id="2"),
        HumanMessage("Cortada", id="3"), HumanMessage("Otra cortada", id="4"),
        HumanMessage("Segunda", id="5"), AIMessage("No.", id="6"),
        HumanMessage("También cortada", id="7"), HumanMessage("Tercera", id="8"),
    ]  # fmt: skip
    history = [message["content"] for message in earlier_messages(said)]
    assert history == ["Primera", "Sí.", "Segunda", "No."]
    assert earlier_messages(said[2:4]) == []
