"""Stores of chunks: embedded index, Qdrant server, packaged records."""
