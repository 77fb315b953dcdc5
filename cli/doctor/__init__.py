"""Command ``articulado doctor``."""
