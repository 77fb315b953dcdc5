"""``articulado check``."""
