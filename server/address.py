"""Where the server listens."""

import errno
import ipaddress
import socket

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

PATHS = ("/v1", "/rag", "/required_data", "/generate_response")
HOST = "127.0.0.1"
PORT = 8000
MAX_PORT = 65_535
MAX_WORKERS = 64
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
        raise ConfigurationError(translate("server.no_port", port=port, maximum=MAX_PORT))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(_explained(error, host, port)) from error


def _explained(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return translate("server.port_taken", port=port, host=host)
    if error.errno == errno.EACCES:
        return translate("server.port_denied", port=port)
    return translate("server.not_listening", host=host, port=port, error=error)
