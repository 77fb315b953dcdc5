"""LangChainChat over models that live in the test; the wire has its own tests."""

import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field
from support.fake_time import FakeTime
from typing_extensions import TypedDict

from articulado.models.chat import LangChainChat
from articulado.models.failures import Endpoint
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ContentFiltered, ModelError

STOP = {"finish_reason": "stop"}


class ScriptedModel(BaseChatModel):
    """Plays one script an attempt: texts, chunks, or an exception to raise."""

    scripts: list[list[Any]]
    seen: list[list[BaseMessage]]
    ways: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self.seen.append(messages)
        self.ways.append("whole")
        parts = self.scripts.pop(0)
        if isinstance(parts[-1], Exception):
            raise parts[-1]
        text = "".join(part for part in parts if isinstance(part, str))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, response_metadata=STOP))])

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        self.seen.append(messages)
        self.ways.append("streamed")
        for part in self.scripts.pop(0):
            if isinstance(part, Exception):
                raise part
            chunk = part if isinstance(part, AIMessageChunk) else AIMessageChunk(part)
            yield ChatGenerationChunk(message=chunk)


def finish(reason: str = "stop") -> AIMessageChunk:
    return AIMessageChunk("", response_metadata={"finish_reason": reason})


def usage(tokens_in: int, tokens_out: int, text: str = "") -> AIMessageChunk:
    total = tokens_in + tokens_out
    return AIMessageChunk(
        text, usage_metadata={"input_tokens": tokens_in, "output_tokens": tokens_out, "total_tokens": total}
    )


class Screen:
    """What a reader sees: text, and how often it was wiped."""

    def __init__(self) -> None:
        self.text = ""
        self.wiped: list[str] = []

    def write(self, text: str) -> None:
        self.text += text

    def wipe(self) -> None:
        self.wiped.append(self.text)
        self.text = ""


def chat_over(*scripts: list[Any], **options: Any) -> LangChainChat:
    fake = FakeTime()
    retrier = Retrier(Endpoint("guion"), clock=fake.clock, sleep=fake.sleep)
    return LangChainChat(ScriptedModel(scripts=list(scripts), seen=[]), "guion", retrier=retrier, **options)


async def streamed(chat: LangChainChat, screen: Screen) -> Any:
    messages = [{"role": "user", "content": "¿Cuántos días de vacaciones?"}]
    return await chat.stream("Reglas", messages, on_text=screen.write, on_restart=screen.wipe)


async def test_messages_keep_order_and_roles():
    model = ScriptedModel(scripts=[["sí"]], seen=[])
    chat = LangChainChat(model, "guion")
    history = [
        {"role": "user", "content": "uno"},
        {"role": "assistant", "content": "dos"},
        {"role": "user", "content": "tres"},
    ]
    completion = await chat.complete("Reglas", history)
    assert completion.text == "sí"
    assert [(m.type, m.content) for m in model.seen[0]] == [
        ("system", "Reglas"),
        ("human", "uno"),
        ("ai", "dos"),
        ("human", "tres"),
    ]


async def test_no_system_message_where_there_is_no_text_for_it():
    model = ScriptedModel(scripts=[["sí"]], seen=[])
    await LangChainChat(model, "guion").complete("", [{"role": "user", "content": "uno"}])
    assert [m.type for m in model.seen[0]] == ["human"]


async def test_stream_hands_over_pieces_and_returns_the_whole():
    screen, pieces = Screen(), []
    chat = chat_over(["Treinta ", "días.", finish()])
    messages = [{"role": "user", "content": "?"}]
    completion = await chat.stream("", messages, on_text=pieces.append, on_restart=screen.wipe)
    assert pieces == ["Treinta ", "días."]
    assert (completion.text, completion.requests) == ("Treinta días.", 1)


async def test_the_reasoning_of_a_model_is_no_part_of_its_reply():
    screen, reasoned = Screen(), ["<thi", "nk>¿Treinta?</th", "ink>\n\n", "Treinta", finish()]
    assert (await streamed(chat_over(reasoned), screen)).text == screen.text == "Treinta"
    whole = await chat_over(["<think>[1]</think>[2]", finish()]).complete("Reglas", [{"role": "user", "content": "x"}])
    assert whole.text == "[2]"


async def test_a_stream_without_finish_reason_is_asked_for_again():
    screen = Screen()
    completion = await streamed(chat_over(["Trein"], ["Treinta días.", finish()]), screen)
    assert (completion.text, completion.requests) == ("Treinta días.", 2)
    assert (screen.text, screen.wiped) == ("Treinta días.", ["Trein"])


async def test_restart_is_not_called_where_nothing_was_shown():
    screen = Screen()
    completion = await streamed(chat_over(["<think>"], ["Sí.", finish()]), screen)
    assert (completion.text, screen.wiped) == ("Sí.", [])


async def test_a_stream_that_never_finishes_fails():
    screen = Screen()
    with pytest.raises(ModelError, match="se ha cortado") as caught:
        await streamed(chat_over(["Uno"], ["Dos"], ["Tres"]), screen)
    assert caught.value.attempts == 3
    assert screen.wiped == ["Uno", "Dos"]


async def test_an_answer_cut_by_its_length_is_accepted():
    completion = await streamed(chat_over(["Treinta", finish("length")]), Screen())
    assert (completion.text, completion.cut) == ("Treinta", True)


async def test_a_filtered_answer_is_an_error_at_once():
    with pytest.raises(ContentFiltered) as caught:
        await streamed(chat_over(["Tre", finish("content_filter")]), Screen())
    assert caught.value.attempts == 1


@pytest.mark.parametrize("complaint", [ValueError("null choices"), KeyError("choices"), TypeError("no choices")])
async def test_an_unreadable_reply_is_not_asked_for_again(complaint):
    with pytest.raises(ModelError, match="no se puede leer") as streaming:
        await streamed(chat_over([complaint], ["Sí.", finish()]), Screen())
    with pytest.raises(ModelError, match="no se puede leer") as whole:
        await chat_over([complaint], ["Sí."]).complete("", [{"role": "user", "content": "?"}])
    assert (streaming.value.attempts, whole.value.attempts) == (1, 1)


async def test_a_stream_with_nothing_in_it_is_no_reply():
    with pytest.raises(ModelError, match="respuesta vacía") as caught:
        await streamed(chat_over([AIMessageChunk("")], ["Sí.", finish()]), Screen())
    assert caught.value.attempts == 1


async def test_azure_s_complaint_about_its_filter_is_understood():
    complaint = ValueError("Azure has not provided the response due to a content filter being triggered")
    with pytest.raises(ContentFiltered):
        await chat_over([complaint]).complete("", [{"role": "user", "content": "?"}])


async def test_a_fault_of_the_listener_is_not_taken_for_one_of_the_model():
    def broken(text: str) -> None:
        raise ValueError("pantalla rota")

    chat = chat_over(["Sí.", finish()])
    with pytest.raises(ValueError, match="pantalla rota"):
        await chat.stream("", [{"role": "user", "content": "?"}], on_text=broken, on_restart=lambda: None)


async def test_tokens_are_those_reported_last_not_their_sum():
    completion = await streamed(chat_over([usage(9, 1, "Sí"), usage(9, 2, "."), finish()]), Screen())
    assert (completion.input_tokens, completion.output_tokens) == (9, 2)


class Form(BaseModel):
    """A form that only a model of a provider can fill in."""

    days: int


async def test_a_model_without_structured_output_fills_in_no_form():
    chat = chat_over(['{"days": 30}'])
    assert not chat.takes_limit
    with pytest.raises(ConfigurationError, match="ARTICULADO_PRINCIPAL_PROVIDER"):
        await chat.structured("", [{"role": "user", "content": "?"}], Form)


class State(TypedDict, total=False):
    """State of the graph below."""

    text: str


@pytest.mark.parametrize("way", ["whole", "streamed"])
async def test_raw_tokens_stay_out_of_the_graph_s_message_stream(way):
    model = ScriptedModel(scripts=[["===META===", finish()]], seen=[])
    chat = LangChainChat(model, "guion")

    async def node(state: State) -> State:
        if way == "whole":
            return {"text": (await chat.complete("", [{"role": "user", "content": "?"}])).text}
        return {"text": (await streamed(chat, Screen())).text}

    graph = StateGraph(State).add_node("answer", node).add_edge(START, "answer").add_edge("answer", END).compile()
    parts = [part async for part in graph.astream({}, stream_mode=["messages", "values"])]
    assert [mode for mode, _ in parts if mode == "messages"] == []
    assert parts[-1] == ("values", {"text": "===META==="})
    # A graph that streams messages does not turn a whole reply into a streamed one.
    assert model.ways == [way]


def test_importing_does_not_load_the_sdk():
    program = (
        "import sys\nfrom articulado.models import chat, embeddings, openai, structured\n"
        "print([name for name in ('openai', 'langchain_openai', 'tiktoken') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
