"""Command line of articulado: a command is a module, or a folder if it has several modules."""
