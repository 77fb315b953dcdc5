"""``articulado ask``."""
