"""Command ``articulado keys``: add, list and revoke the API keys of the server."""

from datetime import date
from typing import Annotated

import typer

from cli.names import Command, Commands
from cli.options import Json
from cli.render import print_json
from server.access import KeyRing

app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    epilog="Sin ninguna clave, «articulado serve» solo atiende a su propia máquina.",
)
Name = Annotated[str, typer.Argument(metavar="NOMBRE", help="Nombre de la clave: quién o qué la usa.")]


@app.callback()
def root(context: typer.Context) -> None:
    """Show the help where no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("add", cls=Command)
def add(name: Name) -> None:
    """Crea una clave y la muestra: es la única vez que se puede leer."""
    text = _ring().add(name, date.today())
    typer.echo(text)
    typer.echo("Guárdela: del servidor no se puede recuperar. Se envía como «Authorization: Bearer CLAVE».", err=True)


@app.command("list", cls=Command)
def list_keys(as_json: Json = False) -> None:
    """Enumera las claves por su nombre, con el día en que se crearon."""
    keys = [{"name": key.name, "created": key.created} for key in _ring().keys]
    if as_json:
        print_json(keys)
    elif not keys:
        typer.echo("No hay ninguna clave: el servidor solo atiende a su propia máquina.")
    else:
        for key in keys:
            typer.echo(f"{key['created']}  {key['name']}")


@app.command("revoke", cls=Command)
def revoke(name: Name) -> None:
    """Retira una clave; el servidor deja de aceptarla en el acto."""
    _ring().revoke(name)
    typer.echo(f"Retirada: {name}")


def _ring() -> KeyRing:
    from cli.options import read_settings
    from server.guards import keys_file
    from server.settings import ServerSettings

    return KeyRing(keys_file(ServerSettings.read(), read_settings(None).home))
