"""Commands ``articulado serve`` and ``articulado mcp``: serve the agent over HTTP, or its tools by MCP."""

import asyncio
import io
from collections.abc import Iterable
from datetime import date
from socket import gethostname
from typing import TYPE_CHECKING, Annotated

import typer

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import IndexFolder, ProfileOption, read_configuration, whole
from cli.render import console
from cli.session import announce_first_index
from server.access import LOOPBACK, KeyRing
from server.settings import HOST, MAX_PORT, MAX_WORKERS, PATHS, PORT, is_loopback, lan_address

if TYPE_CHECKING:
    from socket import socket

    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
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


Lan = Annotated[
    bool,
    typer.Option(
        "--lan",
        metavar="",
        help="Atiende también a la red local, con clave, y muestra la dirección y un código QR para el teléfono.",
    ),
]


def serve(
    host: Host = HOST,
    port: Port = PORT,
    workers: Workers = 1,
    playground: Playground = False,
    lan: Lan = False,
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
    keys = keys_file(limits, settings.home)
    if lan:
        if host != HOST or playground:
            raise InvalidInput(translate("server.lan_alone"))
        address = lan_address()
        host, limits = EVERYWHERE, limits.model_copy(update={"hosts": lan_hosts(address, limits.hosts)})
        show_on_phone(address, port, KeyRing(keys))

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
    run(graphs, host, port, settings=limits, keys=keys, playground=playground, workers=several if workers > 1 else None)


EVERYWHERE = "0.0.0.0"
LAN_KEY = "lan"


def lan_hosts(address: str, hosts: Iterable[str]) -> tuple[str, ...]:
    name = gethostname().lower()
    return tuple(dict.fromkeys((*hosts, *sorted(LOOPBACK), address, name, f"{name}.local")))


def show_on_phone(address: str, port: int, ring: KeyRing) -> None:
    """Print the page's address in the local network, with a new key behind "#" if there is none, and a QR code."""
    import segno

    out, page = console(), f"http://{address}:{port}/"
    key = "" if ring.keys else ring.add(LAN_KEY, date.today())
    out.print(f"En la red local, la página está en {page}", markup=False)
    if key:
        out.print(
            f"Clave nueva, «{LAN_KEY}»: {key}\n"
            "Guárdela: no se vuelve a mostrar, y desde ahora también esta máquina la necesita. El código la lleva: "
            f"quien lo escanee podrá preguntar. Para retirarla: articulado keys revoke {LAN_KEY}",
            markup=False,
        )
    else:
        out.print("La página pide una de sus claves; otra se crea con «articulado keys add NOMBRE».", markup=False)
    code = io.StringIO()
    segno.make(f"{page}#key={key}" if key else page, error="l", micro=False).terminal(code, compact=True)
    out.print(code.getvalue(), markup=False)
    out.print(
        "La conexión no va cifrada: quien esté en la misma red puede leer preguntas, respuestas y clave. Úselo solo en "
        "una red de confianza; para lo demás, un proxy con HTTPS (docs/serve.md).",
        markup=False,
    )


Http = Annotated[bool, typer.Option("--http", metavar="", help="Sirve por HTTP, no por la entrada y la salida.")]
HttpHost = Annotated[
    str | None, typer.Option("--host", metavar="DIRECCIÓN", help=f"Con --http, dónde se escucha. Sin ella, {HOST}.")
]
HttpPort = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PUERTO",
        parser=whole("--port", 1, MAX_PORT),
        help=f"Con --http, puerto en el que se escucha. Sin ella, {PORT}.",
    ),
]


def mcp(
    http: Http = False,
    host: HttpHost = None,
    port: HttpPort = None,
    index: IndexFolder = None,
    profile: ProfileOption = None,
) -> None:
    """Serve the MCP tools on stdin and stdout, or over HTTP."""
    from articulado.config.extras import require
    from cli.session import misspelt_variables
    from graph.open_graphs import OpenGraphs

    require("mcp")
    for problem in misspelt_variables():
        typer.echo(problem, err=True)
    settings, knowledge = read_configuration(index, profile)
    if http:
        _serve_http(settings, knowledge, host or HOST, port or PORT)
        return
    if host is not None or port is not None:
        raise InvalidInput(translate("mcp.address_without_http"))
    from server.mcp.app import serve_stdio

    asyncio.run(serve_stdio(OpenGraphs(settings, knowledge)))


def _serve_http(settings: "Settings", knowledge: "KnowledgeProfile", host: str, port: int) -> None:
    from graph.open_graphs import OpenGraphs
    from server.guards import keys_file, run, taken
    from server.mcp.app import PATH, mcp_app
    from server.operations.requests import log_to_stderr
    from server.settings import ServerSettings

    limits = ServerSettings.read()
    # No call to a model may begin that the request could not wait for.
    settings = settings.model_copy(update={"question_timeout": min(settings.question_timeout, limits.deadline)})

    keys = keys_file(limits, settings.home)
    with taken(host, port, keys) as listening:
        address = f"[{host}]" if ":" in host else host
        console().print(f"Se atiende en http://{address}:{port}{PATH} (Ctrl-C termina).", markup=False)
        log_to_stderr()
        run(mcp_app(OpenGraphs(settings, knowledge), limits, public=not is_loopback(host)), listening)
