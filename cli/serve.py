"""``articulado serve``: the HTTP endpoint."""

import logging
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import IndexFolder, Profile, read_configuration, whole
from server.address import HOST, MAX_PORT, PATHS, PORT

if TYPE_CHECKING:
    from graph.opened import OpenGraphs

Host = Annotated[str, typer.Option("--host", metavar="DIRECCIÓN", help="Dirección en la que se escucha.")]
Port = Annotated[
    int,
    typer.Option("--port", metavar="PUERTO", parser=whole("--port", 1, MAX_PORT), help="Puerto en el que se escucha."),
]
Playground = Annotated[
    bool,
    typer.Option("--playground", metavar="", help="Ofrece la página de pruebas de LangServe (solo en esta máquina)."),
]


class _Lines(logging.Handler):
    """Writes each message as a line of its own on the standard error of the moment, and nothing else."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message."""
        print(record.getMessage(), file=sys.stderr, flush=True)


def log_requests() -> None:
    """Write the lines of requests, each a JSON object."""
    requests = logging.getLogger("articulado.requests")
    requests.setLevel(logging.INFO)
    if not any(isinstance(handler, _Lines) for handler in requests.handlers):
        requests.addHandler(_Lines())


def serve(
    host: Host = HOST,
    port: Port = PORT,
    playground: Playground = False,
    index: IndexFolder = None,
    profile: Profile = None,
) -> None:
    """Sirve el agente por HTTP (LangServe) hasta que se interrumpe."""
    from cli.environment import misspelt_variables
    from cli.render import console
    from cli.session import announce_first_index
    from graph.compose import open_services
    from graph.opened import OpenGraphs
    from server.app import serve as run
    from server.guards import keys_file
    from server.settings import ServerSettings
    from services.portal import wait_for

    for problem in misspelt_variables():
        typer.echo(problem, err=True)
    settings, knowledge = read_configuration(index, profile)
    limits = ServerSettings.read()
    # No call to a model may begin that the request could not wait for.
    settings = settings.model_copy(update={"question_timeout": min(settings.question_timeout, limits.deadline)})

    def graphs() -> "OpenGraphs":
        address = f"[{host}]" if ":" in host else host
        console().print(
            f"Se abre el índice y se atiende en http://{address}:{port}: {', '.join(PATHS)} (Ctrl-C termina).",
            markup=False,
        )
        services = wait_for(open_services(settings, knowledge, announce=announce_first_index))
        return OpenGraphs(settings, knowledge, services)

    log_requests()
    run(graphs, host, port, settings=limits, keys=keys_file(limits, settings.home), playground=playground)
