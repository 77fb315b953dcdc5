"""Labelled inquiries through the case graphs, and what their confidence is worth."""
