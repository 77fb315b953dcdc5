"""What an ingest begins from: the generation that is served, and what was staged before."""
