"""Packaged knowledge-base profiles: data only."""
