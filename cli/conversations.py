"""Command ``articulado conversations``: list, show, delete and prune the conversations of the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from cli.names import Command, Commands
from cli.options import Json, whole
from cli.render import print_json

if TYPE_CHECKING:
    from server.conversations.store import Conversations

MAX_DAYS = 36_500

app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    epilog="Dónde se guardan lo dice ARTICULADO_SERVER_CONVERSATIONS.",
)
Name = Annotated[str, typer.Argument(metavar="CONVERSACIÓN", help="Su nombre, como lo da «list»: CLAVE/HILO.")]
Days = Annotated[
    int,
    typer.Option(
        "--days", metavar="DÍAS", parser=whole("--days", 0, MAX_DAYS), help="Días desde la última pregunta.",
    ),
]  # fmt: skip


@app.callback()
def root(context: typer.Context) -> None:
    """Show the help where no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list", cls=Command)
def list_all(as_json: Json = False) -> None:
    """Enumera las conversaciones, la más reciente primero, con la hora de su última pregunta (UTC)."""

    async def read() -> dict[str, str]:
        async with _opened() as conversations:
            return {
                name: last.isoformat(timespec="seconds") for name, last in (await conversations.last_used()).items()
            }

    found = asyncio.run(read())
    if as_json:
        print_json([{"name": name, "last": last} for name, last in found.items()])
    elif not found:
        typer.echo("No se guarda ninguna conversación.")
    else:
        for name, last in found.items():
            typer.echo(f"{last}  {name}")


@app.command("show", cls=Command)
def show(name: Name) -> None:
    """Muestra una conversación."""
    _check(name)

    async def read() -> None:
        async with _opened() as conversations:
            for message in (await conversations.read(name)).messages:
                typer.echo(f"{'› ' if message['role'] == 'user' else ''}{message['content']}\n")

    asyncio.run(read())


@app.command("delete", cls=Command)
def delete(name: Name) -> None:
    """Borra una conversación y todo lo que se guarda de ella."""
    _check(name)

    async def remove() -> None:
        async with _opened() as conversations:
            await conversations.delete(name)

    asyncio.run(remove())
    typer.echo(f"Borrada: {name}")


@app.command("prune", cls=Command)
def prune(days: Days = 30) -> None:
    """Borra las conversaciones en las que no se ha preguntado nada desde hace unos días."""

    async def forget() -> list[str]:
        async with _opened() as conversations:
            return await conversations.forget(days)

    forgotten = asyncio.run(forget())
    typer.echo(f"Conversaciones borradas: {len(forgotten)}")


def _check(name: str) -> None:
    """Check the name of a conversation, key and thread.

    Raises:
        InvalidInput: no conversation can have it.
    """
    from server.conversations.store import check_name

    check_name(name.rpartition("/")[2] if name.isprintable() else "")


@asynccontextmanager
async def _opened() -> AsyncIterator["Conversations"]:
    from cli.options import read_settings
    from server.conversations.store import open_conversations
    from server.settings import ServerSettings

    home = read_settings(None).home
    async with open_conversations(ServerSettings.read().conversations, home) as conversations:
        yield conversations
