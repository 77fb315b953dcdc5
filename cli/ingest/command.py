"""Command ``articulado ingest``: build and update an index from files, folders or laws of the official gazette."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from copy import copy
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from articulado.language.translation import translate
from articulado.values.errors import CostNotAllowed, InvalidInput
from cli.failures import FAILED, Command, Commands, complain, failure_beside
from cli.ingest.view import describe_failure, print_report, shortfalls
from cli.options import IndexFolder, Json, ProfileOption, a_date, read_configuration, whole
from cli.render import clean, console, print_json

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.types import Command as Resumption
    from rich.progress import TaskID

    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from articulado.values.documents import IngestRequest, Listing
    from graph.ingest import Ingest
    from state.ingest import IngestReport


REPEAT_HINT = " Para seguir, repita la orden con --yes."  # left out for a person who can answer at once

ReportProgress = Callable[[str, int, int], None]


def run_ingest(settings: "Settings", profile: "Profile", request: "IngestRequest") -> "IngestReport":
    """Run the ingestion graph and return its report; ask at the terminal for consent to costs."""
    from langgraph.types import Command as Resumption

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
                outcome = runner.run(_until_it_stops(graph, Resumption(resume=True)))
            return outcome
        finally:
            runner.run(services.close())


async def _until_it_stops(graph: "Ingest", graph_input: "IngestRequest | Resumption[Any]") -> "IngestReport | str":
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
    """Ask at the terminal for consent; raise ``CostNotAllowed`` without it, or without a terminal."""
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
    """Yield a callback that shows each step on a bar on stderr, if that is a terminal."""
    errors = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        yield progress_on(bar)


def progress_on(bar: Progress) -> ReportProgress:
    """Return a callback that shows each step on a bar; ``count`` ("3/66") is empty for a step that cannot count."""
    tasks: dict[str, TaskID] = {}

    def progress(step: str, done: int, total: int) -> None:
        if step not in tasks:
            for task in bar.tasks:
                if task.total is None:  # it is over when the next step begins
                    bar.update(task.id, completed=1, total=1)
            tasks[step] = bar.add_task(step, total=total or None, count="")
        bar.update(tasks[step], completed=done, count=f"{done}/{total}" if total else "")

    return progress


PATHS = "rutas"
MAX_LAWS = 20_000


class IngestCommands(Commands):
    """Group that passes arguments that name no command to the hidden command, and shows its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the command first: the hidden one before paths."""
        position = self._first_word(args)
        if position is not None and args[position] in self._visible():
            args = [args[position], *args[:position], *args[position + 1 :]]
        else:
            args = ["--help"] if set(args) & set(ctx.help_option_names) else [PATHS, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return None if command.hidden else name, command, rest

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write a usage line for each form."""
        forms = [(ctx.command_path, self.commands[PATHS].collect_usage_pieces(ctx))]
        forms += [
            (f"{ctx.command_path} {name}", self.commands[name].collect_usage_pieces(ctx)) for name in self._visible()
        ]
        for number, (path, pieces) in enumerate(forms):
            formatter.write_usage(path, " ".join(pieces), prefix="     " if number else "Uso: ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        shown = copy(self)
        shown.params = self.commands[PATHS].params
        super(IngestCommands, shown).format_help(ctx, formatter)

    def _first_word(self, args: list[str]) -> int | None:
        params = [param for command in self.commands.values() for param in command.params]
        valued = {name for param in params if not getattr(param, "is_flag", False) for name in param.opts}
        is_value = False
        for position, argument in enumerate(args):
            if argument == "--":
                return None
            if not is_value and not argument.startswith("-"):
                return position
            is_value = not is_value and argument in valued
        return None

    def _visible(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]


app = typer.Typer(
    cls=IngestCommands,
    epilog="Una carpeta que se llame boe o remove se escribe ./boe o ./remove.",
)

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="RUTA",
        help="Ficheros y carpetas. Lo que desaparece de una carpeta ya indexada sale del índice cuando se repite. Sin "
        "rutas, el índice se pone al día con los artículos del perfil.",
    ),
]
Laws = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NORMA", help="Identificadores del BOE, como BOE-A-2015-11430. Sin nada, se actualizan las que hay."
    ),
]
Documents = Annotated[
    list[str],
    typer.Argument(metavar="DOCUMENTO", help="Identificador del BOE, nombre de la norma (ET) o fichero."),
]
Rebuild = Annotated[
    bool, typer.Option("--rebuild", metavar="", help="Rehace todo el índice; sin rutas, con sus mismos documentos.")
]
Yes = Annotated[
    bool, typer.Option("--yes", metavar="", help="Acepta sin preguntar lo que cueste el modelo lector, si se usa.")
]
WithPackaged = Annotated[
    bool, typer.Option("--with-packaged", metavar="", help="Vuelve a incluir lo que excluye --without-packaged.")
]
WithoutPackaged = Annotated[
    bool,
    typer.Option(
        "--without-packaged",
        metavar="",
        help="Excluye, ahora y en adelante, lo que trae articulado: los resúmenes de las normas cuyo texto no se ha "
        "ingerido, las sentencias y los criterios.",
    ),
]
Materia = Annotated[
    str | None,
    typer.Option("--materia", metavar="CÓDIGO", help="Normas de esta materia del BOE, por ejemplo 6909."),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query", metavar="CONSULTA", help='Palabras del título, o condiciones como "rango@codigo:1340 and titulo:x".'
    ),
]
Since = Annotated[
    date | None,
    typer.Option("--since", metavar="FECHA", parser=a_date, help="Actualizadas desde ese día (AAAA-MM-DD)."),
]
Until = Annotated[
    date | None,
    typer.Option("--until", metavar="FECHA", parser=a_date, help="Actualizadas hasta ese día (AAAA-MM-DD)."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", parser=whole("--limit", 1, MAX_LAWS), help="Normas como máximo, las últimas publicadas."
    ),
]
AcceptShrunk = Annotated[
    bool,
    typer.Option(
        "--accept-shrunk",
        metavar="",
        help="Toma también los textos que el BOE da con más de un décimo menos de preceptos o redacciones.",
    ),
]


@app.command(PATHS, cls=Command, hidden=True)
def ingest_paths(
    paths: Paths = None,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    with_packaged: WithPackaged = False,
    without_packaged: WithoutPackaged = False,
    rebuild: Rebuild = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Indexa ficheros y carpetas."""
    request: IngestRequest = {"paths": [str(path) for path in paths or []], "rebuild": rebuild, "confirmed": yes}
    _ingest({**request, "packaged": _packaged(with_packaged, without_packaged)}, index, profile, as_json)


@app.command("boe", cls=Command)
def ingest_boe(
    laws: Laws = None,
    materia: Materia = None,
    query: Query = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = None,
    accept_shrunk: AcceptShrunk = False,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    with_packaged: WithPackaged = False,
    without_packaged: WithoutPackaged = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Descarga normas consolidadas del BOE y las indexa."""
    days = {"since": since.isoformat() if since else "", "until": until.isoformat() if until else ""}
    criteria = {"materia": materia, "query": query, **days, "limit": limit}
    listing: Listing = {name: value for name, value in criteria.items() if value}  # type: ignore[assignment]
    request: IngestRequest = {"boe": laws or [], "listing": listing, "accept_shrunk": accept_shrunk, "confirmed": yes}
    request["packaged"] = _packaged(with_packaged, without_packaged)
    _ingest({**request, "refresh": not (laws or listing)}, index, profile, as_json)


@app.command("remove", cls=Command)
def ingest_remove(
    documents: Documents,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Quita documentos del índice."""
    _ingest({"remove": documents, "confirmed": yes}, index, profile, as_json)


def _packaged(included: bool, excluded: bool) -> bool | None:
    if included and excluded:
        raise InvalidInput(translate("command.packaged_both"))
    return included if included or excluded else None


def _ingest(request: "IngestRequest", index: Path | None, profile: str | None, as_json: bool) -> None:
    settings, knowledge = read_configuration(index, profile)
    report = run_ingest(settings, knowledge, request)
    for failure in report["failures"]:
        complain(describe_failure(failure))
    if as_json:
        print_json({**failure_beside("Incomplete", shortfalls(report)), **report})
    else:
        print_report(console(), report, knowledge)
        if index is not None or profile is not None:
            options = [f"--index {index}"] * (index is not None) + [f"--profile {profile}"] * (profile is not None)
            console().print(f'Para preguntar: articulado ask {" ".join(options)} "…"', markup=False)
    if shortfalls(report):
        raise typer.Exit(FAILED)
