"""Command ``articulado ask``."""
