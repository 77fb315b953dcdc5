"""The answering graph with all of its models on a scripted server."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from support.doubles import FakeStore, make_chunk, make_services
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Recorded

from articulado.config.settings import ModelSettings
from articulado.models.openai import chat_model, embedder
from articulado.models.retry import Retrier
from graph.rag import build_rag
from graph.services import Services

KEY = "sk-canario-4f1d"
SEARCH = "vacaciones anuales"
QUESTION = "¿Cuántos días de vacaciones tengo?"
META = "\n===META===\nUSED|1\nDROP|ninguno"
ANSWER = f"Son 30 días [C1].{META}"
DIMENSIONS = 2

VACATION = make_chunk(38, "Artículo 38", title="Vacaciones anuales", summary="Un mes de vacaciones al año.")
RULING = make_chunk(90, "Sentencia 90", collection="sentencias", title="Vacaciones y baja")


class Wired:
    """A graph over a store; ``time`` has the pauses before retries, which take no time."""

    def __init__(self, server: OpenAIServer, store: FakeStore | None = None, **fields: Any) -> None:
        self.server = server
        self.time = FakeTime()
        self.store = store or FakeStore([VACATION, RULING], {key: [(38, 1.0), (90, 0.9)] for key in (SEARCH, QUESTION)})
        retrier = partial(Retrier, sleep=self.time.sleep)
        self.models: dict[str, Any] = {
            "reader": chat_model("reader", self._settings("reader"), retrier),
            "principal": chat_model("principal", self._settings("principal"), retrier),
            "embedder": embedder(self._settings("embedder", dimensions=DIMENSIONS), retrier=retrier),
        }
        self.services: Services = make_services(**{"store": self.store, **self.models, **fields})
        self.graph = build_rag(self.services)
        server.native_dimensions["embedder"] = DIMENSIONS
        server.answer("reader", lambda request: f'["{SEARCH}"]')
        server.answer("principal", lambda request: ANSWER)

    def _settings(self, role: str, **options: Any) -> ModelSettings:
        # The model is called as its role: replies are scripted by it.
        settings = {"provider": "compatible", "model": role, "base_url": self.server.url, "api_key": KEY}
        return ModelSettings(**settings, **options)

    async def close(self) -> None:
        for model in self.models.values():
            await model.close()

    async def events(self, question: str = QUESTION, **fields: Any) -> list[Any]:
        return [event async for event in self.graph.astream({"question": question, **fields}, stream_mode="custom")]

    async def until_it_fails(self, question: str = QUESTION) -> tuple[list[Any], BaseException | None]:
        """Return the events of a run, and what it raises."""
        events: list[Any] = []
        try:
            async for event in self.graph.astream({"question": question}, stream_mode="custom"):
                events.append(event)
        except Exception as error:
            return events, error
        return events, None

    async def ask(self, question: str = QUESTION, **fields: Any) -> dict[str, Any]:
        return (await self.events(question, **fields))[-1]["result"]

    def prompts(self, model: str) -> Iterator[Recorded]:
        return (request for request in self.server.requests if request.model == model)


@asynccontextmanager
async def wired(server: OpenAIServer, store: FakeStore | None = None, **fields: Any) -> AsyncIterator[Wired]:
    made = Wired(server, store, **fields)
    try:
        yield made
    finally:
        await made.close()


@contextmanager
def collected(into: list[BaseException]) -> Iterator[None]:
    """Keep what a block raises, so that a test can look at it."""
    try:
        yield
    except Exception as error:
        into.append(error)


def shown(events: list[Any]) -> list[str]:
    """Return the texts that were shown, each until it was superseded."""
    texts = [""]
    for event in events:
        if event["type"] == "retry":
            texts.append("")
        elif event["type"] == "token":
            texts[-1] += event["text"]
    return texts
