"""Command line of articulado, over the same graphs as the other interfaces.

A command is a module, or a folder if it has several modules.
"""
