"""The graph of chat clients over small real services: branches, memory, and one message a turn."""

from typing import Any

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.values.errors import ModelError
from graph.rag import Chat, build_chat

pytestmark = pytest.mark.filterwarnings("ignore:The v3 streaming protocol")

VACATION = make_chunk(38, "Artículo 38", title="Vacaciones anuales")
NOTICE = make_chunk(49, "Artículo 49")
RANKINGS = {"vacaciones anuales": [(38, 1.0)], "preaviso": [(49, 0.8)]}
END = "\n===META===\nUSED|1\nDROP|ninguno"
PLAIN = f"Son 30 días [C1].{END}"
LACKING = f"Primera [C1].{END}\nNEED|artículo 49|ET"
UNPINNED = "Las vacaciones anuales son treinta días naturales, según la ley, y no se pueden sustituir por dinero."


def services(*answers: str | Exception) -> Any:
    store = FakeStore([VACATION, NOTICE], RANKINGS)
    return make_services(store, QueueChat('["vacaciones anuales"]'), QueueChat(*(answers or (PLAIN,))))


def chat_over(live: Any) -> tuple[Chat, Any]:
    return build_chat(live, InMemorySaver()), {"configurable": {"thread_id": "1"}}


def human(text: str, message_id: str | None = None) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, id=message_id)]}


def said(message: AnyMessage) -> str:
    """Return a message without the sources that stand below it."""
    return str(message.content_blocks[0]["text"])  # type: ignore[typeddict-item]


async def checkpoints(chat: Chat, thread: Any) -> list[Any]:
    """Return the states of a thread, the newest first."""
    return [state async for state in chat.aget_state_history(thread)]


async def test_a_turn_is_three_checkpoints_and_the_conversation_goes_on() -> None:
    live = services()
    chat, thread = chat_over(live)
    for text in ("¿Cuántas vacaciones hay?", "¿Y en agosto?"):
        result = await chat.ainvoke(human(text), thread)
    assert [state.next for state in await checkpoints(chat, thread)] == [(), ("rag",), ("__start__",)] * 2
    assert [message.type for message in result["messages"]] == ["human", "ai"] * 2
    assert result["usage"]["turn"] == 2
    asked = "".join(message["content"] for message in live.principal_model.calls[1][1])
    assert "¿Cuántas vacaciones hay?" in asked
    assert chat.invoke({"question": "¿Y en mayo?"}, thread)["usage"]["turn"] == 3


async def test_an_answer_that_is_asked_for_again_stands_beside_the_first() -> None:
    chat, thread = chat_over(services(PLAIN, f"Treinta días [C1].{END}"))
    first = await chat.ainvoke(human("¿Cuántas vacaciones hay?", "q"), thread)
    _, before, _ = await checkpoints(chat, thread)
    second = await chat.ainvoke(None, before.config)
    assert second["messages"][0].id == "q"
    assert [said(each["messages"][-1]) for each in (first, second)] == ["Son 30 días [C1].", "Treinta días [C1]."]
    assert first["messages"][-1].id != second["messages"][-1].id
    assert second["usage"]["turn"] == 1


@pytest.mark.parametrize("message_id", ["q", None, "another"])
async def test_an_edited_question_takes_the_place_of_the_first(message_id: str | None) -> None:
    live = services()
    chat, thread = chat_over(live)
    await chat.ainvoke(human("¿Cuántas vacaciones hay?", "q"), thread)
    *_, before = await checkpoints(chat, thread)
    edited = await chat.ainvoke(human("¿Cuánto dura el preaviso?", message_id), before.config)
    assert list(map(said, edited["messages"])) == ["¿Cuánto dura el preaviso?", "Son 30 días [C1]."]
    state = await chat.aget_state(thread)
    assert [message["content"] for message in state.values["transcript"]] == [
        "¿Cuánto dura el preaviso?",
        "Son 30 días [C1].",
    ]


@pytest.mark.parametrize("answered_before", [False, True])
@pytest.mark.parametrize("sent", [human("¿Cuántas vacaciones hay?"), {"question": "¿Cuántas vacaciones hay?"}])
async def test_the_question_of_a_run_that_failed_is_no_history(answered_before: bool, sent: Any) -> None:
    live = services()
    chat, thread = chat_over(live)
    if answered_before:
        await chat.ainvoke(human("¿Qué descanso semanal hay?"), thread)
    live.principal_model.replies = [ModelError("El modelo no responde."), PLAIN]
    with pytest.raises(ModelError):
        await chat.ainvoke(human("¿Me despiden por llegar tarde?"), thread)
    del live.principal_model.calls[:], live.reader_model.calls[:]
    result = await chat.ainvoke(sent, thread)
    assert result["messages"][-2].text == "¿Cuántas vacaciones hay?"
    prompts = [
        message["content"] for _, said in live.principal_model.calls + live.reader_model.calls for message in said
    ]
    assert prompts
    assert "llegar tarde" not in "".join(prompts)


ANSWERS = [
    pytest.param((PLAIN,), id="plain"),
    pytest.param((LACKING, f"Segunda [C1].{END}"), id="a second answer"),
    pytest.param((LACKING, ModelError("El modelo no responde.")), id="a second answer that fails"),
    pytest.param((UNPINNED, f"Treinta días naturales [C1].{END}"), id="marks repaired"),
    pytest.param((f"Son 30 días [C7] y [C1].{END}",), id="a mark without a source"),
    pytest.param((f"Son 31 días y 4.000 euros [C1].{END}",), id="figures without a source"),
    pytest.param((f"No lo sé.{END}",), id="a refusal"),
    pytest.param(("",), id="nothing written"),
]


@pytest.mark.parametrize("answers", ANSWERS)
async def test_a_client_of_either_protocol_shows_the_message_of_the_state(answers: tuple[Any, ...]) -> None:
    chat, thread = chat_over(services(*answers))
    shown: dict[str, str] = {}
    async for piece, _ in chat.astream(human("¿Cuántas vacaciones hay?"), thread, stream_mode="messages"):
        if piece.type == "remove":
            del shown[piece.id]
        else:
            shown[piece.id] = shown.get(piece.id, "") + piece.content
    message = (await chat.aget_state(thread)).values["messages"][-1]
    assert shown == {message.id: message.text}

    chat, thread = chat_over(services(*answers))
    shown, current = {}, ""
    async for event in await chat.astream_events(human("¿Cuántas vacaciones hay?"), thread, version="v3"):
        if event["method"] != "messages" or event["params"]["namespace"]:
            continue
        data = event["params"]["data"][0]
        if data["event"] == "message-start":
            current = data["id"]
            shown[current] = ""
        elif data["event"] == "content-block-delta":
            shown[current] += data["delta"]["text"]
    message = (await chat.aget_state(thread)).values["messages"][-1]
    assert shown == {message.id: message.text}
