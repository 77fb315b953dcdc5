"""``articulado case``."""
