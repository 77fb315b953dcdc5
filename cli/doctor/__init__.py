"""``articulado doctor``."""
