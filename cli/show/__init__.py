"""Command ``articulado show``."""
