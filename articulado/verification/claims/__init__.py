"""Checks of negations, conditions and figures in claims against their sources."""
