"""Rank metrics, how sure their means are, and whether confidence means anything."""
