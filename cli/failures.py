"""Help in Spanish, error messages and exit statuses: 1 failed, 2 wrong command line, 130 Ctrl-C."""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from articulado.language.translation import current_language, translate
from articulado.values.errors import ArticuladoError, InvalidInput

if TYPE_CHECKING:
    from articulado.values.answers import Citation
    from server.errors import Failure

FAILED = 1
MISUSED = 2
INTERRUPTED = 130


def report(error: Exception, *, as_json: bool = False) -> int:
    """Write the error to stderr, with ``as_json`` to stdout as well, and return the exit status."""
    if os.environ.get("ARTICULADO_DEBUG") == "1":
        traceback.print_exception(error)
    failure = failure_of(error)
    complain(failure["detail"])
    if "citations" in failure:
        _print_found(failure["citations"])
    if as_json:
        from cli.render import print_json

        print_json(failure)
        sys.stdout.flush()
    return MISUSED if isinstance(error, InvalidInput | typer.TyperException) else FAILED


def failure_of(error: Exception) -> "Failure":
    """Return an error in the shape that it has in the HTTP API; errors of the command line, too."""
    if isinstance(error, typer.TyperException):
        return {"error": InvalidInput.__name__, "detail": usage_message(error)}
    if isinstance(error, ArticuladoError):
        told: Failure = {"error": type(error).__name__, "detail": str(error)}
        return {**told, "citations": list(error.citations)} if error.citations else told
    return {"error": "InternalError", "detail": translate("command.internal", kind=type(error).__name__, error=error)}


def _print_found(citations: "Sequence[Citation]") -> None:
    from articulado.language.languages import language as language_of
    from cli.render import console, print_sources

    print_sources(console(stderr=True), citations, language_of(current_language()))


def failure_beside(error: str, details: Sequence[str]) -> "Failure | dict[str, str]":
    """Return the JSON error fields for an incomplete result; empty for a complete one."""
    return {"error": error, "detail": "\n".join(details)} if details else {}


def complain(message: str) -> None:
    from cli.render import clean, console

    console(stderr=True).print(f"Error: {clean(message)}", style="red", markup=False)


def tell_interruption(arguments: Sequence[str], *, as_json: bool) -> None:
    """Tell on stderr, with ``as_json`` on stdout as well, that an interrupted ingest can be continued."""
    if list(arguments[:1]) != ["ingest"]:
        return
    told = translate("command.ingest_interrupted")
    sys.stderr.write(f"\n{told}\n")
    if as_json:
        sys.stdout.write(json.dumps({"error": "Interrupted", "detail": told}, ensure_ascii=False, indent=2) + "\n")
        sys.stdout.flush()


def silence_stdout() -> None:
    """Discard the rest of the output: its reader has closed the pipe (``articulado … | head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Spanish:
    """Help page with its fixed words in Spanish."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        pieces = self.collect_usage_pieces(ctx)  # type: ignore[attr-defined]
        formatter.write_usage(ctx.command_path, " ".join(pieces), prefix="Uso: ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        from typer import rich_utils

        rich_utils.ARGUMENTS_PANEL_TITLE = "Argumentos"
        rich_utils.OPTIONS_PANEL_TITLE = "Opciones"
        rich_utils.COMMANDS_PANEL_TITLE = "Órdenes"
        rich_utils.DEFAULT_STRING = "[por defecto: {}]"
        rich_utils.REQUIRED_LONG_STRING = "[obligatorio]"
        for param in self.params:  # type: ignore[attr-defined]
            if isinstance(param, TyperArgument):
                # "<list[str]>" helps nobody who does not write Python.
                param.display_type_rich = _no_type  # type: ignore[method-assign]
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        option.help, option.metavar = "Muestra esta ayuda y termina.", ""
        return option


class Command(_Spanish, TyperCommand):
    """Command with its help in Spanish."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "options_metavar": "[OPCIONES]"})


class Commands(_Spanish, TyperGroup):
    """Group of commands with its help in Spanish."""

    def __init__(self, *args: Any, **options: Any) -> None:
        names = {"options_metavar": "[OPCIONES]", "subcommand_metavar": "ORDEN [ARGUMENTOS]..."}
        super().__init__(*args, **{**options, **names})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or raise ``InvalidInput`` with the names of all."""
        if self.get_command(ctx, args[0]) is None:
            raise InvalidInput(
                translate("command.none_such", name=args[0], commands=", ".join(self.list_commands(ctx)))
            )
        return super().resolve_command(ctx, args)


def usage_message(error: typer.TyperException) -> str:
    """Return the message for a command line that Typer cannot read."""
    parameter, option = getattr(error, "param", None), getattr(error, "option_name", "")
    match type(error).__name__:
        case "NoSuchOption":
            suggestions = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
            key = "command.no_option_but" if suggestions else "command.no_option"
            message = translate(key, option=option, suggestions=suggestions)
        case "BadOptionUsage":
            message = translate("command.option_value", option=option)
        case "MissingParameter":
            message = translate("command.missing", name=_name(parameter))
        case "BadParameter":
            message = translate("command.bad_value", name=_name(parameter), problem=error.message)
        case _:
            # "Got unexpected extra argument(s) (…)"
            message = translate("command.superfluous", part=error.message.rpartition("(")[2].rstrip(")"))
    context = getattr(error, "ctx", None)
    # The path of a command without a name ends in a blank.
    return translate(
        "command.help", message=message, command=context.command_path.rstrip() if context else "articulado"
    )


def _no_type(ctx: Any) -> None:
    pass


def _name(parameter: Any) -> str:
    if parameter is None:
        return translate("command.an_argument")
    long_options = [name for name in parameter.opts if name.startswith("--")]
    return long_options[0] if long_options else str(parameter.metavar or parameter.name)
