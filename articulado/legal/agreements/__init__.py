"""Collective agreements: names in questions, names in citations, scope and validity."""
