"""Readers of document files: formats, header, title, structure, and briefs."""
