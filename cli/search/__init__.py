"""``articulado search``."""
