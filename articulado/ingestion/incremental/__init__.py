"""State of an ingest: what the index holds, what changed, the draft of the next generation."""
