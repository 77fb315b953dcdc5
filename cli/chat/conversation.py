"""A conversation at the keyboard: questions, and commands that begin with a slash."""

import contextlib
import uuid
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cli.ask.checks import print_below
from cli.ask.view import AnswerView
from cli.failures import report
from cli.render import notice, print_sources
from cli.session import ask_graph
from language.languages import Language

if TYPE_CHECKING:
    from graph.rag import Rag
    from state.context import RunContext

HELP = """Escriba una pregunta, o una de estas órdenes:
  /fuentes   las fuentes de la última respuesta
  /nuevo     empieza otra conversación
  /ayuda     esta ayuda
  /salir     termina (también Ctrl-D y Ctrl-C)"""

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
        self._begin()

    def hold(self, read: Callable[[], str]) -> None:
        """Answer what ``read`` gives, until ``/salir``, the end of the input or Ctrl-C; an error ends nothing."""
        self._out.print(f"{notice(self._language, law=self._law)}\nEscriba su pregunta, o /ayuda.", style="dim")
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while (line := read().strip()) != "/salir":
                if line:
                    self._reply(line)
        self._out.print("\nHasta luego.")

    def _begin(self) -> None:
        self._thread = uuid.uuid4().hex
        self._last: Result = {}

    def _reply(self, line: str) -> None:
        match line:
            case "/ayuda":
                self._out.print(HELP, markup=False)
            case "/nuevo":
                self._begin()
                self._out.print("Conversación nueva.")
            case "/fuentes" if self._last.get("citations"):
                print_sources(self._out, self._last["citations"], self._language)
            case "/fuentes":
                self._out.print("La última respuesta no tiene fuentes.")
            case _ if line.startswith("/"):
                self._out.print(f"No existe la orden {line}.\n{HELP}", markup=False)
            case _:
                self._answer(line)

    def _answer(self, question: str) -> None:
        events = ask_graph(self._graph, question, self._context, thread=self._thread)
        try:
            self._last = self._wait(AnswerView(self._out).show(events))
        except Exception as error:
            report(error)
            return
        print_below(self._out, self._last, self._language)
