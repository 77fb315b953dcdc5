"""Commands ``articulado keys`` and ``articulado conversations``: administer the server's keys and conversations."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from cli.failures import Command, Commands
from cli.options import Json, whole
from cli.render import print_json
from server.access import KeyRing

if TYPE_CHECKING:
    from server.conversations.store import Conversations

MAX_DAYS = 36_500

keys = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    epilog="Sin ninguna clave, «articulado serve» solo atiende a su propia máquina.",
)
conversations = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    epilog="Dónde se guardan lo dice ARTICULADO_SERVER_CONVERSATIONS.",
)
KeyName = Annotated[str, typer.Argument(metavar="NOMBRE", help="Nombre de la clave: quién o qué la usa.")]
Name = Annotated[str, typer.Argument(metavar="CONVERSACIÓN", help="Su nombre, como lo da «list»: CLAVE/HILO.")]
Days = Annotated[
    int,
    typer.Option(
        "--days", metavar="DÍAS", parser=whole("--days", 0, MAX_DAYS), help="Días desde la última pregunta.",
    ),
]  # fmt: skip


@keys.callback()
@conversations.callback()
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@keys.command("add", cls=Command)
def add(name: KeyName) -> None:
    """Crea una clave y la muestra: es la única vez que se puede leer."""
    text = _ring().add(name, date.today())
    typer.echo(text)
    typer.echo("Guárdela: del servidor no se puede recuperar. Se envía como «Authorization: Bearer CLAVE».", err=True)


@keys.command("list", cls=Command)
def list_keys(as_json: Json = False) -> None:
    """Enumera las claves por su nombre, con el día en que se crearon."""
    listed = [{"name": key.name, "created": key.created} for key in _ring().keys]
    if as_json:
        print_json(listed)
    elif not listed:
        typer.echo("No hay ninguna clave: el servidor solo atiende a su propia máquina.")
    else:
        for key in listed:
            typer.echo(f"{key['created']}  {key['name']}")


@keys.command("revoke", cls=Command)
def revoke(name: KeyName) -> None:
    """Retira una clave; el servidor deja de aceptarla en el acto."""
    _ring().revoke(name)
    typer.echo(f"Retirada: {name}")


@conversations.command("list", cls=Command)
def list_all(as_json: Json = False) -> None:
    """Enumera las conversaciones, la más reciente primero, con la hora de su última pregunta (UTC)."""

    async def read() -> dict[str, str]:
        async with _opened() as kept:
            return {name: last.isoformat(timespec="seconds") for name, last in (await kept.last_used()).items()}

    found = asyncio.run(read())
    if as_json:
        print_json([{"name": name, "last": last} for name, last in found.items()])
    elif not found:
        typer.echo("No se guarda ninguna conversación.")
    else:
        for name, last in found.items():
            typer.echo(f"{last}  {name}")


@conversations.command("show", cls=Command)
def show(name: Name) -> None:
    """Muestra una conversación."""
    _check(name)

    async def read() -> None:
        async with _opened() as kept:
            for message in (await kept.read(name)).messages:
                typer.echo(f"{'› ' if message['role'] == 'user' else ''}{message['content']}\n")

    asyncio.run(read())


@conversations.command("delete", cls=Command)
def delete(name: Name) -> None:
    """Borra una conversación y todo lo que se guarda de ella."""
    _check(name)

    async def remove() -> None:
        async with _opened() as kept:
            await kept.delete(name)

    asyncio.run(remove())
    typer.echo(f"Borrada: {name}")


@conversations.command("prune", cls=Command)
def prune(days: Days = 30) -> None:
    """Borra las conversaciones en las que no se ha preguntado nada desde hace unos días."""

    async def forget() -> list[str]:
        async with _opened() as kept:
            return await kept.forget(days)

    forgotten = asyncio.run(forget())
    typer.echo(f"Conversaciones borradas: {len(forgotten)}")


def _check(name: str) -> None:
    from server.conversations.store import check_name

    check_name(name.rpartition("/")[2] if name.isprintable() else "")


@asynccontextmanager
async def _opened() -> AsyncIterator["Conversations"]:
    from cli.options import read_settings
    from server.conversations.store import open_conversations
    from server.settings import ServerSettings

    home = read_settings(None).home
    async with open_conversations(ServerSettings.read().conversations, home) as kept:
        yield kept


def _ring() -> KeyRing:
    from cli.options import read_settings
    from server.guards import keys_file
    from server.settings import ServerSettings

    return KeyRing(keys_file(ServerSettings.read(), read_settings(None).home))
