"""Error messages and exit statuses of the command line.

Exit status 1 means that a command failed, 2 that the command line is wrong. Messages go to stderr, with a
traceback only if ``ARTICULADO_DEBUG`` is 1. With ``--json``, the error also goes to stdout as one JSON
object.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from articulado.language.translation import current_language, translate
from articulado.values.errors import ArticuladoError, InvalidInput
from cli.names import usage_message

if TYPE_CHECKING:
    from articulado.values.answers import Citation
    from server.errors import Failure

FAILED = 1
MISUSED = 2


def report(error: Exception, *, as_json: bool = False) -> int:
    """Write the error to stderr, without a traceback, and return the exit status that goes with it.

    ``as_json``: to stdout as well, as one JSON object.
    """
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
    """Return an error in the shape that it has in the HTTP API, a command line that cannot be read among them."""
    if isinstance(error, typer.TyperException):
        return {"error": InvalidInput.__name__, "detail": usage_message(error)}
    if isinstance(error, ArticuladoError):
        told: Failure = {"error": type(error).__name__, "detail": str(error)}
        return {**told, "citations": list(error.citations)} if error.citations else told
    return {"error": "InternalError", "detail": translate("command.internal", kind=type(error).__name__, error=error)}


def _print_found(citations: "Sequence[Citation]") -> None:
    """Write to stderr what had been found before the answer failed."""
    from articulado.language.languages import language as language_of
    from cli.render import console, print_sources

    print_sources(console(stderr=True), citations, language_of(current_language()))


def failure_beside(error: str, details: Sequence[str]) -> "Failure | dict[str, str]":
    """Return what stands beside a result in JSON that lacks something, so that its status is 1; nothing of a whole."""
    return {"error": error, "detail": "\n".join(details)} if details else {}


def complain(message: str) -> None:
    """Write one error message to stderr, red on a terminal."""
    from cli.render import clean, console

    console(stderr=True).print(f"Error: {clean(message)}", style="red", markup=False)


def silence_stdout() -> None:
    """Send the rest of the output nowhere: its reader has gone (``articulado … | head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
