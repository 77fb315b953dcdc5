"""Run of the ingestion graph, with a progress bar and a request for consent to costs."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from articulado.language.translation import translate
from articulado.values.errors import CostNotAllowed
from cli.render import clean, console

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.types import Command
    from rich.progress import TaskID

    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from articulado.values.documents import IngestRequest
    from graph.ingest import Ingest
    from state.ingest import IngestReport

REPEAT_HINT = " Para seguir, repita la orden con --yes."
"""How the graph ends the message on its cost; no news to whoever can answer at once."""

ReportProgress = Callable[[str, int, int], None]


def run_ingest(settings: "Settings", profile: "Profile", request: "IngestRequest") -> "IngestReport":
    """Run the graph to its end and return its report.

    Where a model costs something and the request does not allow it, a person at the terminal is asked.

    Raises:
        CostNotAllowed: nothing was done.
        ArticuladoError: it cannot be done; an index that is there is still served.
    """
    from langgraph.types import Command

    from graph.factory import build_ingest_services
    from graph.ingest import build_ingest

    saver = None
    if settings.chunk_context == "reader":
        from langgraph.checkpoint.memory import InMemorySaver

        saver = InMemorySaver()
    # One loop for the whole run, so that what it has opened can be closed; at the question no loop runs: Ctrl-C works.
    with asyncio.Runner() as runner:
        services = build_ingest_services(settings, profile)
        try:
            graph = build_ingest(services, saver)
            outcome = runner.run(_until_it_stops(graph, request))
            while isinstance(outcome, str):  # again where another ingest has come between
                _have_allowed(outcome)
                outcome = runner.run(_until_it_stops(graph, Command(resume=True)))
            return outcome
        finally:
            runner.run(services.close())


async def _until_it_stops(graph: "Ingest", graph_input: "IngestRequest | Command[Any]") -> "IngestReport | str":
    """Return the report, or the message with which the graph stops."""
    config: RunnableConfig = {"configurable": {"thread_id": "ingest"}}
    outcome: IngestReport | str = ""
    with progress_bar() as progress:
        parts = graph.astream(graph_input, config, stream_mode=["custom", "updates"])
        async for mode, part in cast("AsyncIterator[tuple[str, Any]]", parts):
            if mode == "custom":
                progress(part["step"], part["done"], part["total"])
            elif "__interrupt__" in part:
                outcome = part["__interrupt__"][0].value["message"]
            elif "summarize" in part:
                outcome = part["summarize"]["report"]
    return outcome


def _have_allowed(message: str) -> None:
    """Ask whoever is at the terminal whether to go on; nobody there is a no.

    Raises:
        CostNotAllowed: the reply is no.
    """
    errors = console(stderr=True)
    if not (sys.stdin.isatty() and errors.is_terminal):
        raise CostNotAllowed(message + REPEAT_HINT)
    errors.print(clean(message), markup=False)
    answer = ""
    while answer not in ("s", "sí", "si", "n", "no"):
        errors.print("¿Seguir? (s/n) ", end="")
        line = sys.stdin.readline()
        answer = line.strip().lower() if line else "n"
    if not answer.startswith("s"):
        raise CostNotAllowed(translate("command.cost_refused"))


@contextmanager
def progress_bar() -> Iterator[ReportProgress]:
    """Yield what shows each step on a bar on stderr, where that is a terminal."""
    errors = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        yield progress_on(bar)


def progress_on(bar: Progress) -> ReportProgress:
    """Return what shows each step on a bar; ``count`` ("3/66") is empty for a step that cannot count."""
    tasks: dict[str, TaskID] = {}

    def progress(step: str, done: int, total: int) -> None:
        if step not in tasks:
            for task in bar.tasks:
                if task.total is None:  # it is over when the next step begins
                    bar.update(task.id, completed=1, total=1)
            tasks[step] = bar.add_task(step, total=total or None, count="")
        bar.update(tasks[step], completed=done, count=f"{done}/{total}" if total else "")

    return progress
