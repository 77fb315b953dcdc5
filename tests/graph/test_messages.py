"""A conversation in LangChain messages, as chat clients hold it."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from articulado.config.settings import Settings
from graph.compose import open_rag
from graph.rag import Rag
from nodes.turn import Spoken, exchange_of
from state.rag import RagState

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


def test_the_answer_is_streamed_as_the_pieces_of_its_message(remembering: Rag) -> None:
    sent = {"messages": [human(FIRST, "q9")]}
    thread = {"configurable": {"thread_id": "pieces"}}
    pieces = [piece for piece, _ in remembering.stream(sent, thread, stream_mode="messages")]
    answer = remembering.get_state(thread).values["messages"][-1]
    assert len(pieces) > 5
    assert {(piece.type, piece.id) for piece in pieces} == {("AIMessageChunk", "answer-to-q9")}
    assert (answer.id, "".join(str(piece.content) for piece in pieces).strip()) == ("answer-to-q9", answer.content)


def spoken(events: list[dict[str, str]], answer: str) -> list[tuple[str | None, str]]:
    """Stream the messages of a graph that writes these events and ends with this answer; return ids and texts."""

    def write(state: RagState, runtime: Runtime[None]) -> dict[str, object]:
        speak = Spoken(state, runtime.stream_writer)
        for event in events:
            speak(event)
        speak.close()
        return {"draft": answer, "spoken": speak.message_id}

    def close(state: RagState) -> dict[str, object]:
        update = {"answer": answer, "citations": [], "outcome": "answer", "warnings": []}
        return {"messages": exchange_of(state, update)}

    builder = StateGraph(RagState)
    builder.add_sequence([write, close])
    builder.add_edge(START, "write")
    asked = {"messages": [HumanMessage("¿Cuánto?", id="q")], "asked_message": "q", "question": "¿Cuánto?"}
    return [(piece.id, str(piece.content)) for piece, _ in builder.compile().stream(asked, stream_mode="messages")]


def tokens(*texts: str) -> list[dict[str, str]]:
    return [{"type": "token", "text": text} for text in texts]


def test_what_supersedes_a_text_is_another_message() -> None:
    again = {"type": "retry", "reason": "con más preceptos"}
    said = spoken([*tokens("Un ", "día."), again, *tokens("Dos ", "días.")], "Dos días.")
    assert said == [
        ("answer-to-q", "Un "),
        ("answer-to-q", "día."),
        ("answer-to-q.1", "Dos "),
        ("answer-to-q.1", "días."),
    ]


def test_an_answer_that_nobody_streamed_comes_whole() -> None:
    assert spoken([], "Dos días.") == [("answer-to-q", "Dos días.")]


def test_an_answer_that_a_check_has_changed_comes_whole_and_last() -> None:
    def changed(state: RagState) -> str | None:
        update = {"answer": "Dos días [?].", "citations": [], "outcome": "answer", "warnings": []}
        return exchange_of(state, update)[-1].id

    streamed: RagState = {"question": "¿Cuánto?", "turn": 1, "draft": "Dos días.", "spoken": "answer-to-question-1"}
    assert changed(streamed) == "answer-to-question-1-final"
    assert changed({**streamed, "spoken": ""}) == "answer-to-question-1"
