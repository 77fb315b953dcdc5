"""Evaluation of the answers to a gold set."""
