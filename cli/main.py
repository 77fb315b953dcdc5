"""The program ``articulado``: its commands, and the frame that turns every failure into a message and a status.

Where the command line says ``--json``, a failure is one JSON object on stdout, too.
"""

import gc
import sys
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Annotated

import typer

from cli.ask.command import ask
from cli.case.command import app as case
from cli.chat.command import chat
from cli.check.command import check
from cli.conversations.command import app as conversations
from cli.deferred import defer_packages
from cli.doctor.command import doctor
from cli.eval.command import evaluate
from cli.failures import FAILED, report, silence_stdout
from cli.ingest.command import app as ingest
from cli.keys.command import app as keys
from cli.mcp import mcp
from cli.search.command import search
from cli.serve import serve
from cli.show.command import show
from cli.spanish import Command, Commands
from cli.verify.command import verify
from language.current import speaking
from services.profile.files import spoken_language

COLLECTED_EVERY = (50_000, 20, 20)
"""New objects after which the collector looks for cycles, and how often it does before it looks at older ones.

What is read at the start stays, and by Python's own measure of 700 it is looked at hundreds of times meanwhile.
"""

BRIEF = {"ask", "search", "show", "check", "verify"}
COLLECTED_EVERY_OF_BRIEF = (1_000_000, 20, 20)
"""The same in commands that end after one question: what they make, some 250,000 objects, is never looked at."""

app = typer.Typer(
    name="articulado",
    cls=Commands,
    help="Responde preguntas sobre el derecho laboral y de la Seguridad Social de España, con su artículo.",
    epilog="Información general sobre la normativa; no es asesoramiento jurídico.",
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("ask", cls=Command)(ask)
app.command("search", cls=Command)(search)
app.command("show", cls=Command)(show)
app.command("chat", cls=Command)(chat)
app.command("check", cls=Command)(check)
app.add_typer(ingest, name="ingest")
app.add_typer(case, name="case")
app.command("verify", cls=Command)(verify)
app.command("eval", cls=Command)(evaluate)
app.command("doctor", cls=Command)(doctor)
app.command("serve", cls=Command)(serve)
app.command("mcp", cls=Command)(mcp)
app.add_typer(keys, name="keys")
app.add_typer(conversations, name="conversations")


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Muestra la versión y termina.")] = False,
) -> None:
    """Answer ``--version``, and show the help where no command is given."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"articulado {installed('articulado')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; what is wrong is said in the language of its profile."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with speaking(spoken_language(_profile_named(arguments))):
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "replace"), (sys.stderr, "replace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)
    try:
        try:
            status = typer.main.get_command(app).main(arguments, prog_name="articulado", standalone_mode=False)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except Exception as error:
            return report(error, as_json=_asks_for_json(arguments))
    except BrokenPipeError:
        silence_stdout()
        return FAILED
    # Typer makes 130 of Ctrl-C, and hands over what commands exit with.
    return status if isinstance(status, int) else 0


def _profile_named(arguments: Sequence[str]) -> str | None:
    """Return the value of ``--profile``, which counts for what is wrong with the rest of the command line, too."""
    for option, following in pairwise([*arguments, ""]):
        name, equals, value = option.partition("=")
        if name == "--profile":
            return value if equals else following
    return None


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Tell whether ``--json`` stands on a command line, which counts for one that cannot be read, too."""
    return "--json" in takewhile(lambda argument: argument != "--", arguments)


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(*(COLLECTED_EVERY if BRIEF.isdisjoint(sys.argv[1:2]) else COLLECTED_EVERY_OF_BRIEF))
    defer_packages()
    status = run()
    # The process ends: the collector, which then goes through all that there is three times, has nothing to look at.
    gc.freeze()
    sys.exit(status)
