"""``articulado keys``."""
