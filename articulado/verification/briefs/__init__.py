"""Checks of citations, quotations and figures in a brief."""
