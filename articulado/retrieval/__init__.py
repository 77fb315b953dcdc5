"""Retrieval: from a question to ranked candidates."""
