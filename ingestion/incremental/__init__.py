"""What an ingest begins from, so that it does only what is new: the index in use, and what was staged before."""
