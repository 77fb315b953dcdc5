"""Synonyms, topics and special regimes."""
