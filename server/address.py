"""Where the server listens."""

import errno
import ipaddress
import socket

from state.errors import ConfigurationError

RAG, REQUIRED_DATA, GENERATE_RESPONSE = PATHS = ("/rag", "/required_data", "/generate_response")
HOST = "127.0.0.1"
PORT = 8000
MAX_PORT = 65_535
BACKLOG = 2048


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
