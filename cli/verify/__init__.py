"""``articulado verify``: check answers against the texts that they were written from."""
