"""``articulado serve``: the HTTP endpoint."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import IndexFolder, Profile, read_configuration, whole
from server.address import HOST, MAX_PORT, PATHS, PORT

if TYPE_CHECKING:
    from services.container import Services

Host = Annotated[str, typer.Option("--host", metavar="DIRECCIÓN", help="Dirección en la que se escucha.")]
Port = Annotated[
    int,
    typer.Option("--port", metavar="PUERTO", parser=whole("--port", 1, MAX_PORT), help="Puerto en el que se escucha."),
]
Playground = Annotated[
    bool,
    typer.Option("--playground", metavar="", help="Ofrece la página de pruebas de LangServe (solo en esta máquina)."),
]


def serve(
    host: Host = HOST,
    port: Port = PORT,
    playground: Playground = False,
    index: IndexFolder = None,
    profile: Profile = None,
) -> None:
    """Sirve el agente por HTTP (LangServe) hasta que se interrumpe."""
    from cli.render import console
    from cli.session import announce_first_index
    from graph.compose import open_services
    from server.app import serve as run
    from services.portal import wait_for

    settings, knowledge = read_configuration(index, profile)

    def services() -> "Services":
        address = f"[{host}]" if ":" in host else host
        console().print(
            f"Se abre el índice y se atiende en http://{address}:{port}: {', '.join(PATHS)} (Ctrl-C termina).",
            markup=False,
        )
        return wait_for(open_services(settings, knowledge, announce=announce_first_index))

    run(services, host, port, playground=playground)
