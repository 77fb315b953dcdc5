"""Wiring of the graphs, one file each, and the composition root."""
