"""Offline principal and reader: answers quoted from the fragments without a model."""
