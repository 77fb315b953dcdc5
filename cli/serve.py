"""Command ``articulado serve``: serve the agent over HTTP."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import IndexFolder, ProfileOption, read_configuration, whole
from cli.render import console
from cli.session import announce_first_index
from server.settings import HOST, MAX_PORT, MAX_WORKERS, PATHS, PORT

if TYPE_CHECKING:
    from socket import socket

    from graph.open_graphs import OpenGraphs

Host = Annotated[str, typer.Option("--host", metavar="DIRECCIÓN", help="Dirección en la que se escucha.")]
Port = Annotated[
    int,
    typer.Option("--port", metavar="PUERTO", parser=whole("--port", 1, MAX_PORT), help="Puerto en el que se escucha."),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="PROCESOS",
        parser=whole("--workers", 1, MAX_WORKERS),
        help="Procesos que atienden el mismo puerto; uno por núcleo es lo habitual.",
    ),
]
Playground = Annotated[
    bool,
    typer.Option("--playground", metavar="", help="Ofrece la página de pruebas de LangServe (solo en esta máquina)."),
]


def serve(
    host: Host = HOST,
    port: Port = PORT,
    workers: Workers = 1,
    playground: Playground = False,
    index: IndexFolder = None,
    profile: ProfileOption = None,
) -> None:
    """Serve the agent over HTTP until it is interrupted."""
    from articulado.store.generations import Generations
    from cli.session import misspelt_variables
    from graph.compose import open_services
    from graph.open_graphs import OpenGraphs
    from nodes.stage import wait_for
    from server.app import serve as run
    from server.guards import keys_file
    from server.operations.requests import log_to_stderr
    from server.settings import ServerSettings

    for problem in misspelt_variables():
        typer.echo(problem, err=True)
    settings, knowledge = read_configuration(index, profile)
    limits = ServerSettings.read()
    # No call to a model may begin that the request could not wait for.
    settings = settings.model_copy(update={"question_timeout": min(settings.question_timeout, limits.deadline)})

    def announce() -> None:
        address = f"[{host}]" if ":" in host else host
        console().print(
            f"Se abre el índice y se atiende en http://{address}:{port}: la página de preguntas, y para programas "
            f"{', '.join(PATHS)} (Ctrl-C termina).",
            markup=False,
        )

    def graphs() -> "OpenGraphs":
        announce()
        services = wait_for(open_services(settings, knowledge, announce=announce_first_index))
        return OpenGraphs(settings, knowledge, services)

    def several(listening: "socket", public: bool) -> None:
        from server.workers import WorkerPlan, serve_with_workers

        announce()
        if settings.rag_enabled and Generations(settings.index_folder).current() is None:
            # Built once, and not by each of them.
            first = wait_for(open_services(settings, knowledge, announce=announce_first_index))
            wait_for(first.close())
        serve_with_workers(workers, WorkerPlan(settings, limits, public), listening)

    log_to_stderr()
    keys = keys_file(limits, settings.home)
    run(graphs, host, port, settings=limits, keys=keys, playground=playground, workers=several if workers > 1 else None)
