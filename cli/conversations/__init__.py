"""``articulado conversations``."""
