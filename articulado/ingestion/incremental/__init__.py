"""State of an incremental ingest: current index, catalogue, draft catalogue, and staged files."""
