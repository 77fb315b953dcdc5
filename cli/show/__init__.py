"""``articulado show``."""
