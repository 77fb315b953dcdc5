"""Command ``articulado chat``: a conversation in which follow-up questions use the earlier answers."""

import asyncio
import contextlib
import sys
import uuid
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from rich.console import Console

from articulado.language.folding import fold
from articulado.language.languages import Language
from cli.ask.view import AnswerView, print_below
from cli.failures import report
from cli.options import (
    AsOf,
    Collections,
    IndexFolder,
    ProfileOption,
    Rerank,
    Territory,
    read_configuration,
    run_context,
)
from cli.render import console, notice, print_sources
from cli.session import announce_first_index, ask_graph

if TYPE_CHECKING:
    from graph.rag import Rag
    from state.context import RunContext


MARKS = " .,;:!¡…«»“”\"'"
"""What may stand around a word of leave."""

Result = dict[str, Any]


class Conversation:
    """A conversation over a graph that remembers its threads; ``wait`` runs a coroutine to its end.

    ``law``: the profile is of the law, and what is told is no legal advice.
    """

    def __init__(
        self,
        graph: "Rag",
        context: "RunContext",
        out: Console,
        language: Language,
        wait: Callable[[Coroutine[Any, Any, Result]], Result],
        *,
        law: bool,
    ) -> None:
        self._graph = graph
        self._context = context
        self._out = out
        self._language = language
        self._wait = wait
        self._law = law
        # Their Spanish names do in every language.
        self._commands = {
            "/fuentes": self._show_sources,
            "/nuevo": self._begin_anew,
            "/ayuda": self._show_help,
            language.translate("chat_sources"): self._show_sources,
            language.translate("chat_new"): self._begin_anew,
            language.translate("chat_help"): self._show_help,
        }
        self._begin()

    def hold(self, read: Callable[[], str]) -> None:
        """Answer what ``read`` gives, until a word of leave, the end of the input or Ctrl-C; an error ends nothing."""
        self._out.print(
            f"{notice(self._language, law=self._law)}\n{self._language.translate('chat_opening')}", style="dim"
        )
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while not self._is_leave(line := read().strip()):
                if line:
                    self._reply(line)
        self._out.print(f"\n{self._language.translate('chat_farewell')}")

    def _is_leave(self, line: str) -> bool:
        """Tell whether a line says good-bye and nothing else ("salir", "Salir.", "/salir", "adiós")."""
        return self._language.query_patterns.farewell.fullmatch(fold(line).strip(MARKS)) is not None

    def _begin(self) -> None:
        self._thread = uuid.uuid4().hex
        self._last: Result = {}

    def _reply(self, line: str) -> None:
        if not line.startswith("/"):
            self._answer(line)
        elif command := self._commands.get(line.lower()):
            command()
        else:
            self._out.print(self._language.translate("chat_no_command", command=line), markup=False)
            self._show_help()

    def _begin_anew(self) -> None:
        self._begin()
        self._out.print(self._language.translate("chat_begun"))

    def _show_sources(self) -> None:
        if self._last.get("citations"):
            print_sources(self._out, self._last["citations"], self._language)
        else:
            self._out.print(self._language.translate("chat_no_sources"))

    def _show_help(self) -> None:
        self._out.print(self._language.translate("chat_help_text"), markup=False)

    def _answer(self, question: str) -> None:
        events = ask_graph(self._graph, question, self._context, thread=self._thread)
        try:
            self._last = self._wait(AnswerView(self._out).show(events))
        except Exception as error:
            report(error)
            return
        print_below(self._out, self._last, self._language)


PROMPT = "\n› "


def chat(
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    territory: Territory = None,
    collections: Collections = None,
    rerank: Rerank = None,
) -> None:
    """Hold a conversation on the terminal."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  editing and history at the prompt

    from langgraph.checkpoint.memory import InMemorySaver

    from graph.compose import open_services
    from graph.rag import build_rag

    settings, knowledge = read_configuration(index, profile)
    context = run_context(knowledge, as_of, territory, collections, rerank)
    out = console()
    # One loop for the whole conversation keeps connections alive from one question to the next.
    with asyncio.Runner() as runner:
        services = runner.run(open_services(settings, knowledge, announce=announce_first_index))
        try:
            conversation = Conversation(
                build_rag(services, InMemorySaver()),
                context,
                out,
                services.language,
                runner.run,
                law=services.profile.features.spanish_law,
            )
            conversation.hold(lambda: input(PROMPT if sys.stdin.isatty() else ""))
        finally:
            runner.run(services.close())
