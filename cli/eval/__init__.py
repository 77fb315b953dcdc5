"""``articulado eval``."""
