"""Rerankers, one per strategy, and final scores."""
