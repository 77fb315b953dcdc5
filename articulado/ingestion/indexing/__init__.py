"""Encoding of chunks, and writing of an index generation."""
