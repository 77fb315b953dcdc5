"""Each row of the table of habits against a server on loopback: what a reply shows, and what without the row."""

import json
from functools import partial

import pytest
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Recorded, Reply, running_server

from articulado.config.settings import ModelSettings
from articulado.models import http
from articulado.models.chat import LangChainChat
from articulado.models.habits import ReasoningFilter, habits, opens_silently, refused_parameters, without
from articulado.models.openai import chat_model
from articulado.models.retry import Retrier
from articulado.values.errors import ModelError

QUESTION = [{"role": "user", "content": "¿Cuántos días de vacaciones?"}]
ANSWER = "Son 30 días [C1]."
THOUGHT = "El mes tiene 30 días, o quizá 31: [C9]."

THOUGHTS = {
    "angle": [
        f"<think>{THOUGHT}</think>\n\n{ANSWER}",
        f"\n <thinking>{THOUGHT}</thinking>{ANSWER}",
        f"<thought>\n{THOUGHT}\n</thought>\n{ANSWER}",
        f"<reasoning>{THOUGHT}</reasoning>\n{ANSWER}",
        f"<THINK>{THOUGHT}</THINK>{ANSWER}",
        f'<think type="long">{THOUGHT}</think>{ANSWER}',
        f"<think>{THOUGHT}</think><think>{THOUGHT}</think>{ANSWER}",
        f"<think>Cierro con `</think>` luego.</think>{ANSWER}",
        f"{ANSWER}\n<think>{THOUGHT}",
        f'<think>La clave es "a"</think>{ANSWER}',
        f"<think>Uso `días`</think>{ANSWER}",
    ],
    "namespace": [
        f"<seed:think>{THOUGHT}</seed:think>{ANSWER}",
        f"<antThinking>{THOUGHT}</antThinking>\n{ANSWER}",
        f"<model:reasoning>{THOUGHT}</model:reasoning>{ANSWER}",
        f"<seed:thought>\n{THOUGHT}\n</seed:thought>\n\n{ANSWER}",
        f"<x:analysis>{THOUGHT}</x:analysis>{ANSWER}",
    ],
    "square": [
        f"[THINK]{THOUGHT}[/THINK]{ANSWER}",
        f"[think]\n{THOUGHT}\n[/think]\n{ANSWER}",
        f"[THINKING]{THOUGHT}[/THINKING]{ANSWER}",
        f"[REASONING]{THOUGHT}[/REASONING]\n\n{ANSWER}",
        f"[THINK]{THOUGHT}[/THINK][THINK]{THOUGHT}[/THINK]{ANSWER}",
    ],
    "triangle": [
        f"◁think▷{THOUGHT}◁/think▷{ANSWER}",
        f"◁think▷\n{THOUGHT}\n◁/think▷\n\n{ANSWER}",
        f"⊲think⊳{THOUGHT}⊲/think⊳{ANSWER}",
        f"◁thought▷{THOUGHT}◁/thought▷{ANSWER}",
        f"◁reasoning▷{THOUGHT}◁/reasoning▷ {ANSWER}",
    ],
    "pipes": [
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>\n\n{ANSWER}",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|>{ANSWER}",
        f"<|think|>{THOUGHT}<|/think|>{ANSWER}",
        f"<|begin_think|>{THOUGHT}<|end_think|>{ANSWER}",
        f"<｜think｜>{THOUGHT}<｜/think｜>{ANSWER}",
    ],
    "inner_prefix": [
        f"<|inner_prefix|>{THOUGHT}<|inner_suffix|>{ANSWER}",
        f"<|inner_prefix|>\n{THOUGHT}\n<|inner_suffix|>\n{ANSWER}",
        f"\n<|inner_prefix|>{THOUGHT}<|inner_suffix|> {ANSWER}",
        f"<|inner_prefix|>a<|inner_suffix|><|inner_prefix|>{THOUGHT}<|inner_suffix|>{ANSWER}",
        f"{ANSWER}\n<|inner_prefix|>{THOUGHT}",
    ],
    "channel": [
        f"<|channel>thought\n{THOUGHT}\n<channel|>{ANSWER}",
        f"<|channel>thought {THOUGHT}<channel|>\n{ANSWER}",
        f"<|channel>reasoning\n{THOUGHT}<channel|>{ANSWER}",
        f"\n<|channel>thinking\n{THOUGHT}<channel|>{ANSWER}",
        f"<|channel>thought\n<channel|>{ANSWER}",
    ],
    "unused": [
        f"<unused94>thought\n{THOUGHT}<unused95>{ANSWER}",
        f"<unused94>{THOUGHT}<unused95>{ANSWER}",
        f"<unused94>thought {THOUGHT}<unused95>\n{ANSWER}",
        f"<unused94>thinking\n{THOUGHT}<unused95>{ANSWER}",
        f"<unused94><unused95>{ANSWER}",
    ],
    "harmony": [
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>\n<|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<|start|>assistant<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>"
        f"{ANSWER}<|end|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>commentary to=functions.buscar"
        f"<|constrain|>json<|message|>{{}}<|call|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|channel|>final<|message|>{ANSWER}",
        f"<|channel|>commentary<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final"
        f" <|constrain|>text<|message|>"
        f"{ANSWER}",
        f"<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|channel|>final<|message|>{ANSWER}",
        f"\n<|channel|>final <|message|>\n{ANSWER}\n<|return|>",
        f"<|channel|>final<|message|>{ANSWER}<|end|>",
    ],
    "harmony_bare": [
        f"analysisThe user asks. {THOUGHT}assistantfinal{ANSWER}",
        f"analysisWe need the days.assistantanalysis{THOUGHT}assistantfinal{ANSWER}",
        f"assistantanalysisEl usuario pregunta.assistantfinal{ANSWER}",
        f"analysis¿Treinta? {THOUGHT}assistantcommentary to=xassistantfinal\n{ANSWER}",
        f"\nanalysisLet me see.\n\nassistantfinal{ANSWER}",
    ],
    "process": [
        f"Here is my thought process:\n\n{THOUGHT}\n\nHere is my response:\n\n{ANSWER}",
        f"Here's my thought process: {THOUGHT} Here's my response: {ANSWER}",
        f"Here is my thought process:{THOUGHT}\nHere is my response:{ANSWER}",
        f"\nHere is my thought process:\n{THOUGHT}\nHere's my response:\n{ANSWER}",
        f"here is my thought process:\n{THOUGHT}\nhere is my response:\n{ANSWER}",
    ],
}
FRAMES = {
    "answer_tag": [
        f"<answer>{ANSWER}</answer>",
        f"<think>{THOUGHT}</think>\n<answer>\n{ANSWER}\n</answer>",
        f"<respuesta>{ANSWER}</respuesta>",
        f"<final_answer>{ANSWER}</final_answer>\n",
        f"<response>{ANSWER}",
    ],
    "answer_square": [
        f"[ANSWER]{ANSWER}[/ANSWER]",
        f"[RESPUESTA]\n{ANSWER}\n[/RESPUESTA]",
        f"[THINK]{THOUGHT}[/THINK][RESPONSE]{ANSWER}[/RESPONSE]",
        f"[answer] {ANSWER} [/answer]",
        f"[FINAL]{ANSWER}",
    ],
    "answer_pipes": [
        f"<|begin_of_solution|>{ANSWER}<|end_of_solution|>",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>\n\n<|begin_of_solution|>\n{ANSWER}\n<|end_of_solution|>",
        f"<|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
        f"<|START_TEXT|>{ANSWER}<|END_TEXT|>",
        f"<|begin_of_box|>{ANSWER}<|end_of_box|>",
    ],
    "role": [
        f"<|im_start|>assistant\n{ANSWER}",
        f"<|im_start|> assistant\n\n{ANSWER}",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{ANSWER}",
        f"\n<|im_start|>assistant\n{ANSWER}<|im_end|>",
        f"<|im_start|>assistant\n<think>{THOUGHT}</think>{ANSWER}",
    ],
}
ENDS = {
    "pipes": [
        f"{ANSWER}<|im_end|>",
        f"{ANSWER}<|im_end|>\n<|im_start|>user\nOtra pregunta",
        f"{ANSWER}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nOtra",
        f"{ANSWER}\n<|endoftext|>Question: other",
        f"{ANSWER}<|end|>",
    ],
    "turn": [
        f"{ANSWER}<end_of_turn>",
        f"{ANSWER}<end_of_turn>\n<start_of_turn>user\nOtra",
        f"{ANSWER}\n<start_of_turn>user\nOtra",
        f"{ANSWER}<｜end▁of▁sentence｜>",
        f"{ANSWER}\n<end_of_turn>\n",
    ],
    "sentence": [
        f"{ANSWER}</s>",
        f"{ANSWER}</s>\n",
        f"{ANSWER}</s><s>[INST] Otra [/INST] Más",
        f"{ANSWER}\n[INST] Otra [/INST]",
        f"{ANSWER} </s>",
    ],
}
SILENT = {
    "template": [
        ("deepseek-r1:14b", f"{THOUGHT}\n</think>\n\n{ANSWER}"),
        ("qwq-32b", f"{THOUGHT}</think>{ANSWER}"),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", f"{THOUGHT}\n</think>\n\n{ANSWER}"),
        ("magistral-small", f"{THOUGHT}[/THINK]{ANSWER}"),
        ("nvidia/OpenReasoning-7B", f"{THOUGHT}\n</thinking>\n{ANSWER}"),
    ],
    "monologue": [
        ("modelo", f"Okay, the user asks about days. {THOUGHT}\n</think>\n\n{ANSWER}"),
        ("modelo", f"Vale, veamos. {THOUGHT}</think>{ANSWER}"),
        ("modelo", f"El usuario pregunta por días. {THOUGHT}\n</think>\n{ANSWER}"),
        ("modelo", f"First, the days.\n\n{THOUGHT}\n[/THINK]\n{ANSWER}"),
        ("modelo", f"We need the days. {THOUGHT}◁/think▷{ANSWER}"),
    ],
}
ROWS = {"thoughts": THOUGHTS, "frames": FRAMES, "ends": ENDS}
SAMPLES = [(kind, name, text) for kind, rows in ROWS.items() for name, texts in rows.items() for text in texts]

MENTIONS = [
    "La etiqueta `<think>` abre y `</think>` cierra el razonamiento.",
    "Se escribe «<think>» y se cierra con «</think>», y nada más.",
    'El modelo usa "<think>" al principio; "</think>" va después.',
    "El texto va entre <think> y </think> en ese formato.",
    "```\n<think>\nEjemplo\n</think>\n```\nAsí se ve.",
    "La marca [THINK] abre y [/THINK] cierra.",
    "El marcador <|im_end|> cierra el turno.",
    "Un <s>tachado</s> en HTML.",
    "Bien, son 30 días.",
    "El analysisT no es nada, y assistant finally tampoco.",
    "Use <answer> como etiqueta.",
]


@pytest.fixture
def server():
    with running_server() as running:
        yield running


@pytest.fixture
async def chats(server, monkeypatch):
    monkeypatch.setattr(http, "_refused", {})  # another server had the port before
    made: list[LangChainChat] = []

    def build(model: str = "modelo", **settings: str) -> LangChainChat:
        given = ModelSettings(provider="compatible", model=model, base_url=server.url, **settings)
        made.append(chat_model("principal", given, partial(Retrier, sleep=FakeTime().sleep)))
        return made[-1]

    yield build
    for chat in made:
        await chat.close()


class Screen:
    """Texts that were shown, each until it was withdrawn."""

    def __init__(self) -> None:
        self.texts = [""]

    def write(self, text: str) -> None:
        self.texts[-1] += text

    def wipe(self) -> None:
        self.texts.append("")


async def streamed(chat: LangChainChat, screen: Screen | None = None):
    screen = screen or Screen()
    completion = await chat.stream("", QUESTION, on_text=screen.write, on_restart=screen.wipe)
    assert screen.texts[-1] == completion.text
    return completion


def filtered(text: str, size: int = 1000, *, table=None, silent: bool = False) -> str:
    reading, shown = ReasoningFilter(table, silent=silent), ""
    for at in range(0, len(text), size):
        given = reading.feed(text[at : at + size])
        shown, reading.void = ("" if reading.void else shown) + given, False
    given = reading.rest()
    return (("" if reading.void else shown) + given).strip()


@pytest.mark.parametrize("kind", [*ROWS, "silent", "parameters"])
def test_every_row_is_tried_by_five_variants(kind):
    tried = {**ROWS, "silent": SILENT, "parameters": {name: [0] * 5 for name in PARAMETERS}}[kind]
    assert {row.name for row in getattr(habits(), kind)} == set(tried)
    assert all(len(samples) >= 5 for samples in tried.values())


@pytest.mark.parametrize(("kind", "name", "text"), SAMPLES)
async def test_only_the_final_channel_is_shown_streamed_or_not(server, chats, kind, name, text):
    server.script("modelo", text, *(Reply(text, piece=piece) for piece in (1, 4, 1000)))
    chat = chats()
    assert (await chat.complete("", QUESTION)).text.strip() == ANSWER
    for _ in range(3):
        screen = Screen()
        assert (await streamed(chat, screen)).text.strip() == ANSWER
        assert len(screen.texts) == 1


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, rows in ROWS.items() for name in rows])
def test_no_other_row_does_its_work(kind, name):
    table = without(habits(), kind, name)
    assert any(filtered(text, table=table) != ANSWER for text in ROWS[kind][name])


@pytest.mark.parametrize(("name", "model", "text"), [(name, *one) for name, all_ in SILENT.items() for one in all_])
async def test_thoughts_that_nothing_opens_are_never_shown(server, chats, name, model, text):
    server.script(model, text, *(Reply(text, piece=piece) for piece in (1, 4, 1000)))
    assert (await chats(model).complete("", QUESTION)).text == ANSWER
    for _ in range(3):
        screen = Screen()
        assert (await streamed(chats(model), screen)).text == ANSWER
        assert screen.texts == [ANSWER]


def test_names_of_models_and_beginnings_tell_silent_thoughts():
    assert all(opens_silently(model) for model, _ in SILENT["template"])
    assert not any(opens_silently(model, without(habits(), "silent", "template")) for model, _ in SILENT["template"])
    table = without(habits(), "silent", "monologue")
    for _, text in SILENT["monologue"]:
        reading = ReasoningFilter(table)
        reading.feed(text)
        assert reading.void
    assert not any(map(opens_silently, ("gpt-5.2", "mistral-large", "llama3.1", "qwen2.5", "gemma3", "r10")))


async def test_thoughts_that_were_shown_are_withdrawn_and_the_model_is_known_then(server, chats):
    text = f"Treinta o treinta y uno, según el mes.\n</think>\n\n{ANSWER}"
    server.script("modelo", Reply(text), Reply(text))
    chat, first, second = chats(), Screen(), Screen()
    assert (await streamed(chat, first)).text == ANSWER
    assert (await streamed(chat, second)).text == ANSWER
    assert [len(first.texts), len(second.texts)] == [2, 1]


@pytest.mark.parametrize(
    "thoughts",
    [
        {"reasoning_content": THOUGHT},
        {"reasoning": THOUGHT},
        {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]},
        {"thinking": THOUGHT},
        {"reasoning_content": THOUGHT, "reasoning": THOUGHT},
    ],
)
async def test_fields_of_thoughts_are_no_answer(server, chats, thoughts):
    server.script("modelo", *[Reply(ANSWER, thoughts=thoughts)] * 2)
    assert (await chats().complete("", QUESTION)).text == ANSWER
    assert (await streamed(chats())).text == ANSWER


async def test_thoughts_among_the_parts_of_a_message_are_no_answer(server, chats):
    server.script("modelo", *[Reply(ANSWER, parts=True)] * 2)
    assert (await chats().complete("", QUESTION)).text == ANSWER
    assert (await streamed(chats())).text == ANSWER


@pytest.mark.parametrize("text", MENTIONS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_answer_that_mentions_a_mark_keeps_its_text(text, size):
    assert filtered(text, size) == text


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("last", ["`x`", '"a"', "{", "«x»", "'"])
def test_a_code_block_or_json_behind_thoughts_is_the_reply(last, size):
    for reply in ("```json\n{}\n```", '{"days": 30}', '"treinta"', "`30`", "«30»"):
        assert filtered(f"<think>{last}</think>{reply}", size) == reply


@pytest.mark.parametrize("text", [f"<think>{THOUGHT}", f"[THINK]{THOUGHT}", f"<|channel|>analysis<|message|>{THOUGHT}"])
def test_thoughts_without_an_end_are_no_answer(text):
    assert filtered(text, 3) == ""


PARAMETERS = {
    "temperature": 0,
    "top_p": 0.9,
    "stream_options": {"include_usage": True},
    "stream": True,
    "max_tokens": 100,
    "max_completion_tokens": 100,
    "seed": 7,
    "parallel_tool_calls": False,
    "reasoning_effort": "low",
    "verbosity": "low",
    "logprobs": True,
    "top_logprobs": 2,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.1,
    "logit_bias": {},
    "user": "x",
    "metadata": {},
    "store": False,
    "service_tier": "auto",
    "stop": ["x"],
    "n": 1,
    "top_k": 5,
    "chat_template_kwargs": {},
    "encoding_format": "float",
}
WORDINGS = {
    "openai": (
        400,
        '{{"error": {{"message": "Unsupported parameter: \'{name}\' is not supported with this model.", "type": '
        '"invalid_request_error", "param": "{name}", "code": "unsupported_parameter"}}}}',
    ),
    "azure": (
        400,
        '{{"error": {{"message": "Unsupported value: \'{name}\' does not support this value with this model.", '
        '"type": "invalid_request_error", "param": null, "code": null}}}}',
    ),
    "vllm": (
        400,
        "{{\"object\": \"error\", \"message\": \"[{{'type': 'extra_forbidden', 'loc': ('body', '{name}'), 'msg': "
        '\'Extra inputs are not permitted, unsupported \'{name}\'\'}}]", "type": "BadRequestError", "code": 400}}',
    ),
    "mistral": (
        422,
        '{{"object": "error", "message": {{"detail": [{{"type": "extra_forbidden", "loc": ["body", "{name}"], "msg": '
        '"Extra inputs are not permitted", "input": 1}}]}}, "type": "invalid_request_error"}}',
    ),
    "litellm": (
        400,
        '{{"error": {{"message": "litellm.UnsupportedParamsError: azure does not support parameters: [\'{name}\'], for '
        'model=m. To drop these, set `litellm.drop_params=True`: unsupported \'{name}\'", "type": "None", "param": '
        '"None", "code": "400"}}}}',
    ),
    "groq": (
        400,
        '{{"error": {{"message": "property \'{name}\' is unsupported, unsupported \'{name}\'", "type": '
        '"invalid_request_error"}}}}',
    ),
    "llama.cpp": (
        500,
        '{{"error": {{"code": 500, "message": "Unsupported param: \'{name}\'", "type": "server_error"}}}}',
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("wording", WORDINGS)
def test_the_parameter_that_an_error_names_is_the_one_refused(name, wording):
    status, text = WORDINGS[wording]
    said = text.format(name=name)
    assert [row.name for row in refused_parameters(status, said, PARAMETERS)] == [name]
    assert refused_parameters(status, said, PARAMETERS, without(habits(), "parameters", name)) == []


@pytest.mark.parametrize(
    "said",
    [
        '{"error": {"message": "max_tokens: too many", "code": "context_length_exceeded"}}',
        '{"error": {"message": "The model is overloaded."}}',
        '{"error": {"message": "no such parameter"}}',
        "Bad Request",
        '{"error": {"message": "The upstream failed at this temperature."}}',
    ],
)
@pytest.mark.parametrize("status", [500, 429])
def test_another_error_refuses_nothing(said, status):
    assert refused_parameters(status, said, PARAMETERS) == []


def refusing(*names: str, wording: str = "openai"):
    """Return a server's answer to requests: the refusal of the first of these parameters that is sent, or a reply."""

    def respond(request: Recorded) -> Reply:
        status, text = WORDINGS[wording]
        sent = next((name for name in names if request.body.get(name) is not None), None)
        return Reply(raw=text.format(name=sent), status=status) if sent else Reply(ANSWER)

    return respond


def sent_with(server: OpenAIServer, name: str) -> list[bool]:
    return [name in request.body for request in server.requests]


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("name", ["temperature", "seed", "stop", "max_tokens", "reasoning_effort"])
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_refused_parameter_is_left_out_and_stays_left_out(server, chats, wording, name, streaming):
    server.answer("modelo", refusing(name, wording=wording))
    own = {name: PARAMETERS[name]} | ({"temperature": None} if name != "temperature" else {})
    for _ in range(2):  # another client of the same model and address
        chat = chats(parameters=json.dumps(own))
        assert (await (streamed(chat) if streaming else chat.complete("", QUESTION))).text == ANSWER
    assert sent_with(server, name) == [True, False, False]


async def test_stream_options_are_left_out_of_streams(server, chats):
    server.answer("modelo", refusing("stream_options", wording="mistral"))
    assert [(await streamed(chats())).text for _ in range(2)] == [ANSWER, ANSWER]
    assert sent_with(server, "stream_options") == [True, False, False]


async def test_a_reply_comes_whole_where_streams_are_refused(server, chats):
    server.answer("modelo", refusing("stream"))
    completion = await streamed(chats())
    assert (completion.text, completion.input_tokens, completion.output_tokens) == (ANSWER, 11, 7)
    assert [bool(request.body.get("stream")) for request in server.requests] == [True, False]


@pytest.mark.parametrize(
    ("given", "refused", "taken"),
    [
        ("max_tokens", ("max_tokens",), {"max_completion_tokens": 100}),
        ("max_completion_tokens", ("max_completion_tokens",), {"max_tokens": 100}),
        ("max_tokens", ("max_tokens", "max_completion_tokens"), {}),
    ],
)
async def test_a_limit_is_tried_under_its_other_name(server, chats, given, refused, taken):
    server.answer("modelo", refusing(*refused))
    assert (await chats(parameters=json.dumps({given: 100})).complete("", QUESTION)).text == ANSWER
    last = server.requests[-1].body
    assert {name: last[name] for name in ("max_tokens", "max_completion_tokens") if name in last} == taken


async def test_several_refused_parameters_are_left_out_one_after_another(server, chats):
    server.answer("modelo", refusing("temperature", "seed", "stream_options"))
    assert (await streamed(chats(parameters='{"seed": 7}'))).text == ANSWER
    assert server.calls("modelo") == 4


async def test_another_model_at_the_same_address_is_sent_everything(server, chats):
    server.answer("modelo", refusing("temperature"))
    server.script("otro", ANSWER)
    await chats().complete("", QUESTION)
    await chats("otro").complete("", QUESTION)
    assert sent_with(server, "temperature") == [True, False, True]


async def test_a_refusal_that_remains_is_told_and_nothing_is_remembered(server, chats):
    refusal = Reply(raw=WORDINGS["openai"][1].format(name="temperature"), status=400)
    server.script("modelo", refusal, refusal, ANSWER)
    with pytest.raises(ModelError, match="HTTP 400"):
        await chats().complete("", QUESTION)
    await chats().complete("", QUESTION)
    assert sent_with(server, "temperature") == [True, False, True]


async def test_own_parameters_go_along_and_null_leaves_one_out(server, chats):
    server.script("modelo", *[Reply(ANSWER)] * 2)
    chat = chats(
        parameters='{"temperature": null, "stream_options": null, "seed": 7, "chat_template_kwargs": {"a": 1}}'
    )
    await chat.complete("", QUESTION)
    await streamed(chat)
    for request in server.requests:
        assert (request.body["seed"], request.body["chat_template_kwargs"]) == (7, {"a": 1})
        assert not {"temperature", "stream_options"} & request.body.keys()
