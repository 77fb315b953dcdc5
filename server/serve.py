"""Run the server."""

import errno
import ipaddress
import socket
from contextlib import closing
from typing import TYPE_CHECKING

import uvicorn

from server.app import create_app
from services.errors import ConfigurationError

if TYPE_CHECKING:
    from graph.rag import Rag

HOST = "127.0.0.1"
PORT = 8000
MAX_PORT = 65_535
SHUTDOWN_SECONDS = 5
BACKLOG = 2048


def serve(host: str = HOST, port: int = PORT, *, playground: bool = False, graph: "Rag | None" = None) -> None:
    """Serve until interrupted; the port is taken before the default graph is opened.

    Raises:
        ConfigurationError: the address cannot be used, or the playground is asked for on a public one.
        ArticuladoError: the default graph cannot be built from the settings.
    """
    if playground and not is_loopback(host):
        raise ConfigurationError(
            f"El playground muestra todos los pasos intermedios y solo se ofrece en esta máquina, no en {host}. "
            f"Quite --playground o use --host {HOST}."
        )
    with closing(listen(host, port)) as listening:
        app = create_app(graph, playground=playground)
        config = uvicorn.Config(app, ws="none", timeout_graceful_shutdown=SHUTDOWN_SECONDS)
        uvicorn.Server(config).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Take the port.

    Raises:
        ConfigurationError: it is taken, not allowed, or the host is not of this machine.
    """
    if not 0 <= port <= MAX_PORT:
        raise ConfigurationError(f"El puerto {port} no existe. Elija con --port uno de 1 a {MAX_PORT}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(_explained(error, host, port)) from error


def _explained(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"El puerto {port} de {host} ya está en uso. Cierre el programa que lo ocupa o elija otro con --port."
    if error.errno == errno.EACCES:
        return f"No hay permiso para usar el puerto {port}. Elija uno por encima de 1023 con --port."
    return f"No se puede escuchar en {host}, puerto {port}: {error}. Corrija --host o --port."
