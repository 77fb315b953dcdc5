"""Rerankers: one adapter a file, and the table of them by strategy."""
