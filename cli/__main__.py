"""Start of the program: until its modules are loaded, Ctrl-C ends the process at once and without a traceback."""

import os
import signal


def start() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from cli.main import main

    main()


if __name__ == "__main__":
    start()
