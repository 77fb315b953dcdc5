"""Command ``articulado case``."""
