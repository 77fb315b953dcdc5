"""Readers of file formats, one module per format, and the text cleaning that they share."""
