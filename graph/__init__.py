"""Wiring of the graphs, one file per graph, and the composition root."""
