"""Command ``articulado mcp``: serve the MCP tools on stdin and stdout, or over HTTP."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.options import IndexFolder, ProfileOption, read_configuration, whole
from cli.render import console
from server.settings import HOST, MAX_PORT, PORT, is_loopback

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings

Http = Annotated[bool, typer.Option("--http", metavar="", help="Sirve por HTTP, no por la entrada y la salida.")]
Host = Annotated[
    str | None, typer.Option("--host", metavar="DIRECCIÓN", help=f"Con --http, dónde se escucha. Sin ella, {HOST}.")
]
Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PUERTO",
        parser=whole("--port", 1, MAX_PORT),
        help=f"Con --http, puerto en el que se escucha. Sin ella, {PORT}.",
    ),
]


def mcp(
    http: Http = False, host: Host = None, port: Port = None, index: IndexFolder = None, profile: ProfileOption = None
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
