"""Classifier that decides if the candidates answer the question."""
