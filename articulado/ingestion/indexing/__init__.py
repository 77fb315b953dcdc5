"""Encoding of chunks and writing of the index."""
