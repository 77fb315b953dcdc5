"""Replies that repeat themselves, and prompts that a server has not read whole."""

import asyncio
import random
from functools import partial

import pytest
from support.fake_time import FakeTime
from support.openai_server import Reply, running_server
from support.waiting import PATIENCE

from articulado.config.settings import ModelSettings
from articulado.language.translation import use_locale
from articulado.models.habits import LEAST_WINDOW, words_if_cut
from articulado.models.openai import chat_model
from articulado.models.reply import MAX_RECEIVED, repeated
from articulado.models.retry import Retrier

LEAD = "La jornada máxima es de cuarenta horas semanales de promedio. "
UNITS = [
    "El trabajador tiene derecho a treinta días naturales. ",
    "no ",
    "y por tanto, ",
    "Son 30 días [C1].\n",
    "- El convenio puede mejorar esta duración.\n",
    "**Nota:** consulte el convenio colectivo de su sector, porque puede mejorar la ley; consulte también el contrato, "
    "y, en caso de duda, a la representación de las personas trabajadoras o a un profesional.\n\n",
    "ja",
    "| Sí | No |\n",
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("rest", [0, 5])
def test_a_unit_without_end_is_said_once(unit, rest):
    times = 2_500 // len(unit) + 5
    text = LEAD + unit * times + unit[:rest]
    end = repeated(text)
    assert end is not None
    assert text[:end].startswith(LEAD.strip())
    assert len(LEAD) - 2 <= end <= len(LEAD) + 2 * len(unit)


@pytest.mark.parametrize(
    "form",
    [
        "{0}. El trabajador tiene derecho a treinta días naturales de vacaciones.\n",
        "Artículo {0}. ",
        "En el año {0} la duración del permiso era la misma que la del anterior. ",
        "[C{0}] ",
        "({0}) El preaviso es de quince días. ",
    ],
)
def test_a_unit_that_differs_in_its_number_is_a_repetition_too(form):
    assert repeated(LEAD + "".join(form.format(number) for number in range(1, 200))) is not None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"| {year} | {516 + 11 * year % 97},00 € | Real Decreto |\n" for year in range(2001, 2026)),
        "".join(
            f"Con {years} años de antigüedad corresponden {33 * years} días de salario. " for years in range(1, 25)
        ),
        "Firma: " + "_" * 120 + "\n\nFecha: " + "." * 150,
        "|---|---|---|\n" * 2 + "| No | No | No |\n" * 6,
        "Sí. " * 5,
        "1. Un mes.\n2. Dos meses.\n3. Tres meses.\n" * 2,
        LEAD * 3,
        "",
    ],
)
def test_tables_forms_and_lists_are_no_repetition(text):
    assert repeated(LEAD + text) is None


@pytest.fixture
def server():
    with running_server() as running:
        yield running


@pytest.fixture
async def chat(server):
    settings = ModelSettings(provider="compatible", model="modelo", base_url=server.url)
    made = chat_model("principal", settings, partial(Retrier, sleep=FakeTime().sleep))
    yield made
    await made.close()


async def ask(chat, *, streaming: bool, words: int = 5):
    messages = [{"role": "user", "content": "vacación " * words}]
    if not streaming:
        return await chat.complete("", messages)
    return await chat.stream("", messages, on_text=lambda text: None, on_restart=lambda: None)


@pytest.mark.parametrize("unit", UNITS)
async def test_a_stream_that_repeats_itself_is_left_and_told(server, chat, unit):
    server.script("modelo", Reply(LEAD + unit * (2_500 // len(unit)), piece=50, endless=True))
    completion = await ask(chat, streaming=True)
    assert await asyncio.to_thread(server.left.wait, PATIENCE)
    assert len(completion.text) <= len(LEAD) + 2 * len(unit)
    assert not completion.cut
    assert "repetía lo mismo" in completion.warnings[0]


async def test_a_whole_reply_that_repeats_itself_is_cut_and_told(server, chat):
    server.script("modelo", Reply(LEAD + UNITS[0] * 50, finish_reason="length"))
    with use_locale("en"):
        completion = await ask(chat, streaming=False)
    assert completion.text == (LEAD + UNITS[0]).strip()
    assert "repeated itself" in completion.warnings[0]


async def test_thoughts_that_repeat_themselves_end_the_reply(server, chat):
    server.script("modelo", Reply("<think>" + UNITS[0] * 60, piece=50, endless=True))
    completion = await ask(chat, streaming=True)
    assert await asyncio.to_thread(server.left.wait, PATIENCE)
    assert (completion.text, len(completion.warnings)) == ("", 1)


async def test_thoughts_without_end_end_the_reply(server, chat):
    drawn, words = random.Random(7), LEAD.split()
    thoughts = " ".join(drawn.choices(words, k=MAX_RECEIVED // 5))
    server.script("modelo", Reply(f"<think>{thoughts}", piece=500, endless=True))
    completion = await ask(chat, streaming=True)
    assert await asyncio.to_thread(server.left.wait, PATIENCE)
    assert (completion.text, completion.cut) == ("", True)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("words", "tokens", "told"),
    [
        (8_000, 4_096, True),
        (3_000, 2_048, True),
        (20_000, 8_192, True),
        (1_000, 512, True),
        (8_000, 8_100, False),  # a tokenizer that knows every word
        (8_000, 30_000, False),  # one that knows few
        (8_000, 0, False),  # no report
        (8_000, 12, False),  # of a server that counts tokens outside its cache
        (200, 100, False),
    ],
)
async def test_a_prompt_that_the_server_has_cut_is_told(server, chat, words, tokens, told, streaming):
    server.script("modelo", Reply("Sí.", usage=(tokens, 7)))
    completion = await ask(chat, streaming=streaming, words=words)
    assert bool(completion.warnings) is told
    if told:
        assert f"{tokens} tokens" in completion.warnings[0]
        assert "num_ctx" in completion.warnings[0]
        assert "ARTICULADO_CONTEXT_TOKENS" in completion.warnings[0]


def test_words_are_the_least_tokens_of_a_prompt():
    assert words_if_cut("uno dos, tres. " * 200, LEAST_WINDOW) == 600
    assert words_if_cut("uno dos, tres. " * 200, 600) == 0
