"""Main loop of a worker process: answer calls on standard input, end with the parent process."""

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from articulado.config.files import Limits, limited
from articulado.language.translation import use_locale
from articulado.values.errors import ArticuladoError

OUT_OF_MEMORY = 70  # exit code if the process's own watch enforces the memory limit
IDLE_SECONDS = 60.0  # the process ends after so long without a call
BEGUN = "begun"  # precedes an answer after the imports of the call: its time counts from here

_XML_ERR_NO_MEMORY = 2

LONGEST_REASON = 200  # maximum characters of an unexpected error, which may quote the document

_WATCH_SECONDS = 0.5


def main() -> None:
    """Answer calls with pickled pairs of outcome and value until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback: the parent handles it
    calls, answers = _own_streams()
    limits: Limits = pickle.load(calls)
    _limit_memory(limits.memory)
    watch = _Watch(limits.memory)
    with limited(limits):
        while True:
            try:
                function, arguments, language = pickle.load(calls)
            except EOFError:
                return
            watch.idle_since = None
            _end_after(limits.seconds)
            answers.write(pickle.dumps(BEGUN))
            answers.flush()
            with use_locale(language):
                answer = _answer(function, arguments)
            _end_after(0)
            watch.idle_since = time.monotonic()
            answers.write(answer)
            answers.flush()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """Return the pickled outcome (``value``, ``refused``, ``memory``, ``depth``, ``failed``) and value of a call."""
    try:
        return pickle.dumps(("value", function(*arguments)))
    except BaseException as error:  # Rust extensions panic with a BaseException
        causes = _causes(error)
    # The call's memory is free here.
    if any(map(_is_of_memory, causes)):
        return pickle.dumps(("memory", ""))
    if any(isinstance(cause, RecursionError) for cause in causes):
        return pickle.dumps(("depth", ""))
    first = causes[0]
    if isinstance(first, ArticuladoError):
        return pickle.dumps(("refused", (type(first), str(first))))
    return pickle.dumps(("failed", f"{type(first).__name__}: {first}"[:LONGEST_REASON]))


def _is_of_memory(cause: BaseException) -> bool:
    """Tell if memory was refused; lxml raises a syntax error with a code of libxml2 for that."""
    return isinstance(cause, MemoryError) or (
        type(cause).__name__ == "XMLSyntaxError" and getattr(cause, "code", None) == _XML_ERR_NO_MEMORY
    )


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in causes:
        causes.append(current.with_traceback(None))
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return causes


def _limit_memory(size: int) -> None:
    """Have the system refuse more memory than this; impossible on macOS and Windows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Data only: libraries reserve gigabytes of unused address space.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        resource.setrlimit(kind, (size, resource.getrlimit(kind)[1]))


class _Watch:
    """Ends the process when its parent has died, when it is idle for long, and on macOS for its memory."""

    def __init__(self, memory: int) -> None:
        self.idle_since: float | None = None
        self._parent = os.getppid()
        self._memory = memory
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(_WATCH_SECONDS)
            idle_since = self.idle_since
            if idle_since is not None and time.monotonic() - idle_since > IDLE_SECONDS:
                os._exit(0)
            if os.name == "posix" and os.getppid() != self._parent:
                os._exit(0)
            if sys.platform == "darwin":
                import resource

                if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > self._memory:
                    os._exit(OUT_OF_MEMORY)


def _end_after(seconds: float) -> None:
    """Have the system end the process after so many seconds of processor time; 0 cancels that."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
