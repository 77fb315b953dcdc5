"""The answering graph as a tool of an agent: a question alone, the answer with its sources, errors in words."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.langchain import tool as tool_of
from graph import app
from graph.open_graphs import OpenGraphs

VACATION = "¿Cuántos días de vacaciones me corresponden?"
TRIAL = "¿Cuánto dura el periodo de prueba?"


@pytest.fixture(scope="module")
def opened(demo_index: Path) -> OpenGraphs:
    settings = Settings.read(None, index=demo_index)
    return OpenGraphs(settings, load_profile(settings.profile), portable=False)


@pytest.fixture
def tool(opened: OpenGraphs, monkeypatch: pytest.MonkeyPatch) -> BaseTool:
    monkeypatch.setattr(app, "_graphs", lambda: opened)
    return app.rag.as_tool()


def calls(*questions: str) -> list[Any]:
    return [
        {"name": "consultar_derecho_laboral", "args": {"question": question}, "id": str(number), "type": "tool_call"}
        for number, question in enumerate(questions)
    ]


def test_a_tool_takes_a_question_alone_and_says_what_it_is_for(tool: BaseTool) -> None:
    schema = tool.tool_call_schema.model_json_schema()
    assert list(schema["properties"]) == schema["required"] == ["question"]
    assert tool.name == "consultar_derecho_laboral"
    assert "Derecho laboral" in tool.description


@pytest.mark.parametrize(
    ("question", "provision"),
    [
        (VACATION, "Artículo 38"),
        (TRIAL, "Artículo 14"),
        ("¿Qué dice el artículo 38 ET?", "Artículo 38"),
        ("vacaciones anuales, cuántas", "Artículo 38"),
        ("How many days of holiday do I have?", "Artículo 38"),
    ],
)
def test_the_text_has_the_answer_and_its_sources(tool: BaseTool, question: str, provision: str) -> None:
    text = tool.invoke({"question": question})
    answer, _, sources = text.partition("\n---\n")
    assert "[C1]" in answer
    assert provision in sources
    assert "https://www.boe.es/" in sources


async def test_a_tool_message_has_the_result_beside_the_text(tool: BaseTool) -> None:
    message = await tool.ainvoke(calls(VACATION)[0])
    assert isinstance(message, ToolMessage)
    assert message.artifact["outcome"] == "answer"
    assert message.artifact["answer"] in message.content
    assert "messages" not in message.artifact


def test_an_error_is_the_text_of_the_message(tool: BaseTool) -> None:
    message = tool.invoke(calls(" ")[0])
    assert message.status == "error"
    assert message.content.startswith("La pregunta está vacía.")


def test_an_agent_with_threads_calls_it_twice_in_one_step(tool: BaseTool) -> None:
    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("", id="plan", tool_calls=calls(VACATION, TRIAL))]}

    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_node("tools", ToolNode([tool]))
    builder.add_edge(START, "think")
    builder.add_edge("think", "tools")
    builder.add_edge("tools", END)
    agent = builder.compile(InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    streamed = list(agent.stream({"messages": [("user", "Compare")]}, thread, stream_mode="messages", subgraphs=True))
    said = agent.get_state(thread).values["messages"][2:]
    assert ["Artículo 38" in message.content for message in said] == [True, False]
    assert ["Artículo 14" in message.content for message in said] == [False, True]
    assert {part[0].type for _, part in streamed} == {"ai", "tool"}
    assert all(part[0].id == "plan" or part[0].type == "tool" for _, part in streamed)


def test_a_tool_has_settings_and_options_of_its_own(demo_index: Path) -> None:
    past = tool_of(Settings.read(None, index=demo_index), as_of=None, territory="Madrid")
    assert "Artículo 38" in past.invoke({"question": VACATION})


@pytest.mark.filterwarnings("ignore:This API is in beta")
def test_other_arguments_make_the_tool_that_langchain_makes(
    opened: OpenGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "_graphs", lambda: opened)
    made = app.rag.as_tool(arg_types={"question": str}, name="raw", description="The whole state")
    assert made.name == "raw"
