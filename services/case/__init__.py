"""Handling a case: what is read, what may be said, and within which budget."""
