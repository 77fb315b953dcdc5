"""Command ``articulado ingest``."""
