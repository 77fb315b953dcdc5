"""Checks of conditions, negations and figures against the cited source."""
