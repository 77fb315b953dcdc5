"""Command ``articulado eval``."""
