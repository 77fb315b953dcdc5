"""One answer, one message: what clients of both stream protocols see of a text that is streamed and changed."""

from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.speech import one_message, speaking, spoken_by

pytestmark = pytest.mark.filterwarnings("ignore:The v3 streaming protocol")

CITED = {"citations": [{"mark": "C1"}]}
BLOCKS = [
    {"type": "text", "text": "Dos días.", "annotations": [{"type": "citation", "title": "Artículo 37"}]},
    {"type": "text", "text": "\n\nFuentes: artículo 37"},
]
RETRY = {"type": "retry", "reason": "con más preceptos"}


class State(TypedDict, total=False):
    draft: str
    spoken: str
    messages: list[Any]


def tokens(*texts: str) -> list[dict[str, str]]:
    return [{"type": "token", "text": text} for text in texts]


def graph_of(stages: list[list[dict[str, str]]], final: AIMessage, *, inside: bool) -> CompiledStateGraph[State]:
    """Return a graph whose stages write these events, and whose last one ends with a message.

    ``inside`` another graph, which hears of one message; else each stage speaks for itself.
    """

    def stage(events: list[dict[str, str]]) -> Any:
        async def write(state: State, runtime: Runtime[None]) -> State:
            async with speaking(state) as speaker:
                say = spoken_by(speaker, runtime.stream_writer)
                for event in events:
                    say(event)
            words = [event.get("text", "") if event["type"] == "token" else None for event in events]
            since = len(words) - words[::-1].index(None) if None in words else 0
            return {"draft": "".join(filter(None, words[since:])), "spoken": speaker.message_id}

        return write

    async def close(state: State) -> State:
        message = final.model_copy(update={"id": state.get("spoken") or "of-the-turn"})
        async with speaking(state) as speaker:
            return {"messages": [await speaker.finish(message)]}

    builder = StateGraph(State)
    names = [f"stage_{number}" for number in range(len(stages))]
    builder.add_sequence([*zip(names, map(stage, stages), strict=True), ("close", close)])
    builder.add_edge(START, [*names, "close"][0])
    graph = builder.compile()
    if not inside:
        return graph

    async def turn(state: State, config: RunnableConfig) -> State:
        async with one_message(config):
            return {"messages": (await graph.ainvoke(state, config))["messages"]}

    outer = StateGraph(State)
    outer.add_node("turn", turn)
    outer.add_edge(START, "turn")
    return outer.compile()


async def as_chunks(graph: CompiledStateGraph[State]) -> dict[str, str]:
    """Return the text of each id that a client shows who adds chunks up, and obeys removals."""
    shown: dict[str, str] = {}
    async for piece, _ in graph.astream({}, stream_mode="messages"):
        if piece.type == "remove":
            del shown[piece.id]
        else:
            shown[piece.id] = shown.get(piece.id, "") + piece.content
    return shown


async def as_sums(graph: CompiledStateGraph[State]) -> dict[str, str]:
    """Return the text of each id that a server shows which adds messages up (stream mode ``messages`` of the SDK)."""
    shown: dict[str, Any] = {}
    async for piece, _ in graph.astream({}, stream_mode="messages"):
        shown[piece.id] = shown[piece.id] + piece if piece.id in shown else piece
    return {message_id: str(message.text) for message_id, message in shown.items()}


async def as_events(graph: CompiledStateGraph[State]) -> dict[str, str]:
    """Return the text of each id that a client of protocol v3 shows, which finished messages alone keep."""
    return {
        name: "".join(block.get("text", "") for block in blocks) for name, blocks in (await blocks_in(graph)).items()
    }


async def blocks_in(graph: CompiledStateGraph[State]) -> dict[str, list[dict[str, Any]]]:
    shown: dict[str, list[dict[str, Any]]] = {}
    current, finished = "", set()
    async for event in await graph.astream_events({}, version="v3"):
        if event["method"] != "messages":
            continue
        said = event["params"]["data"][0]
        match said["event"]:
            case "message-start":
                current = said["id"]
                shown[current] = []
            case "content-block-start":
                shown[current].insert(said["index"], dict(said["content"]))
            case "content-block-delta":
                shown[current][said["index"]]["text"] += said["delta"]["text"]
            case "content-block-finish":
                assert shown[current][said["index"]]["text"] == said["content"]["text"]
                shown[current][said["index"]] = said["content"]
            case "message-finish":
                finished.add(current)
    assert finished == shown.keys()
    return shown


CASES = [
    pytest.param([tokens("Dos ", "días.")], AIMessage("Dos días."), id="as streamed"),
    pytest.param([tokens("\n", " Dos ", "días.", " \n")], AIMessage("Dos días."), id="white space around"),
    pytest.param(
        [[*tokens("Un ", "día."), RETRY, *tokens("Dos ", "días.")]], AIMessage("Dos días."), id="written anew"
    ),
    pytest.param([tokens("Un día."), [RETRY, *tokens("Dos días.")]], AIMessage("Dos días."), id="a later stage"),
    pytest.param([[*tokens("Un."), RETRY, *tokens("Tres."), RETRY, *tokens("Dos.")]], AIMessage("Dos."), id="twice"),
    pytest.param([tokens("Dos días.")], AIMessage("Dos días [?]."), id="changed by a check"),
    pytest.param([tokens("Dos días y medio.")], AIMessage("Dos días"), id="cut by a check"),
    pytest.param([tokens("Dos días.")], AIMessage(BLOCKS), id="with sources"),
    pytest.param([tokens("Un día."), [RETRY, *tokens("Dos días.")]], AIMessage(BLOCKS), id="anew with sources"),
    pytest.param([[]], AIMessage("Dos días."), id="nothing streamed"),
    pytest.param([], AIMessage(BLOCKS), id="no stage"),
]


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("shown_to", [as_chunks, as_sums, as_events])
@pytest.mark.parametrize(("stages", "final"), CASES)
async def test_a_client_that_merges_by_id_shows_the_final_text_alone(
    stages: list[list[dict[str, str]]], final: AIMessage, shown_to: Any, inside: bool
) -> None:
    graph = graph_of(stages, final, inside=inside)
    [text] = (await shown_to(graph)).values()
    assert text == final.text
    [message] = (await graph.ainvoke({}))["messages"]
    assert message.text == final.text


@pytest.mark.parametrize("inside", [True, False])
async def test_the_id_of_the_stream_is_that_of_the_message_in_the_state(inside: bool) -> None:
    graph = graph_of([tokens("Un día."), [RETRY, *tokens("Dos días.")]], AIMessage(BLOCKS), inside=inside)
    ids, kept = set(), []
    async for mode, part in graph.astream({}, stream_mode=["messages", "values"]):
        if mode == "messages":
            ids.add(part[0].id)
        else:
            kept = part.get("messages", [])
    assert ids == {kept[0].id}


async def test_two_runs_have_messages_of_their_own() -> None:
    graph = graph_of([tokens("Dos días.")], AIMessage("Dos días."), inside=True)
    assert len({*(await as_chunks(graph)), *(await as_chunks(graph))}) == 2


async def test_events_end_with_the_blocks_of_the_message_and_chunks_with_its_metadata() -> None:
    final = AIMessage(
        BLOCKS, additional_kwargs=CITED, response_metadata={"model_name": "articulado", "output_version": "v1"}
    )
    graph = graph_of([tokens("Dos ", "días.")], final, inside=True)
    assert list((await blocks_in(graph)).values()) == [BLOCKS]
    pieces = [piece async for piece, _ in graph.astream({}, stream_mode="messages")]
    assert pieces[-1].additional_kwargs == CITED
    assert pieces[-1].response_metadata["model_name"] == "articulado"
    assert [block["text"] for block in sum(pieces[1:], pieces[0]).content_blocks] == [final.text]


async def test_a_text_that_was_cut_off_by_an_error_is_ended() -> None:
    class Ends(AsyncCallbackHandler):
        def __init__(self) -> None:
            self.texts: list[str] = []

        async def on_llm_end(self, response: Any, **_: Any) -> None:
            self.texts.append(response.generations[0][0].text)

    async def fail(state: State, runtime: Runtime[None]) -> State:
        async with speaking(state) as speaker:
            speaker.say("Dos ")
            raise ValueError("el modelo no responde")

    builder = StateGraph(State)
    builder.add_node("fail", fail)
    builder.add_edge(START, "fail")
    ends = Ends()
    with pytest.raises(ValueError, match="no responde"):
        await builder.compile().ainvoke({}, {"callbacks": [ends]})
    assert ends.texts == ["Dos"]
