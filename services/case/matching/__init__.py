"""Matching: which article of the knowledge base handles an inquiry, and how surely, by the inquiry alone."""
