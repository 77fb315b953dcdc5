"""Typed states of the graphs and the run context."""
