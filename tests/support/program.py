"""The command line in a process of its own."""

import os
import subprocess
import sys

from support.paths import REPOSITORY

# Ctrl-C interrupts it even where it was started by a background job, whose children are told to ignore that signal.
_MAIN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from cli.main import main; main()"


def started(*arguments: str | bytes, **options) -> subprocess.Popen:
    """Start ``articulado`` with these arguments, with pipes and nothing to read; ``env`` adds to the environment."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **options.pop("env", {})}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-c", _MAIN, *arguments], env=environment, **pipes)
