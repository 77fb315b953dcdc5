"""What the user reads, and the exit status, when something goes wrong."""

import os
import sys
import traceback

from language.current import say
from state.errors import ArticuladoError, InvalidInput

FAILED = 1
MISUSED = 2


def report(error: Exception) -> int:
    """Write the error to stderr, without a traceback, and return the exit status that goes with it."""
    if os.environ.get("ARTICULADO_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, ArticuladoError):
        complain(str(error))
        return MISUSED if isinstance(error, InvalidInput) else FAILED
    complain(say("command.internal", kind=type(error).__name__, error=error))
    return FAILED


def complain(message: str) -> None:
    """Write one error message to stderr, red on a terminal."""
    from cli.render import clean, console

    console(stderr=True).print(f"Error: {clean(message)}", style="red", markup=False)


def silence_stdout() -> None:
    """Send the rest of the output nowhere: its reader has gone (``articulado … | head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
