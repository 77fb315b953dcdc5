"""``articulado chat``."""
