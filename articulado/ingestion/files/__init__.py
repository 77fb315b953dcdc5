"""Readers of files: header, title, structure, and briefs."""
