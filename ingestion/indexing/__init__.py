"""Chunks in, a generation of the index out."""
