"""Run the server."""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import uvicorn

from server.address import HOST, PORT, is_loopback, listen
from server.app import app_over
from state.errors import ConfigurationError

if TYPE_CHECKING:
    from services.container import Services

SHUTDOWN_SECONDS = 5


def serve(
    open_services: "Callable[[], Services]", host: str = HOST, port: int = PORT, *, playground: bool = False
) -> None:
    """Serve until interrupted; the port is taken before the services are opened.

    Raises:
        ConfigurationError: the address cannot be used, or the playground is asked for on a public one.
        ArticuladoError: the services cannot be opened.
    """
    if playground and not is_loopback(host):
        raise ConfigurationError(
            f"El playground muestra todos los pasos intermedios y solo se ofrece en esta máquina, no en {host}. "
            f"Quite --playground o use --host {HOST}."
        )
    with closing(listen(host, port)) as listening:
        app = app_over(open_services(), playground=playground)
        config = uvicorn.Config(app, ws="none", timeout_graceful_shutdown=SHUTDOWN_SECONDS)
        uvicorn.Server(config).run(sockets=[listening])
