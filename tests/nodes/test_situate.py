"""Asking a reader for sentences: how many at once, only once, and what becomes of failures."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from support.doubles import QueueChat, make_chunk
from support.fake_time import FakeTime
from support.openai_server import Reply, failure, running_server
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings
from articulado.ingestion.context.paid_cache import ContextCache, ContextPrompt
from articulado.models.openai import chat_model
from articulado.models.retry import Retrier
from articulado.values.answers import Message
from articulado.values.errors import ConfigurationError, ContentFiltered, ModelError, ModelRateLimited
from articulado.values.protocols import Completion
from nodes.ingest.contextualize import STEP, check_reader, situate

PROMPT = ContextPrompt.of(load_profile("laboral"))


def children(count: int, first: int = 1):
    """Pairs whose child says "Pasaje N." and has the id 100 + N; two children to a parent."""
    return [
        (
            make_chunk((number + 1) // 2, text="El texto entero."),
            make_chunk(100 + number, parent_id=(number + 1) // 2, text=f"Pasaje {number}."),
        )
        for number in range(first, first + count)
    ]


def passage(text: str) -> int:
    return int(text.rpartition("Pasaje ")[2].partition(".")[0])


class SlowChat(QueueChat):
    """Answers only when it is let, and knows how many wait at once; ``failing`` passages fail."""

    def __init__(self, failing: dict[int, Exception] | None = None) -> None:
        super().__init__("")
        self.failing = failing or {}
        self.asked: list[int] = []
        self.running = self.most = 0
        self.gates: dict[int, asyncio.Event] = defaultdict(asyncio.Event)
        self.arrivals: asyncio.Queue[int] = asyncio.Queue()

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        number = passage(messages[0]["content"])
        self.asked.append(number)
        self.running += 1
        self.most = max(self.most, self.running)
        self.arrivals.put_nowait(number)
        await self.gates[number].wait()
        self.running -= 1
        if number in self.failing:
            raise self.failing[number]
        return Completion(f"Frase {number}.")

    async def arrived(self, count: int) -> None:
        """Wait until that many more requests have come."""
        for _ in range(count):
            await asyncio.wait_for(self.arrivals.get(), PATIENCE)


class CutChat(QueueChat):
    """Reaches its limit of length before the full stop."""

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        completion = await super().complete(system, messages, deadline=deadline)
        return replace(completion, cut=completion.text.endswith("per"))


@pytest.fixture
def cache(tmp_path):
    with ContextCache(tmp_path / "frases.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_no_more_run_at_once_than_allowed(cache, concurrency):
    reader, told = SlowChat(), []
    running = asyncio.create_task(
        situate(children(7), reader, cache, PROMPT, concurrency=concurrency, progress=lambda *step: told.append(step))
    )
    await reader.arrived(concurrency - 1)
    for number in range(1, 8):
        await reader.arrived(1 if number + concurrency <= 8 else 0)
        assert len(reader.asked) == min(7, number + concurrency - 1)
        reader.gates[number].set()
    assert await running == {100 + number: f"Frase {number}." for number in range(1, 8)}
    assert reader.most == concurrency
    assert told == [(STEP, done, 7) for done in range(8)]


async def test_a_failure_stops_new_requests_and_keeps_those_that_run(cache):
    reader = SlowChat({2: ModelError("El proveedor falla.")})
    running = asyncio.create_task(situate(children(1200), reader, cache, PROMPT, concurrency=3))
    await reader.arrived(3)
    for number in (2, 1, 3):
        reader.gates[number].set()
    with pytest.raises(ModelError) as raised:
        await asyncio.wait_for(running, PATIENCE)
    assert str(raised.value) == (
        "El proveedor falla. De las 1.200 frases de contexto, 2 están guardadas: repita la orden y se pedirán solo las "
        "que faltan (1.198)."
    )
    assert reader.asked == [1, 2, 3]

    again = SlowChat()
    again.gates[2].set()
    resumed = asyncio.wait_for(situate(children(3), again, cache, PROMPT, concurrency=3), PATIENCE)
    assert await resumed == {101: "Frase 1.", 102: "Frase 2.", 103: "Frase 3."}
    assert again.asked == [2]


@pytest.mark.parametrize("error", [ModelRateLimited("Despacio."), ConfigurationError("No acepta la clave.")])
async def test_the_error_keeps_its_type(cache, error):
    with pytest.raises(type(error), match=f"{error} De las 2 frases de contexto, 0 están guardadas"):
        await situate(children(2), QueueChat(error), cache, PROMPT, concurrency=1)


async def test_empty_refused_or_cut_replies_are_requested_again(cache):
    reader = CutChat("", "…", ContentFiltered("Filtro."), "Regula el per", "Regula el permiso.\nSobra.")
    assert await situate(children(5), reader, cache, PROMPT, concurrency=1) == {105: "Regula el permiso."}
    again = QueueChat("Uno.", "Dos.", "Tres.", "Cuatro.")
    assert await situate(children(5), again, cache, PROMPT, concurrency=1) == {
        101: "Uno.",
        102: "Dos.",
        103: "Tres.",
        104: "Cuatro.",
        105: "Regula el permiso.",
    }
    assert len(again.calls) == 4


async def test_children_of_the_same_request_are_asked_for_once(cache):
    (parent, child), *_ = children(1)
    reader = QueueChat("Regula el permiso.")
    twins = [(parent, child), ({**parent, "id": 8}, {**child, "id": 9})]
    assert await situate(twins, reader, cache, PROMPT, concurrency=2) == {
        101: "Regula el permiso.",
        9: "Regula el permiso.",
    }
    assert len(reader.calls) == 1


async def test_nothing_to_do_asks_nothing(cache):
    assert await situate([], QueueChat(AssertionError("asked")), cache, PROMPT, concurrency=2) == {}


async def test_over_http_a_run_that_fails_is_resumed(cache):
    settings = {"provider": "openai", "model": "gpt-5-nano", "api_key": "k-1"}
    time = FakeTime()
    patient = partial(Retrier, sleep=time.sleep, clock=time.clock)
    with running_server() as server:
        reader = chat_model("reader", ModelSettings(base_url=server.url, **settings), patient)
        server.script("gpt-5-nano", "Frase 1.", failure(503), Reply("Frase 2."), failure(429, "insufficient_quota"))
        with pytest.raises(ModelRateLimited, match=r"cuota .*agotada.*De las 5 frases de contexto, 2 están guardadas"):
            await situate(children(5), reader, cache, PROMPT, concurrency=1)
        sent = server.requests[0].body["messages"]
        assert [turn["role"] for turn in sent] == ["system", "user"]
        assert sent[0]["content"] == PROMPT.instructions
        assert sent[1]["content"].endswith("<pasaje>\nPasaje 1.\n</pasaje>")

        before = len(server.requests)
        server.answer("gpt-5-nano", lambda request: f"Frase {passage(request.body['messages'][1]['content'])}. Sobra.")
        found = await situate(children(5), reader, cache, PROMPT, concurrency=2)
        assert found == {100 + number: f"Frase {number}." for number in range(1, 6)}
        asked = [passage(request.body["messages"][1]["content"]) for request in server.requests[before:]]
        assert sorted(asked) == [3, 4, 5]
        await reader.close()


def test_the_offline_reader_cannot_write_sentences():
    with pytest.raises(ConfigurationError, match="ARTICULADO_READER_PROVIDER"):
        check_reader(ModelSettings(provider="offline"))
    with pytest.raises(ConfigurationError, match="ARTICULADO_READER_BASE_URL"):
        check_reader(ModelSettings(provider="compatible"))
    check_reader(ModelSettings(provider="compatible", base_url="http://127.0.0.1:8000/v1"))
