"""``python -m cli``: the program ``articulado``."""

from cli.main import main

main()
