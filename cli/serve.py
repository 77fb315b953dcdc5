"""``articulado serve``: the HTTP endpoint."""

from typing import Annotated

import typer

from cli.options import IndexFolder, read_settings, whole

Host = Annotated[str, typer.Option("--host", metavar="DIRECCIÓN", help="Dirección en la que se escucha.")]
Port = Annotated[
    int,
    typer.Option("--port", metavar="PUERTO", parser=whole("--port", 1, 65_535), help="Puerto en el que se escucha."),
]
Playground = Annotated[
    bool,
    typer.Option("--playground", metavar="", help="Ofrece la página de pruebas de LangServe (solo en esta máquina)."),
]


def serve(
    host: Host = "127.0.0.1", port: Port = 8000, playground: Playground = False, index: IndexFolder = None
) -> None:
    """Sirve el agente por HTTP (LangServe) hasta que se interrumpe."""
    from cli.render import console
    from server.serve import serve as listen

    address = f"[{host}]" if ":" in host else host
    console().print(f"Se abre el índice y se atiende en http://{address}:{port}/rag (Ctrl-C termina).", markup=False)
    if index is None:
        # The server opens the configured index itself, once it has the port.
        listen(host, port, playground=playground)
        return
    from graph.compose import open_rag

    listen(host, port, playground=playground, graph=open_rag(read_settings(index)))
