"""``articulado ingest``."""
