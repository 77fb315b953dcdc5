"""Program ``articulado``: its commands, imported when needed, and the exit statuses of failures."""

import gc
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise, takewhile
from typing import Annotated, Any

import typer

from articulado.config.files import spoken_language
from articulado.language.translation import use_locale
from cli.failures import FAILED, INTERRUPTED, Command, Commands, report, silence_stdout, tell_interruption

COMMANDS = {
    "ask": ("cli.ask.command:ask", "Responde una pregunta y dice en qué preceptos se apoya."),
    "search": ("cli.search:search", "Busca preceptos sin redactar respuesta."),
    "show": (
        "cli.show.command:show",
        "Muestra un precepto: su texto, sus redacciones, qué cita y quién lo cita.",
    ),
    "chat": ("cli.chat:chat", "Conversa: cada pregunta puede apoyarse en las anteriores."),
    "check": (
        "cli.check:check",
        "Comprueba las citas de un escrito: si existen, si estaban en vigor y si dicen lo que se cita.",
    ),
    "verify": (
        "cli.verify:verify",
        "Comprueba sin ningún modelo que una respuesta se sostiene en sus fuentes.",
    ),
    "calculate": (
        "cli.calculate:calculate",
        "Calcula una cantidad o un plazo paso a paso, con el precepto de cada paso.",
    ),
    "eval": (
        "cli.eval.command:evaluate",
        "Mide lo que se encuentra, con preguntas o conversaciones cuyos preceptos se conocen.",
    ),
    "doctor": ("cli.doctor.command:doctor", "Comprueba la configuración y el índice, y dice qué falta."),
    "serve": (
        "cli.serve:serve",
        "Sirve el agente por HTTP (página, API y LangServe) hasta que se interrumpe.",
    ),
    "mcp": ("cli.serve:mcp", "Sirve las herramientas de MCP a un programa de chat o a un agente."),
    "ingest": (
        "cli.ingest.command:app",
        "Construye el índice con sus documentos: normas en Markdown o en el XML del BOE, PDF, Word, ODT, Excel, HTML "
        "y texto, y artículos de una base de conocimiento (.article.yaml). "
        "Solo se procesa lo que ha cambiado; lo que no se puede leer se nombra y se omite.",
    ),
    "case": (
        "cli.case.command:app",
        "Trata un caso: primero, qué datos hacen falta; después, la respuesta con los datos reunidos.",
    ),
    "keys": ("cli.administration:keys", "Crea, enumera y retira las claves de acceso al servidor."),
    "conversations": (
        "cli.administration:conversations",
        "Enumera, muestra y borra las conversaciones que guarda el servidor.",
    ),
}

COLLECTED_EVERY = (200_000, 20, 20)  # garbage collector; Python's (700, 10, 10) costs a cold `ask` 18 % more CPU


class LazyCommands(Commands):
    """Group of all commands, which imports the module of a command when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Command | None:
        return Command(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(args[0]), rest


def load_command(name: str) -> Any:
    """Import a command and return it as Typer runs it."""
    location, help_text = COMMANDS[name]
    module, _, attribute = location.partition(":")
    command = getattr(import_module(module), attribute)
    program = typer.Typer(add_completion=False, callback=lambda: None)
    if isinstance(command, typer.Typer):
        program.add_typer(command, name=name, help=help_text)
    else:
        program.command(name, cls=Command, help=help_text)(command)
    group: Any = typer.main.get_command(program)
    return group.commands[name]


app = typer.Typer(
    name="articulado",
    cls=LazyCommands,
    help="Responde preguntas sobre el derecho laboral y de la Seguridad Social de España, con su artículo.",
    epilog="Información general sobre la normativa; no es asesoramiento jurídico.",
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Muestra la versión y termina.")] = False,
) -> None:
    """Print the version for ``--version``, or the help if no command is given."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"articulado {installed('articulado')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with use_locale(spoken_language(_profile_named(arguments))):
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
    except KeyboardInterrupt:
        status = INTERRUPTED
    # Typer makes 130 of Ctrl-C, and hands over what commands exit with.
    if status == INTERRUPTED:
        tell_interruption(arguments, as_json=_asks_for_json(arguments))
    return status if isinstance(status, int) else 0


def _profile_named(arguments: Sequence[str]) -> str | None:
    for option, following in pairwise([*arguments, ""]):
        name, equals, value = option.partition("=")
        if name == "--profile":
            return value if equals else following
    return None


def _asks_for_json(arguments: Sequence[str]) -> bool:
    return "--json" in takewhile(lambda argument: argument != "--", arguments)


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(*COLLECTED_EVERY)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        # Another Ctrl-C while threads come to their end would only write a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Without it, the collector visits all objects three times at exit: about 13 % more CPU in a cold `ask`.
    gc.freeze()
    sys.exit(status)
