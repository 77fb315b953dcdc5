"""Entry point of ``python -m cli``, which runs the program ``articulado``."""

from cli.main import main

main()
