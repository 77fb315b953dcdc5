"""Readers of file formats: ``read(path)`` of each module gives the pages of a file."""
